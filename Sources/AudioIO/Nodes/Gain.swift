import AudioDSP
import AudioRealtime

/// Makes what it hears louder or softer. A change is a ramp.
public final class Gain: Node {
    /// Linear.
    private let gain: ParameterGroup<Float>
    private let processor: Processor

    /// - Parameters:
    ///   - decibels: −120…60; what lies outside is moved to the nearest end.
    ///   - channels: 1…256; `nil` for as many as the engine has outputs.
    public convenience init(decibels: Double = 0, channels: Int? = nil) {
        self.init(linear: Decibels.linear(Self.limited(decibels) ?? 0), channels: channels)
    }

    /// - Parameters:
    ///   - linear: 0…1000; what lies outside is moved to the nearest end. 0 is silence.
    ///   - channels: 1…256; `nil` for as many as the engine has outputs.
    public init(linear: Double, channels: Int? = nil) {
        let gain = ParameterGroup(Float(max(0, min(linear, Decibels.linear(Decibels.range.upperBound)))))
        self.gain = gain
        let parameter = Parameter(Self.info) {
            .number(gain.decibels)
        } write: { value in
            if let decibels = value.number { gain.decibels = decibels }
        }
        processor = Processor(
            "gain", parameters: [parameter], channels: channels, nature: .oursWithoutMemory, process: scale
        ) { Scaling(gain.makeReader(), rampMilliseconds: $0.rampMilliseconds) }
    }

    public var core: NodeCore { processor.core }
    /// `gain`, in decibels.
    public var parameters: [Parameter] { processor.parameters }

    /// In decibels, −120…60; what lies outside is moved to the nearest end, NaN changes nothing. Silence is −∞.
    public var decibels: Double {
        get { gain.decibels }
        set { gain.decibels = newValue }
    }

    /// Linear, 0 or more; 0 is silence. What is below 0 or no number changes nothing.
    public var linear: Double {
        get { Double(gain.value) }
        set { if newValue >= 0 { gain.value = Float(min(newValue, Decibels.linear(Decibels.range.upperBound))) } }
    }

    /// Moved into the range; `nil` of what is no number.
    static func limited(_ decibels: Double) -> Double? {
        decibels.isNaN ? nil : max(Decibels.range.lowerBound, min(decibels, Decibels.range.upperBound))
    }

    package static let info = ParameterInfo.number("gain", "gain", Decibels.range, unit: "dB", span: -60...12)
}

extension ParameterGroup<Float> {
    fileprivate var decibels: Double {
        get { Decibels.decibels(Double(value)) }
        set { if let decibels = Gain.limited(newValue) { value = Float(Decibels.linear(decibels)) } }
    }
}

private struct Scaling: AudioProcessor, ~Copyable {
    private var news: MailboxReader<Float>
    private var ramp: Ramp
    private let rampMilliseconds: Double

    init(_ reader: consuming ParameterReader<Float>, rampMilliseconds: Double) {
        ramp = Ramp(reader.last)
        news = reader.mailbox
        self.rampMilliseconds = rampMilliseconds
    }

    mutating func process(_ block: borrowing ProcessorBlock) {
        if let gain = news.take(), gain != ramp.target {
            ramp.move(to: gain, over: Ramp.frames(milliseconds: rampMilliseconds, sampleRate: block.sampleRate))
        }
        for channel in 0..<block.channels { block.run(channel).applyGain(ramp) }
        ramp.advance(by: block.frames)
    }

    mutating func reset(sampleRate: Int) { ramp = Ramp(news.take() ?? ramp.target) }
}

@_noLocks @_noAllocation
private func scale(_ call: ProcessorCall) { call.process(Scaling.self) }
