import AudioDSP
import AudioRealtime
import Synchronization

/// A feed-forward compressor. All channels get the gain of the loudest one. It has no latency. A change of its setting takes
/// effect within the attack and release times.
@dynamicMemberLookup
public final class Compressor: Node {
    private let group: ParameterGroup<CompressorSetting>
    private let processor: Processor
    private let reduction = Cell(Reduction())

    /// - Parameters:
    ///   - setting: its threshold, ratio, knee, times and make-up gain.
    ///   - channels: 1…256; `nil` for as many as the engine has outputs.
    public init(_ setting: CompressorSetting = CompressorSetting(), channels: Int? = nil) {
        let group = ParameterGroup(setting)
        self.group = group
        processor = Processor(
            "compressor", parameters: group.parameters, channels: channels, process: compress
        ) { [reduction] _ in Compression(group.makeReader(), reduction) }
    }

    public var core: NodeCore { processor.core }
    public var parameters: [Parameter] { processor.parameters }

    /// The present gain reduction in decibels, 0 or more. Thread: any.
    public var reductionDecibels: Float { unsafe reduction.pointer.pointee.decibels }

    /// All that can be set, at once. Thread: any but audio.
    public var setting: CompressorSetting {
        get { group.value }
        set { group.value = newValue }
    }

    /// What can be set of it. Thread: any but audio.
    public subscript<Value>(dynamicMember path: WritableKeyPath<CompressorSetting, Value>) -> Value {
        get { group.value[keyPath: path] }
        set { group.change { $0[keyPath: path] = newValue } }
    }
}

/// The gain reduction that the audio thread publishes for meters, in decibels, 0 or more.
struct Reduction: ~Copyable {
    private let bits = Atomic<UInt32>(0)

    /// Thread: any. Wait-free.
    var decibels: Float { Float(bitPattern: bits.load(ordering: .relaxed)) }

    /// Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    func publish(_ decibels: Float) { bits.store(decibels.bitPattern, ordering: .relaxed) }
}

private struct Compression: AudioProcessor, ~Copyable {
    private var news: MailboxReader<CompressorSetting>
    private var state: CompressorState
    private let reduction: Cell<Reduction>

    init(_ reader: consuming ParameterReader<CompressorSetting>, _ reduction: Cell<Reduction>) {
        state = CompressorState(reader.last)
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
private func compress(_ call: ProcessorCall) { call.process(Compression.self) }
