import AudioDSP
import AudioRealtime
import Synchronization

/// Keeps the true peak of the sound below a ceiling, by looking ahead: 107 frames at 48 kHz, which is its latency, and which the
/// engine makes up for in parallel ways (see `LimiterSetting`). All channels have the same gain.
@dynamicMemberLookup
public final class Limiter: Node {
    private let group: ParameterGroup<LimiterSetting>
    private let processor: Processor
    private let reduction = Reduction()

    /// - Parameters:
    ///   - setting: its ceiling and its release.
    ///   - channels: 1…256; `nil` for as many as the engine has outputs.
    public init(_ setting: LimiterSetting = LimiterSetting(), channels: Int? = nil) {
        let group = ParameterGroup(setting)
        let latency = Latency()
        self.group = group
        processor = Processor(
            "limiter", parameters: group.parameters, channels: channels, latencyFrames: { latency.frames },
            process: limit
        ) { [reduction] format in
            latency.set(sampleRate: format.sampleRate)
            return Limitation(group.makeReader(), format, reduction)
        }
    }

    public var core: NodeCore { processor.core }
    public var parameters: [Parameter] { processor.parameters }

    /// How much later the sound leaves than it came, in frames: that of the engine's sample rate when it was attached.
    public var latencyFrames: Int { core.driver.latencyFrames }

    /// By how much the sound is reduced at present, in decibels, 0 or more. Thread: any.
    public var reductionDecibels: Float { reduction.decibels }

    /// All that can be set, at once. Thread: any but audio.
    public var setting: LimiterSetting {
        get { group.value }
        set { group.value = newValue }
    }

    /// What can be set of it. Thread: any but audio.
    public subscript<Value>(dynamicMember path: WritableKeyPath<LimiterSetting, Value>) -> Value {
        get { group.value[keyPath: path] }
        set { group.change { $0[keyPath: path] = newValue } }
    }

    private final class Latency: Sendable {
        private let value = Atomic(LimiterState.latencyFrames(sampleRate: 48_000))

        var frames: Int { value.load(ordering: .relaxed) }

        func set(sampleRate: Int) {
            value.store(LimiterState.latencyFrames(sampleRate: sampleRate), ordering: .relaxed)
        }
    }
}

private struct Limitation: AudioProcessor, ~Copyable {
    private var news: MailboxReader<LimiterSetting>
    private var state: LimiterState
    private let reduction: Reduction
    private let place: ReductionPlace

    init(_ reader: consuming ParameterReader<LimiterSetting>, _ format: NodeFormat, _ reduction: Reduction) {
        state = LimiterState(reader.last, channels: format.channels, sampleRate: format.sampleRate)
        news = reader.mailbox
        self.reduction = reduction
        place = reduction.place
    }

    mutating func process(_ block: borrowing ProcessorBlock) {
        if let setting = news.takeRealtime() { state.change(to: setting) }
        state.process(block)
        place.tell(state.reductionDecibels)
    }

    mutating func reset(sampleRate: Int) { state.reset() }
}

@_noLocks @_noAllocation
private func limit(_ call: ProcessorCall) { call.process(Limitation.self) }
