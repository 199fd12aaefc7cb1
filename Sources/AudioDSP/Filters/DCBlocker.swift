/// Takes away what is constant: y = x − x₁ + p y₁ (J. O. Smith, Introduction to Digital Filters, "DC Blocker").
///
/// The corner (−3 dB) lies at 10 Hz, at any rate.
struct DCBlocker: BitwiseCopyable {
    private var lastInput: Float = 0
    private var lastOutput: Float = 0

    /// What p is at a sample rate in Hz: 1 − 2π · 10 Hz / rate.
    @_noLocks @_noAllocation
    static func pole(sampleRate: Int) -> Float { Float(1 - 2 * Double.pi * 10 / Double(max(sampleRate, 1000))) }

    /// Filters a run in place. Thread: any. Wait-free.
    @_noLocks @_noAllocation
    mutating func process(_ samples: Samples, pole: Float) {
        var input = lastInput
        var output = lastOutput
        for index in 0..<samples.count {
            let sample = samples[index]
            output = (sample - input) + pole * output
            input = sample
            samples[index] = output
        }
        lastInput = input
        lastOutput = output
    }
}
