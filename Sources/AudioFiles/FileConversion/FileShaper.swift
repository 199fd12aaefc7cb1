import AudioDSP

/// A curve that a conversion puts sound through, with a gain into it: y = shape(drive · x), at the output's rate.
public struct FileShaping: Sendable {
    /// The curve.
    public var shape: Shape
    /// In decibels.
    public var driveDecibels: Double
    /// What is done against aliases.
    public var antialiasing: Antialiasing
    /// Of the shape `table`.
    public var table: ShapeTable?

    /// - Parameter driveDecibels: gain before the curve.
    public init(
        _ shape: Shape, driveDecibels: Double = 0, antialiasing: Antialiasing = .best, table: ShapeTable? = nil
    ) {
        self.shape = shape
        self.driveDecibels = driveDecibels
        self.antialiasing = antialiasing
        self.table = table
    }
}

/// Shapes a stream, of which as many frames come out as go in, each at its time: the delay is taken out, to half a frame.
struct FileShaper: ~Copyable {
    private static let blockFrames = 1024

    private var shaper: AntialiasedShaper
    private let shaping: Shaping
    private let drive: Ramp
    private let channels: Int
    /// Of the delay, what has still to be left out.
    private var skipped: Int
    private let delay: Int
    /// Interleaved.
    private let format: StreamFormat
    private var planes: [[Float]]

    /// - Parameter format: interleaved 32-bit float.
    init(_ settings: FileShaping, _ format: StreamFormat) {
        shaper = AntialiasedShaper(channels: format.channels, table: settings.table)
        shaper.setSampleRate(format.sampleRate)
        shaping = Shaping(settings.shape, settings.antialiasing, .linear)
        drive = Ramp(Float(Decibels.linear(settings.driveDecibels)))
        channels = format.channels
        delay = Int(shaping.latencyFrames.rounded())
        skipped = delay
        self.format = format
        planes = Array(repeating: [Float](repeating: 0, count: Self.blockFrames), count: channels)
    }

    /// Shapes the valid frames of a buffer, and hands over what comes out: fewer of the first.
    mutating func push<Failure: Error>(
        _ buffer: PCMBuffer, to sink: (PCMBuffer) throws(Failure) -> Void
    ) throws(Failure) {
        let samples = buffer.samples(of: Float.self)
        var start = 0
        while start < buffer.frames {
            let count = min(Self.blockFrames, buffer.frames - start)
            let offset = start * channels
            for channel in 0..<channels {
                for frame in 0..<count { planes[channel][frame] = samples[offset + frame * channels + channel] }
            }
            try shape(count, sink)
            start += count
        }
    }

    /// Hands over what was held back.
    mutating func finish<Failure: Error>(to sink: (PCMBuffer) throws(Failure) -> Void) throws(Failure) {
        // Where less came than the delay, so much is still to be left out, and the rest is what came.
        var rest = delay
        while rest > 0 {
            let count = min(Self.blockFrames, rest)
            for channel in 0..<channels {
                for frame in 0..<count { planes[channel][frame] = 0 }
            }
            try shape(count, sink)
            rest -= count
        }
    }

    private mutating func shape<Failure: Error>(
        _ count: Int, _ sink: (PCMBuffer) throws(Failure) -> Void
    ) throws(Failure) {
        for channel in 0..<channels {
            unsafe planes[channel].withUnsafeMutableBufferPointer { plane in
                // SAFETY: a plane has room for a whole block, and lives for the call.
                let samples = unsafe Samples(plane.baseAddress.unsafelyUnwrapped, count: count)
                shaper.process(samples, channel: channel, setting: 0, shaping, gain: drive)
            }
        }
        let left = min(skipped, count)
        skipped -= left
        guard left < count else { return }
        var made = [Float](repeating: 0, count: (count - left) * channels)
        for channel in 0..<channels {
            for frame in left..<count { made[(frame - left) * channels + channel] = planes[channel][frame] }
        }
        try sink(PCMBuffer(format, made))
    }
}
