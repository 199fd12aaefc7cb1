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

extension [Float] {
    /// What two signals must share to be the same to the bit.
    var bits: [UInt32] { map(\.bitPattern) }

    /// The largest step from one sample to the next.
    var largestStep: Float { zip(self, dropFirst()).map { abs($1 - $0) }.max() ?? 0 }
}
