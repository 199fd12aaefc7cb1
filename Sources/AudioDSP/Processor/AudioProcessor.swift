/// The state of a processor that a user of this package writes, and what it does to a block.
///
/// `process` runs on the audio thread. The compiler checks it, with all that it calls, if one annotated function leads to it:
/// ```swift
/// struct Tremolo: AudioProcessor, ~Copyable {
///     var phase: Float = 0
///
///     mutating func process(_ block: borrowing ProcessorBlock) {
///         for frame in 0..<block.frames {
///             let gain: Float = phase < 0.5 ? 1 : 0.5
///             for channel in 0..<block.channels { block[channel, frame] *= gain }
///             phase += 5 / Float(block.sampleRate)
///             if phase >= 1 { phase -= 1 }
///         }
///     }
/// }
///
/// @_noLocks @_noAllocation
/// func tremolo(_ call: ProcessorCall) { call.process(Tremolo.self) }
/// ```
public protocol AudioProcessor: SendableMetatype, ~Copyable {
    /// Changes a block in place. A signal must come out the same however it is cut into blocks. Thread: audio.
    ///
    /// What the function calls in other modules must be `@inlinable`, or annotated as the function is.
    mutating func process(_ block: borrowing ProcessorBlock)

    /// Forgets what was heard: a stream begins. Thread: control, while nothing is processed. May allocate, and must not call the
    /// engine.
    ///
    /// - Parameter sampleRate: in hertz. It may change later; each block has its own.
    mutating func reset(sampleRate: Int)
}

extension AudioProcessor where Self: ~Copyable {
    /// Does nothing: for processors that remember nothing.
    public mutating func reset(sampleRate: Int) {}
}
