import AudioDSP
import AudioRealtime
import Synchronization

/// Parameters on their way to the audio thread: set on any other thread, and read on that one, where nothing ever waits. The
/// value is a struct of what belongs together, or a number alone; it always arrives whole.
///
/// The state of a processor keeps a reader of it:
/// ```swift
/// let group = ParameterGroup<TremoloSetting>()
/// let tremolo = Processor(Tremolo(group.makeReader()), parameters: group.parameters, process: tremolo)
/// group.change { $0.depth = 0.8 }
/// ```
public final class ParameterGroup<Value: BitwiseCopyable & Sendable>: Sendable {
    private let state: Mutex<State>

    private struct State {
        var value: Value
        var readers: [Cell<MailboxWriter<Value>>] = []
    }

    /// - Parameter value: what readers get until it is changed.
    public init(_ value: Value) { state = Mutex(State(value: value)) }

    /// What the audio thread reads from its next block on. Thread: any but audio.
    public var value: Value {
        get { state.withLock { $0.value } }
        set { change { $0 = newValue } }
    }

    /// Changes parts of the value at once, and those of no other thread. Thread: any but audio.
    ///
    /// - Parameter body: must not call the group, whose lock is held: that would be a deadlock.
    public func change(_ body: (inout Value) -> Void) {
        state.withLock { state in
            body(&state.value)
            // SAFETY: here and below, only who has the lock touches the cells.
            for reader in state.readers { unsafe reader.pointer.pointee.put(state.value) }
        }
    }

    /// For the state of one processor. Any number can be made. Thread: any but audio.
    public func makeReader() -> ParameterReader<Value> {
        state.withLock { state in
            state.readers.removeAll { unsafe $0.pointer.pointee.isAbandoned }
            let mailbox = Mailbox(state.value)
            state.readers.append(Cell(mailbox.writer))
            return ParameterReader(mailbox.reader, state.value)
        }
    }

    /// How many readers are still there, after those that were gone when the last one was made.
    package var readerCount: Int { state.withLock { $0.readers.count } }
}

extension ParameterGroup where Value: ParameterSetting {
    /// As nobody has set it.
    public convenience init() { self.init(Value()) }

    /// One for each field, in their order.
    public var parameters: [Parameter] {
        Value.fields.map { field in
            Parameter(field.info) {
                field.value(in: self.value)
            } write: { value in
                self.change { field.set(value, in: &$0) }
            }
        }
    }
}

/// The end of a group of parameters that the state of a processor keeps.
@frozen public struct ParameterReader<Value: BitwiseCopyable & Sendable>: ~Copyable, Sendable {
    @usableFromInline var mailbox: MailboxReader<Value>
    @usableFromInline var last: Value

    init(_ mailbox: consuming MailboxReader<Value>, _ value: Value) {
        self.mailbox = mailbox
        last = value
    }

    /// The newest value. The compiler checks a copy of this function in each annotated caller. Thread: audio. Wait-free.
    @inlinable @inline(__always)
    public mutating func newest() -> Value {
        if let value = mailbox.take() { last = value }
        return last
    }
}
