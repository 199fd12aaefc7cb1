/// What a meter does with the sound of a tap, piece by piece. Thread: one at a time.
package protocol SoundAnalyzer: AnyObject {
    /// As many as the tap's.
    var channels: Int { get }
    /// What is added from now on has this sample rate in hertz. Returns whether it can be measured at it.
    func change(sampleRate: Int) -> Bool
    /// Adds the first `frames` frames of a block, interleaved. They must be finite.
    func add(_ frames: Int, of block: [Float])
}

extension [Float] {
    /// The mean of the channels of an interleaved frame.
    func mean(ofFrame frame: Int, channels: Int) -> Double {
        var sum = 0.0
        for channel in 0..<channels { sum += Double(self[frame * channels + channel]) }
        return sum / Double(channels)
    }
}
