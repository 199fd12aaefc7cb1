/// Takes away what is constant: y = x − x₁ + p y₁ (J. O. Smith, Introduction to Digital Filters, "DC Blocker").
///
/// The corner is 1/4800 of the sample rate, 10 Hz at 48 kHz.
struct DCBlocker: BitwiseCopyable {
    private var lastInput: Float = 0
    private var lastOutput: Float = 0

    /// Filters a run in place. Thread: any. Wait-free.
    @_noLocks @_noAllocation
    mutating func process(_ samples: Samples) {
        // 1 − 2π / 4800.
        let pole: Float = 0.998_691
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
