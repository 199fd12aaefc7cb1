import AudioDSP
import AudioRealtime
import Synchronization

/// Makes what is above a threshold softer: feed-forward, in decibels, with the gain of the loudest channel for all of them
/// (see `CompressorSetting`). No latency. A change is heard in the times of attack and release.
@dynamicMemberLookup
public final class Compressor: Node {
    private let group: ParameterGroup<CompressorSetting>
    private let processor: Processor
    private let reduction = Reduction()

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

    /// By how much the loudest sound is reduced at present, in decibels, 0 or more. Thread: any.
    public var reductionDecibels: Float { reduction.decibels }

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

/// A reduction on its way from the audio thread, which has its place, to whoever shows it.
@safe struct Reduction: @unchecked Sendable {
    // Sendable: what the pointer leads to is atomic, and it never changes itself.
    private let cell = Cell(Atomic<UInt32>(0))
    let place: ReductionPlace

    init() { unsafe place = ReductionPlace(bits: cell.pointer) }

    /// In decibels, 0 or more. Thread: any. Wait-free.
    var decibels: Float { place.decibels }
}

/// The bits of a number of decibels, which `Reduction` keeps: the audio thread counts no references.
@safe struct ReductionPlace: BitwiseCopyable {
    fileprivate let bits: UnsafeMutablePointer<Atomic<UInt32>>

    fileprivate var decibels: Float {
        // SAFETY: here and below, whoever has a place has the reduction too.
        unsafe Float(bitPattern: bits.pointee.load(ordering: .relaxed))
    }

    /// Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    func tell(_ decibels: Float) { unsafe bits.pointee.store(decibels.bitPattern, ordering: .relaxed) }
}

private struct Compression: AudioProcessor, ~Copyable {
    private var news: MailboxReader<CompressorSetting>
    private var state: CompressorState
    private let reduction: Reduction
    private let place: ReductionPlace

    init(_ reader: consuming ParameterReader<CompressorSetting>, _ reduction: Reduction) {
        state = CompressorState(reader.last)
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
private func compress(_ call: ProcessorCall) { call.process(Compression.self) }
