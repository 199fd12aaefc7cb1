import AudioDSP
import AudioRealtime
import Synchronization
import Threads

/// The worker's part of a probe: gathers what the inputs hear into rounds of the signal, and has them estimated.
///
/// The rings are written by the audio thread and read by the worker. Where they are full the audio thread drops a
/// cycle and counts it.
final class ProbeListener: Sendable {
    private static let wakeNanoseconds: UInt64 = 20_000_000

    private let gathering: Mutex<ProbeGathering>
    private let hasOtherPeriod = Atomic<Bool>(false)
    private let isStopping = Atomic<Bool>(false)

    init(_ gathering: consuming sending ProbeGathering) { self.gathering = Mutex(gathering) }

    /// Drops what was heard and begins anew, when the way is made. Thread: control.
    func begin() {
        gathering.withLock { gathering in
            // JACK tells the period when a client is activated too; that is no other one.
            hasOtherPeriod.store(false, ordering: .relaxed)
            gathering.begin()
        }
    }

    /// The server has another period, and the way perhaps another length. Thread: notification.
    func notePeriod() { hasOtherPeriod.store(true, ordering: .relaxed) }

    /// Gathers on an absolute timer until `stop` is called. Thread: worker.
    func run() {
        var wake = MonotonicClock.nanoseconds()
        while !isStopping.load(ordering: .relaxed) {
            collect()
            wake = max(wake + Self.wakeNanoseconds, MonotonicClock.nanoseconds())
            MonotonicClock.sleep(until: wake)
        }
    }

    func stop() { isStopping.store(true, ordering: .relaxed) }

    /// Gathers what has been heard until now. Thread: worker or control.
    func collect() {
        gathering.withLock { gathering in
            if hasOtherPeriod.exchange(false, ordering: .relaxed) { gathering.restart() }
            gathering.collect()
        }
    }

    /// Asks for something that was found out.
    func ask<Answer: Sendable>(_ question: (borrowing ProbeGathering) -> Answer) -> Answer {
        gathering.withLock { question($0) }
    }
}
