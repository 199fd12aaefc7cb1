import AudioDSP
import AudioRealtime
import TestSupport

/// The largest distance of a signal from what the formula makes of its input.
func largestError(of output: [Float], from input: [Float], _ parameters: ShaperSetting) -> Double {
    precondition(output.count == input.count)
    return zip(input, output).map { abs(Double($1) - formula($0, parameters)) }.max() ?? 0
}

extension ShaperSetting {
    init(shape: Shape, gain: Float = 1, drive: Float = 1) {
        self.init()
        self.shape = shape
        self.gain = gain
        self.drive = drive
    }
}
