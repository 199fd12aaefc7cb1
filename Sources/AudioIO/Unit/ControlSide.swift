import AudioRealtime
import Jack
import Synchronization

/// What a unit shares with its collector and with JACK's notification thread.
///
/// An object of its own: neither thread holds the unit, not even for a moment, or the unit could end on one of them,
/// and its end waits for both.
final class ControlSide: Sendable {
    /// Of the cycles.
    let telemetry: Telemetry
    let xruns = Atomic<UInt64>(0)
    /// The sum of the delays that JACK named with them.
    let xrunDelayNanoseconds = Atomic<UInt64>(0)
    /// How often the server began to freewheel.
    let freewheelings = Atomic<Int>(0)
    let isCounting = Atomic<Bool>(false)
    private let listener = Mutex(Listener())
    /// In JACK's words; empty while the server is there.
    let shutdownReason = Mutex("")

    /// A value around the function: a lock that holds a bare function wraps it once more whenever it is read, and in the
    /// end a call of it overflows the stack.
    private struct Listener {
        var hear: (@Sendable (Notification) -> Void)?
    }

    init(records: consuming Consumer<CycleRecord>) { telemetry = Telemetry(records) }

    /// - Parameter hear: called on JACK's notification thread with all that JACK says, from one start to the next.
    func listen(_ hear: @escaping @Sendable (Notification) -> Void) { listener.withLock { $0.hear = hear } }

    /// Thread: notification.
    func tell(_ notification: Notification) { listener.withLock { $0.hear }?(notification) }

    func noteXrun(delayMicroseconds: Double) {
        guard isCounting.load(ordering: .relaxed) else { return }
        xruns.add(1, ordering: .relaxed)
        xrunDelayNanoseconds.add(UInt64(max(0, min(delayMicroseconds, 1e12)) * 1000), ordering: .relaxed)
    }
}
