import AudioDSP
import AudioRealtime

/// A true-peak limiter with look-ahead. Its latency is 119 frames; the engine delays parallel paths by as much. All channels
/// get the same gain.
@dynamicMemberLookup
public final class Limiter: Node {
    private let group: ParameterGroup<LimiterSetting>
    private let processor: Processor
    private let reduction = Cell(Reduction())

    /// - Parameters:
    ///   - setting: its ceiling and its release.
    ///   - channels: 1…256; `nil` for as many as the engine has outputs.
    public init(_ setting: LimiterSetting = LimiterSetting(), channels: Int? = nil) {
        let group = ParameterGroup(setting)
        self.group = group
        processor = Processor(
            "limiter", parameters: group.parameters, channels: channels, latencyFrames: { Limiter.latencyFrames },
            process: limit
        ) { [reduction] format in
            Limitation(group.makeReader(), channels: format.channels, reduction)
        }
    }

    public var core: NodeCore { processor.core }
    public var parameters: [Parameter] { processor.parameters }

    /// The latency in frames, at any sample rate.
    public static let latencyFrames = LimiterState.latencyFrames

    /// The present gain reduction in decibels, 0 or more. Thread: any.
    public var reductionDecibels: Float { unsafe reduction.pointer.pointee.decibels }

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
}

private struct Limitation: AudioProcessor, ~Copyable {
    private var news: MailboxReader<LimiterSetting>
    private var state: LimiterState
    private let reduction: Cell<Reduction>

    init(_ reader: consuming ParameterReader<LimiterSetting>, channels: Int, _ reduction: Cell<Reduction>) {
        state = LimiterState(reader.last, channels: channels)
        news = reader.mailbox
        self.reduction = reduction
    }

    mutating func process(_ block: borrowing ProcessorBlock) {
        if let setting = news.take() { state.change(to: setting) }
        state.process(block)
        // SAFETY: the cell is kept, and what it has is atomic.
        unsafe reduction.pointer.pointee.publish(state.reductionDecibels)
    }

    mutating func reset(sampleRate: Int) {
        if let setting = news.take() { state.change(to: setting) }
        state.reset()
    }
}

@_noLocks @_noAllocation
private func limit(_ call: ProcessorCall) { call.process(Limitation.self) }
