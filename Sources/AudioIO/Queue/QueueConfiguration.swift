import AudioRealtime
import Jack

/// The buffers of a unit in queued mode.
public struct QueueConfiguration: Sendable, Equatable {
    /// Length of each buffer in frames, 1 and up; at most 10 s. It need not be a multiple of the period.
    public var bufferFrames: Int
    /// How many buffers go round, 2…64.
    public var bufferCount = 3
    /// What the buffers keep samples in.
    public var format = QueueFormat.int16
    /// Asks for the worker to be scheduled in real time, one below the audio thread's priority.
    public var isRealtime = false

    /// - Parameter bufferFrames: length of each buffer.
    public init(bufferFrames: Int) { self.bufferFrames = bufferFrames }

    /// How many buffers may go round: 2…64.
    public static let bufferCounts = QueueGeometry.counts
    /// The longest time that a buffer may last.
    public static let longestBufferSeconds = 10
    /// In hertz.
    static let sampleRates = 1...768_000
    /// The most memory that the buffers may take together, in bytes.
    public static let largestQueueBytes = 1 << 30

    /// The longest buffer in frames, at the highest rate.
    private static let lengths = 1...longestBufferSeconds * sampleRates.upperBound

    /// From the inputs to the outputs, in frames: (N − 1) · B. Of a length or a number that no queue has, that of the nearest one.
    public var latencyFrames: Int { geometry.latencyFrames }

    /// Within what a queue may have, so that no product is too great for a number.
    var geometry: QueueGeometry {
        QueueGeometry(
            bufferFrames: min(max(bufferFrames, Self.lengths.lowerBound), Self.lengths.upperBound),
            bufferCount: min(max(bufferCount, Self.bufferCounts.lowerBound), Self.bufferCounts.upperBound))
    }
}

// Lengths given otherwise, by the formula time = bytes / (bytes per frame · rate).
extension QueueConfiguration {
    /// A sample of each channel: 2 bytes for each in 16 bits, 4 in floating point. Of a number of channels that no unit has, those
    /// of the nearest one.
    public static func bytesPerFrame(channels: Int, format: QueueFormat) -> Int {
        let range = UnitConfiguration.channelRange
        return min(max(channels, range.lowerBound), range.upperBound) * format.bytes
    }

    /// How many frames are in so many bytes.
    ///
    /// - Throws: `invalidConfiguration` where that is no whole number, or less than one.
    public static func frames(
        inBytes bytes: Int, channels: Int, format: QueueFormat
    ) throws(UnitError) -> Int {
        try UnitConfiguration.check(channels, UnitConfiguration.channelRange, "a number of channels")
        let size = bytesPerFrame(channels: channels, format: format)
        guard bytes >= size, bytes % size == 0 else {
            throw .invalidConfiguration(
                "a buffer of \(bytes) bytes is no whole number of frames; use a multiple of \(size) bytes")
        }
        return bytes / size
    }

    /// How many frames last so many milliseconds, to the nearest one.
    ///
    /// - Parameters:
    ///   - milliseconds: up to 10 s.
    ///   - sampleRate: in hertz.
    /// - Throws: `invalidConfiguration` where that is less than one, or longer than a buffer may be.
    public static func frames(inMilliseconds milliseconds: Double, sampleRate: Int) throws(UnitError) -> Int {
        try UnitConfiguration.check(sampleRate, sampleRates, "a sample rate")
        let frames = (milliseconds / 1000 * Double(sampleRate)).rounded()
        // Not a number is in no range.
        guard (1...Double(longestBufferSeconds * sampleRate)).contains(frames) else {
            throw .invalidConfiguration(
                "a buffer of \(milliseconds) ms is out of range; use a frame, \(1000 / Double(sampleRate)) ms, to "
                    + "\(longestBufferSeconds * 1000) ms")
        }
        return Int(frames)
    }

    /// The time that a buffer lasts, in nanoseconds.
    ///
    /// - Parameter sampleRate: in hertz.
    public func bufferNanoseconds(sampleRate: Int) -> Double { Double(bufferFrames) / Double(sampleRate) * 1e9 }
}

// Checks.
extension QueueConfiguration {
    /// What can be told before a server is known. Thread: any.
    ///
    /// - Parameter channels: inputs, or outputs where those are more.
    /// - Throws: `invalidConfiguration`.
    public func check(channels: Int) throws(UnitError) {
        try checkNumbers()
        try UnitConfiguration.check(channels, UnitConfiguration.channelRange, "a number of channels")
        let bytes = (bufferCount + 1) * bufferFrames * Self.bytesPerFrame(channels: channels, format: format)
        guard bytes <= Self.largestQueueBytes else {
            throw .invalidConfiguration(
                "\(bufferCount) buffers of \(bufferFrames) frames take \(bytes >> 20) MiB; use fewer or shorter ones, "
                    + "\(Self.largestQueueBytes >> 20) MiB at the most")
        }
    }

    private func checkNumbers() throws(UnitError) {
        try UnitConfiguration.check(bufferCount, Self.bufferCounts, "a number of buffers")
        try UnitConfiguration.check(bufferFrames, Self.lengths, "a buffer in frames")
    }

    /// Whether the queue can work on a server. Thread: any.
    ///
    /// - Parameters:
    ///   - sampleRate: the server's, in hertz.
    ///   - periodFrames: the server's.
    /// - Throws: `invalidConfiguration`; where the queue would run dry, with the least number or length of buffers that is enough.
    public func check(sampleRate: Int, periodFrames: Int) throws(UnitError) {
        try checkNumbers()
        try UnitConfiguration.check(sampleRate, Self.sampleRates, "a sample rate")
        try UnitConfiguration.check(periodFrames, Client.periods, "a period in frames")
        let longest = Self.longestBufferSeconds * sampleRate
        guard bufferFrames <= longest else {
            throw .invalidConfiguration(
                "a buffer of \(bufferFrames) frames lasts longer than \(Self.longestBufferSeconds) s; use 1 to "
                    + "\(longest) frames")
        }
        guard geometry.isFeasible(periodFrames: periodFrames) else {
            let count = geometry.leastCount(periodFrames: periodFrames)
            let more = Self.bufferCounts.contains(count) ? "\(count) buffers, or " : ""
            throw .invalidConfiguration(
                "\(bufferCount) buffers of \(bufferFrames) frames run dry on periods of \(periodFrames) frames, however "
                    + "fast the worker is; use \(more)buffers of "
                    + "\(geometry.leastFrames(periodFrames: periodFrames)) frames")
        }
    }
}
