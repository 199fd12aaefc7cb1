import AudioRealtime
import Synchronization

/// A value on its way to processors of the user's own: set on any thread but the audio thread, and read on that one, where
/// nothing ever waits. A number, or a struct of numbers that belong together; it always arrives whole.
///
/// The state of a processor keeps a reader of it:
/// ```swift
/// let depth = ProcessorParameter<Float>(0.5)
/// let tremolo = Processor(Tremolo(depth: depth.makeReader()), process: tremolo)
/// depth.value = 0.8
/// ```
public final class ProcessorParameter<Value: BitwiseCopyable & Sendable>: Sendable {
    private let state: Mutex<State>

    private struct State {
        var value: Value
        var readers: [Cell<MailboxWriter<Value>>] = []
    }

    /// - Parameter value: what readers get until it is changed.
    public init(_ value: Value) { state = Mutex(State(value: value)) }

    /// What the processors read from their next block on. Thread: any but audio.
    public var value: Value {
        get { state.withLock { $0.value } }
        set {
            state.withLock { state in
                state.value = newValue
                // SAFETY: here and below, only who has the lock touches the cells.
                for reader in state.readers { unsafe reader.pointer.pointee.put(newValue) }
            }
        }
    }

    /// For the state of one processor. Any number can be made. Thread: any but audio.
    public func makeReader() -> ProcessorParameterReader<Value> {
        state.withLock { state in
            state.readers.removeAll { unsafe $0.pointer.pointee.isAbandoned }
            let mailbox = Mailbox(state.value)
            state.readers.append(Cell(mailbox.writer))
            return ProcessorParameterReader(mailbox.reader, state.value)
        }
    }

    /// How many readers are still there, after those that were gone when the last one was made.
    package var readerCount: Int { state.withLock { $0.readers.count } }
}

/// The end of a parameter that the state of a processor keeps.
@frozen public struct ProcessorParameterReader<Value: BitwiseCopyable & Sendable>: ~Copyable, Sendable {
    @usableFromInline var mailbox: MailboxReader<Value>
    @usableFromInline var last: Value

    init(_ mailbox: consuming MailboxReader<Value>, _ value: Value) {
        self.mailbox = mailbox
        last = value
    }

    /// The newest value. The compiler checks a copy of this function in each annotated caller. Thread: audio. Wait-free.
    @inlinable @inline(__always)
    public mutating func newest() -> Value {
        if let value = mailbox.takeNew() { last = value }
        return last
    }
}
