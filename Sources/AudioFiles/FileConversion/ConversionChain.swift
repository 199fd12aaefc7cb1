/// What a conversion does to sound between reader and writer: channels and rate, gain, curve and effect, and the file's samples.
struct ConversionChain: ~Copyable {
    private var converter: StreamConverter
    private let tail: Tail?

    /// Curve and effect, and what is behind them. A class, because what cannot be copied cannot be looked at where it may be missing.
    private final class Tail {
        var stage: EffectStage
        var converter: StreamConverter

        init(_ stage: consuming EffectStage, _ converter: consuming StreamConverter) {
            self.stage = stage
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
        /// Linear: before the curve, and behind curve and effect.
        var gain = 1.0
        var lastGain = 1.0

        /// Of the output as floats, which curve and effect work on.
        var effectFormat: StreamFormat {
            StreamFormat(sampleRate: output.sampleRate, channels: output.channels)
        }
    }

    /// - Parameter effects: in a row; none where nothing but the converter changes the sound.
    init(_ plan: Plan, through effects: [any FileEffect]) throws(ConversionError) {
        var settings = plan.settings
        let matrix = plan.matrix ?? ChannelMatrix(from: plan.input.channels, to: plan.output.channels)
        let gain = effects.isEmpty ? plan.gain * plan.lastGain : plan.gain
        settings.matrix = gain == 1 ? matrix : matrix.scaled(by: gain)
        let target = effects.isEmpty ? plan.output : plan.effectFormat
        let tail = try Self.tail(plan, effects)
        converter = try StreamConverter(from: plan.input, to: target, settings)
        self.tail = tail
    }

    private static func tail(_ plan: Plan, _ effects: [any FileEffect]) throws(ConversionError) -> Tail? {
        guard !effects.isEmpty else { return nil }
        var settings = plan.settings
        let identity = ChannelMatrix(from: plan.output.channels, to: plan.output.channels)
        settings.matrix = plan.lastGain == 1 ? identity : identity.scaled(by: plan.lastGain)
        return Tail(
            EffectStage(effects, plan.effectFormat),
            try StreamConverter(from: plan.effectFormat, to: plan.output, settings))
    }

    var takenFrames: Int { converter.takenFrames }
    var clippedSamples: Int { converter.clippedSamples + (tail?.converter.clippedSamples ?? 0) }
    var nonFiniteSamples: Int {
        converter.nonFiniteSamples + (tail?.converter.nonFiniteSamples ?? 0)
            + effects.reduce(0) { $0 + $1.nonFiniteSamples }
    }
    var warnings: [String] { effects.flatMap(\.warnings) }
    var reports: [any Sendable] { effects.compactMap(\.report) }
    var failure: FileEffectError? { effects.lazy.compactMap(\.failure).first }
    private var effects: [any FileEffect] { tail?.stage.effects ?? [] }

    mutating func push<Failure: Error>(
        _ buffer: PCMBuffer, to sink: (PCMBuffer) throws(Failure) -> Void
    ) throws(Failure) {
        guard let tail else {
            _ = try converter.push(buffer, to: sink)
            return
        }
        _ = try converter.push(buffer) { made throws(Failure) in
            try tail.stage.push(made) { heard throws(Failure) in _ = try tail.converter.push(heard, to: sink) }
        }
    }

    mutating func finish<Failure: Error>(to sink: (PCMBuffer) throws(Failure) -> Void) throws(Failure) {
        guard let tail else {
            _ = try converter.finish(to: sink)
            return
        }
        _ = try converter.finish { made throws(Failure) in
            try tail.stage.push(made) { heard throws(Failure) in _ = try tail.converter.push(heard, to: sink) }
        }
        try tail.stage.finish { heard throws(Failure) in _ = try tail.converter.push(heard, to: sink) }
        _ = try tail.converter.finish(to: sink)
    }
}
