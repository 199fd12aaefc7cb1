/// What the frames of a stream are made of.
public struct StreamFormat: Sendable, Hashable {
    /// Where the samples of a frame lie.
    public enum Layout: String, Sendable, CaseIterable {
        /// One frame after the other.
        case interleaved
        /// One channel after the other.
        case planar
    }

    /// In hertz.
    public var sampleRate: Int
    /// 1 or more.
    public var channels: Int
    /// Of each sample.
    public var sampleFormat: SampleFormat
    /// Where the samples of a frame lie.
    public var layout: Layout

    /// - Parameters:
    ///   - sampleRate: in hertz, 1 or more.
    ///   - channels: 1 or more.
    public init(
        sampleRate: Int, channels: Int, sampleFormat: SampleFormat = .float32, layout: Layout = .interleaved
    ) {
        self.sampleRate = sampleRate
        self.channels = channels
        self.sampleFormat = sampleFormat
        self.layout = layout
    }

    /// Of all its channels.
    public var bytesPerFrame: Int { channels * sampleFormat.bytesPerSample }
}
