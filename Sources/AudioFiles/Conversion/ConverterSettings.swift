/// How sample rates are converted.
///
/// The figures are the worst of 48 → 16, 44.1 → 48, 48 → 44.1 and 96 → 48 kHz (`Tools/bench convert`): THD+N of 997 Hz,
/// what is left of aliases and images, and the −3 dB point, of half of the lower rate.
public enum ResamplingQuality: String, Sendable, CaseIterable {
    /// Straight lines between frames, which alias: for control signals.
    case linear
    /// libsamplerate's `SRC_SINC_FASTEST`: −103 dB, −96 dB, 0.80.
    case fast
    /// libsamplerate's `SRC_SINC_MEDIUM_QUALITY`, for live streams: −136 dB, −113 dB, 0.91.
    case medium
    /// libsoxr's 28 bits, for files: −150 dB, −150 dB, 0.96, in a fifth of the time of `medium`. It works in steps of
    /// thousands of frames, and allocates until its queues have grown. A ratio that varies it does not have: there it is
    /// libsamplerate's `SRC_SINC_BEST_QUALITY`.
    case best
}

/// How a `StreamConverter` converts.
public struct ConverterSettings: Sendable {
    /// Of the conversion to another rate.
    public var quality: ResamplingQuality
    /// Used where the output is of integers and cannot hold what comes; never where nothing is lost.
    public var dither: Dither
    /// Of the dither's noise: the same seed, the same samples.
    public var ditherSeed: UInt64
    /// How channels are mixed; `nil` for `ChannelMatrix(from:to:)`.
    public var matrix: ChannelMatrix?
    /// Whether `setRatio` may be used. Then frames are resampled even between equal rates.
    public var variesRatio: Bool

    /// The best quality, no dither and the usual matrix, unless something else is asked for.
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

extension ConverterSettings {
    /// Whether frames are made of others on the way from one format to the other.
    func resamples(_ input: StreamFormat, _ output: StreamFormat) -> Bool {
        input.sampleRate != output.sampleRate || variesRatio
    }

    /// - Throws: `unsupportedRate`, `unsupportedChannels` where one format cannot be converted to the other.
    func check(_ input: StreamFormat, _ output: StreamFormat) throws(ConversionError) {
        guard StreamConverter.canConvert(from: input.sampleRate, to: output.sampleRate) else {
            throw ConversionError(
                .unsupportedRate,
                "\(input.sampleRate) to \(output.sampleRate) hertz is out of range; rates may differ by a factor of 256"
            )
        }
        // What libsamplerate takes.
        let limit = resamples(input, output) && quality != .linear ? 128 : 1024
        guard input.channels >= 1, output.channels >= 1, max(input.channels, output.channels) <= 1024,
            min(input.channels, output.channels) <= limit
        else {
            throw ConversionError(
                .unsupportedChannels,
                "\(input.channels) to \(output.channels) channels; 1 to \(limit) can be converted"
                    + (limit < 1024 ? ", and up to 1024 by the resampler linear" : ""))
        }
        guard let matrix else { return }
        guard matrix.inputs == input.channels && matrix.outputs == output.channels else {
            throw ConversionError(
                .unsupportedChannels,
                "the matrix is for \(matrix.inputs) to \(matrix.outputs) channels, and they are \(input.channels) to"
                    + " \(output.channels)")
        }
    }
}
