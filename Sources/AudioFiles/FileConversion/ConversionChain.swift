/// What a conversion does to sound between reader and writer: channels and rate, gain, curve, and the file's samples.
struct ConversionChain: ~Copyable {
    private var converter: StreamConverter
    private let tail: Tail?

    /// The curve, and what is behind it. A class, because what cannot be copied cannot be looked at where it may be missing.
    private final class Tail {
        var shaper: FileShaper
        var converter: StreamConverter

        init(_ shaper: consuming FileShaper, _ converter: consuming StreamConverter) {
            self.shaper = shaper
            self.converter = converter
        }
    }

    /// What a chain is made for.
    struct Plan {
        var input: StreamFormat
        var output: StreamFormat
        /// Of the channels; `nil` for the usual ones.
        var matrix: ChannelMatrix?
        var settings: ConverterSettings
        /// Linear: before the curve, and behind it.
        var gain = 1.0
        var lastGain = 1.0
        var shaping: FileShaping?

        /// Of the output as floats, which the curve works on.
        var shapedFormat: StreamFormat {
            StreamFormat(sampleRate: output.sampleRate, channels: output.channels)
        }
    }

    init(_ plan: Plan) throws(ConversionError) {
        var settings = plan.settings
        let matrix = plan.matrix ?? ChannelMatrix(from: plan.input.channels, to: plan.output.channels)
        let gain = plan.shaping == nil ? plan.gain * plan.lastGain : plan.gain
        settings.matrix = gain == 1 ? matrix : try matrix.scaled(by: gain)
        let target = plan.shaping == nil ? plan.output : plan.shapedFormat
        let tail = try Self.tail(plan)
        converter = try StreamConverter(from: plan.input, to: target, settings)
        self.tail = tail
    }

    private static func tail(_ plan: Plan) throws(ConversionError) -> Tail? {
        guard let shaping = plan.shaping else { return nil }
        var settings = plan.settings
        let identity = ChannelMatrix(from: plan.output.channels, to: plan.output.channels)
        settings.matrix = plan.lastGain == 1 ? identity : try identity.scaled(by: plan.lastGain)
        return Tail(
            FileShaper(shaping, plan.shapedFormat),
            try StreamConverter(from: plan.shapedFormat, to: plan.output, settings))
    }

    var takenFrames: Int { converter.takenFrames }
    var clippedSamples: Int { converter.clippedSamples + (tail?.converter.clippedSamples ?? 0) }
    var nonFiniteSamples: Int { converter.nonFiniteSamples + (tail?.converter.nonFiniteSamples ?? 0) }

    mutating func push<Failure: Error>(
        _ buffer: PCMBuffer, to sink: (PCMBuffer) throws(Failure) -> Void
    ) throws(Failure) {
        guard let tail else {
            _ = try converter.push(buffer, to: sink)
            return
        }
        _ = try converter.push(buffer) { made throws(Failure) in
            try tail.shaper.push(made) { shaped throws(Failure) in _ = try tail.converter.push(shaped, to: sink) }
        }
    }

    mutating func finish<Failure: Error>(to sink: (PCMBuffer) throws(Failure) -> Void) throws(Failure) {
        guard let tail else {
            _ = try converter.finish(to: sink)
            return
        }
        _ = try converter.finish { made throws(Failure) in
            try tail.shaper.push(made) { shaped throws(Failure) in _ = try tail.converter.push(shaped, to: sink) }
        }
        try tail.shaper.finish { shaped throws(Failure) in _ = try tail.converter.push(shaped, to: sink) }
        _ = try tail.converter.finish(to: sink)
    }
}
