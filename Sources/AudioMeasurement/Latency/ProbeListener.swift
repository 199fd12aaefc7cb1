import Synchronization

/// The worker's part of a probe: gathers what the inputs hear into rounds of the signal, and has them estimated.
///
/// The rings are written by the audio thread and read by the worker. Where they are full the audio thread drops a
/// cycle and counts it.
package final class ProbeListener: Sendable {
    package static let wakeNanoseconds: UInt64 = 20_000_000

    private let gathering: Mutex<ProbeGathering>
    private let periodFrames = Atomic<Int>(0)
    private let hasOtherPeriod = Atomic<Bool>(false)
    /// Who waits for the gathering. The worker lets go of it for them: on a machine that estimates more slowly than it hears
    /// it would never let it go.
    private let waiting = Atomic<Int>(0)
    /// Why the server is gone, in JACK's words; `nil` while it is there.
    let lossReason = Mutex<String?>(nil)

    package init(_ gathering: consuming sending ProbeGathering) { self.gathering = Mutex(gathering) }

    /// Drops what was heard and begins again, when the way is made. Thread: control.
    ///
    /// - Parameter periodFrames: the server's present one.
    package func begin(periodFrames: Int) {
        withGathering { gathering in
            self.periodFrames.store(periodFrames, ordering: .relaxed)
            hasOtherPeriod.store(false, ordering: .relaxed)
            gathering.begin()
        }
    }

    /// Leaves out what was heard lately: another sound was in it, or another way. Thread: worker or control.
    package func disturb() { withGathering { $0.disturb() } }

    /// Takes nothing of what is heard from now on. Thread: control.
    func end() { withGathering { $0.end() } }

    /// Notes the server's period: with another one the way has perhaps another length. JACK announces
    /// it at each activation too, to each client of a probe. Thread: notification.
    package func notePeriod(_ frames: Int) {
        guard periodFrames.exchange(frames, ordering: .relaxed) != frames else { return }
        hasOtherPeriod.store(true, ordering: .relaxed)
    }

    /// Gathers what has been heard until now. Thread: worker or control.
    package func collect() {
        gathering.withLock { gathering in
            if hasOtherPeriod.exchange(false, ordering: .relaxed) { gathering.restart() }
            gathering.collect { waiting.load(ordering: .relaxed) > 0 }
        }
    }

    /// Asks for something that was found out.
    package func ask<Answer: Sendable>(_ question: (borrowing ProbeGathering) -> Answer) -> Answer {
        withGathering { question($0) }
    }

    private func withGathering<Answer: Sendable>(_ body: (inout ProbeGathering) -> Answer) -> Answer {
        waiting.add(1, ordering: .relaxed)
        defer { waiting.subtract(1, ordering: .relaxed) }
        return gathering.withLock { body(&$0) }
    }
}
