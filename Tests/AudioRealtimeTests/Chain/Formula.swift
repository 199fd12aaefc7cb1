import AudioDSP
import AudioRealtime

extension ShaperSetting {
    init(shape: Shape, gain: Float = 1, drive: Float = 1) {
        self.init()
        self.shape = shape
        self.gain = gain
        self.drive = drive
    }
}
