import CSampleRate

/// How sample rates are converted.
public enum ResamplingQuality: String, Sendable, CaseIterable {
    /// Straight lines between frames, which alias: for control signals.
    case linear
    /// libsamplerate's `SRC_SINC_FASTEST`.
    case fast
    /// libsamplerate's `SRC_SINC_MEDIUM_QUALITY`: for live streams.
    case medium
    /// libsamplerate's `SRC_SINC_BEST_QUALITY`: for files.
    case best

    /// As libsamplerate numbers it; `nil` for what is not its own.
    var number: Int? {
        switch self {
        case .linear: nil
        case .fast: SRC_SINC_FASTEST
        case .medium: SRC_SINC_MEDIUM_QUALITY
        case .best: SRC_SINC_BEST_QUALITY
        }
    }
}

/// How a `StreamConverter` converts.
public struct ConverterSettings: Sendable {
    public var quality: ResamplingQuality
    /// Used where the output is of integers and cannot hold what comes; never where nothing is lost.
    public var dither: Dither
    /// Of the dither's noise: the same seed, the same samples.
    public var ditherSeed: UInt64
    /// How channels are mixed; `nil` for `ChannelMatrix(from:to:)`.
    public var matrix: ChannelMatrix?
    /// Whether `setRatio` may be used. Then frames are resampled even between equal rates.
    public var variesRatio: Bool

    public init(
        quality: ResamplingQuality = .best, dither: Dither = .none, ditherSeed: UInt64 = 1,
        matrix: ChannelMatrix? = nil, variesRatio: Bool = false
    ) {
        self.quality = quality
        self.dither = dither
        self.ditherSeed = ditherSeed
        self.matrix = matrix
        self.variesRatio = variesRatio
    }
}
