import AudioFigures
import AudioRealtime

/// What was recorded while stalls were injected.
struct CalibrationLog: Sendable {
    var sampleRate: Int
    var periodFrames: Int
    /// Records of the unit that is measured, and of the sentinel beside it.
    var own: [CycleRecord] = []
    var sentinel: [CycleRecord] = []
    var injections: [Injection] = []

    var periodNanoseconds: Double { Double(periodFrames) / Double(sampleRate) * 1e9 }

    /// Our last cycle that began before a stall or with it.
    func cycle(before stall: Stall) -> Int? {
        own.lastIndex { $0.entryNanoseconds <= stall.beginNanoseconds }
    }

    /// Whether a stop of the server hit it while it woke its clients: it had woken the sentinel and not yet us. That is a
    /// late client before us, as far as anybody can tell.
    func cutsCycle(_ injection: Injection) -> Bool {
        guard injection.cause == .wakeup else { return false }
        let middle = injection.stall.beginNanoseconds + injection.stall.nanoseconds / 2
        func lastCycle(_ records: [CycleRecord]) -> UInt32? {
            records.last { $0.entryNanoseconds < middle }?.frameTime
        }
        return lastCycle(own) != lastCycle(sentinel)
    }

    /// How long after our next callback was due the stall was over: how late it must have been.
    func expectedLateNanoseconds(_ stall: Stall) -> Int64 {
        guard let index = cycle(before: stall) else { return 0 }
        let due = own[index].entryNanoseconds + UInt64(periodNanoseconds)
        return max(0, Int64(stall.endNanoseconds) - Int64(due))
    }

    /// Whether the cycle that a stall put off was followed by the next at once, which makes up for a period. In async mode the
    /// server begins that one whether we are ready or not, and we may miss it.
    func isMadeUp(after stall: Stall) -> Bool {
        guard let index = cycle(before: stall), index + 2 < own.count else { return true }
        let pause = own[index + 2].entryNanoseconds - own[index + 1].entryNanoseconds
        return Double(pause) < periodNanoseconds / 2
    }

    /// The cycles that tell what a stall cost: those that it lies in, and as many around it as an account of lost time
    /// looks at.
    func neighbourhood(of stall: Stall) -> ClosedRange<UInt64> {
        let around = UInt64(Double(CalibrationPlan.quietPeriods / 2) * periodNanoseconds)
        return stall.beginNanoseconds - around...stall.endNanoseconds + around
    }
}

/// A stall that was caused on purpose, as it was measured where it was caused. On the monotonic clock.
struct Stall: Sendable, Equatable {
    var beginNanoseconds: UInt64
    var endNanoseconds: UInt64

    var nanoseconds: UInt64 { endNanoseconds - beginNanoseconds }
}

/// A stall, and who is to be blamed for it.
struct Injection: Sendable, Equatable {
    var stall: Stall
    /// `own`, `upstream`, or `wakeup` where the server was stopped.
    var cause: Blame
}
