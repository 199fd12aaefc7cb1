/// Something that a conversion puts sound through, at the output's rate and with its channels.
///
/// One object is made for each pass over the input. Thread: that of the conversion.
public protocol FileEffect: AnyObject {
    /// How much later the sound comes out than it went in, in frames: 0 or more, of which up to 2²² are taken out. Asked for once,
    /// before anything is processed.
    var latencyFrames: Int { get }

    /// Processes the next frames.
    ///
    /// - Parameters:
    ///   - planes: a signal for each channel; those behind `frames` mean nothing.
    ///   - frames: 1…1024.
    /// - Returns: as many signals, of `frames` samples or more.
    func process(_ planes: [[Float]], frames: Int) -> [[Float]]

    /// Samples that it made which were no numbers, and became silence.
    var nonFiniteSamples: Int { get }
    /// What the user should know of it at the end.
    var warnings: [String] { get }
    /// Why the sound went by; `nil` where it did not.
    var failure: FileEffectError? { get }
    /// What it reports at the end, in a type that its maker knows; `nil` where it reports nothing.
    var report: (any Sendable)? { get }
}

/// Why an effect cannot be had for a file, or does nothing to it.
public struct FileEffectError: Error, Sendable, Equatable {
    /// What is wrong and what to do about it: a clause for people.
    public let reason: String
    /// Whether other settings of the effect would do, whatever the file.
    public let isUsage: Bool

    /// An effect cannot be had: see `reason` and `isUsage`.
    public init(_ reason: String, isUsage: Bool = false) { (self.reason, self.isUsage) = (reason, isUsage) }
}

// What cannot go wrong.
extension FileEffect {
    public var nonFiniteSamples: Int { 0 }
    public var warnings: [String] { [] }
    public var failure: FileEffectError? { nil }
    public var report: (any Sendable)? { nil }
}

/// Makes what a file is put through. Thread: any; several may be made at a time.
///
/// - Parameter format: of the output as 32-bit floats.
public typealias FileEffectMaker = @Sendable (_ format: StreamFormat) throws(FileEffectError) -> any FileEffect

/// Puts a stream through effects in a row. As many frames come out as go in, each at its time: their latency is taken out.
struct EffectStage: ~Copyable {
    static let blockFrames = 1024
    /// More than any effect is late: so much silence goes through it in seconds, and it can be counted with.
    private static let mostDelay = 1 << 22

    let effects: [any FileEffect]
    private let delay: Int
    /// Of the delay, what has still to be left out.
    private var skipped: Int
    /// Interleaved.
    private let format: StreamFormat
    private var planes: [[Float]]

    /// - Parameter format: interleaved 32-bit float.
    init(_ effects: [any FileEffect], _ format: StreamFormat) {
        self.effects = effects
        delay = effects.reduce(0) { min(Self.mostDelay, $0 + max(0, min($1.latencyFrames, Self.mostDelay))) }
        skipped = delay
        self.format = format
        planes = Array(repeating: [Float](repeating: 0, count: Self.blockFrames), count: format.channels)
    }

    /// Processes the valid frames of a buffer, and hands over what comes out: fewer of the first.
    mutating func push<Failure: Error>(
        _ buffer: PCMBuffer, to sink: (PCMBuffer) throws(Failure) -> Void
    ) throws(Failure) {
        let samples = buffer.samples(of: Float.self)
        let channels = format.channels
        var start = 0
        while start < buffer.frames {
            let count = min(Self.blockFrames, buffer.frames - start)
            let offset = start * channels
            for channel in 0..<channels {
                for frame in 0..<count { planes[channel][frame] = samples[offset + frame * channels + channel] }
            }
            try process(count, sink)
            start += count
        }
    }

    /// Hands over what was held back.
    mutating func finish<Failure: Error>(to sink: (PCMBuffer) throws(Failure) -> Void) throws(Failure) {
        // Where less came than the delay, so much is still to be left out, and the rest is what came.
        var rest = delay
        while rest > 0 {
            let count = min(Self.blockFrames, rest)
            for channel in planes.indices {
                for frame in 0..<count { planes[channel][frame] = 0 }
            }
            try process(count, sink)
            rest -= count
        }
    }

    private mutating func process<Failure: Error>(
        _ count: Int, _ sink: (PCMBuffer) throws(Failure) -> Void
    ) throws(Failure) {
        let made = effects.reduce(planes) { $1.process($0, frames: count) }
        let left = min(skipped, count)
        skipped -= left
        guard left < count else { return }
        let channels = format.channels
        var samples = [Float](repeating: 0, count: (count - left) * channels)
        for channel in 0..<channels {
            for frame in left..<count { samples[(frame - left) * channels + channel] = made[channel][frame] }
        }
        try sink(PCMBuffer(format, samples))
    }
}
