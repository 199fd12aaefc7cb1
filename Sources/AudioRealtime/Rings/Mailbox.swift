import AudioDSP
import Synchronization

/// The newest value of something, on its way from one thread to another. A value that was not taken yet gives way to the next
/// one, so nothing can be full; the reader always takes a whole value.
///
/// Three slots: one is the writer's, one the reader's, and the third changes hands. Wait-free at both ends.
@frozen package struct Mailbox<Value: BitwiseCopyable>: ~Copyable {
    package var writer: MailboxWriter<Value>
    package var reader: MailboxReader<Value>

    package init(_ value: Value) {
        let memory = MailboxMemory(value)
        writer = MailboxWriter(memory)
        reader = MailboxReader(memory)
    }
}

/// The memory of a mailbox. Each end keeps it; the audio thread never touches the reference.
@safe @usableFromInline final class MailboxMemory<Value: BitwiseCopyable>: @unchecked Sendable {
    // Sendable: only addresses are read from it, and they never change.
    let slots: Row<Value>
    let shared = Cell(MailboxSlot())

    init(_ value: Value) { slots = Row([value, value, value]) }
}

/// The number of the slot that changes hands; 4 is added while its value is newer than the reader's.
@frozen @usableFromInline struct MailboxSlot: ~Copyable {
    @inlinable static var isNew: UInt8 { @_noLocks @_noAllocation get { 4 } }
    @usableFromInline let number = Atomic<UInt8>(1)
}

/// The end of a mailbox that values are put into, by one thread at a time.
@safe package struct MailboxWriter<Value: BitwiseCopyable>: ~Copyable, @unchecked Sendable {
    // Sendable: it cannot be copied, so that only the thread that holds it writes, into the slot whose number it has: numbers are
    // exchanged by an atomic.
    private var memory: MailboxMemory<Value>
    private var slot: UInt8 = 0

    fileprivate init(_ memory: MailboxMemory<Value>) { self.memory = memory }

    /// Whether the other end is gone. Thread: control.
    package var isAbandoned: Bool { mutating get { isKnownUniquelyReferenced(&memory) } }

    /// Thread: control. Wait-free.
    package mutating func put(_ value: Value) {
        // SAFETY: the slot is ours until it is exchanged. Release: the value is visible before its number is. Acquire: the
        // reader is done with the slot that comes back.
        unsafe memory.slots.base[Int(slot)] = value
        let last = unsafe memory.shared.pointer.pointee.number.exchange(
            slot | MailboxSlot.isNew, ordering: .acquiringAndReleasing)
        slot = last & ~MailboxSlot.isNew
    }
}

/// The end of a mailbox that values are taken from, by one thread at a time.
@safe @frozen @usableFromInline package struct MailboxReader<Value: BitwiseCopyable>: ~Copyable, @unchecked Sendable {
    // Sendable: it cannot be copied, so that only the thread that holds it reads, from the slot whose number it has and which the
    // writer does not touch before an atomic exchange has given that number back.
    @usableFromInline let memory: MailboxMemory<Value>
    @usableFromInline let slots: UnsafeMutablePointer<Value>
    @usableFromInline let shared: UnsafeMutablePointer<MailboxSlot>
    @usableFromInline var slot: UInt8 = 2

    fileprivate init(_ memory: MailboxMemory<Value>) {
        self.memory = memory
        unsafe slots = memory.slots.base
        unsafe shared = memory.shared.pointer
    }

    // Inlined: the compiler checks a copy in each annotated caller that names the value's type, another module's too.

    @inlinable @inline(__always)
    package var isNew: Bool {
        // SAFETY: here and below, the memory outlives both ends.
        unsafe shared.pointee.number.load(ordering: .relaxed) & MailboxSlot.isNew != 0
    }

    /// The newest value, where there is a newer one than was taken last. Wait-free.
    @inlinable @inline(__always)
    package mutating func take() -> Value? { takeNew() }

    @inlinable @inline(__always)
    package mutating func takeNew() -> Value? {
        guard isNew else { return nil }
        // Acquire: the value is visible. Release: we are done with the slot that goes back.
        let last = unsafe shared.pointee.number.exchange(slot, ordering: .acquiringAndReleasing)
        slot = last & ~MailboxSlot.isNew
        return unsafe slots[Int(slot)]
    }
}

// What this module's audio thread calls, at the types that it has: see `Ring`.

extension MailboxReader where Value == ShaperSetting {
    /// Whether there is a newer value than was taken last: all that most blocks ask.
    var hasNew: Bool { @_noLocks @_noAllocation get { isNew } }

    @_noLocks @_noAllocation
    mutating func take() -> ShaperSetting? { takeNew() }
}

extension MailboxReader where Value == EqualiserSetting {
    @_noLocks @_noAllocation
    mutating func take() -> EqualiserSetting? { takeNew() }
}
