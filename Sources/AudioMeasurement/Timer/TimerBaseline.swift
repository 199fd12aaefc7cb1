import AudioFigures
import Jack
import Synchronization
import Threads

/// A thread that only wakes once a period and notes how late it was, as cyclictest does: what the kernel costs without
/// JACK.
///
/// It sleeps until absolute times. A period that it slept through is left out, and the next one that is still to come
/// is waited for; the interval then has both periods in it.
public final class TimerBaseline: Sendable {
    private let work: Work
    private let worker: Worker

    private final class Work: Sendable {
        let isStopping = Atomic<Bool>(false)
        let account: Mutex<TimerAccount>
        let scheduling = Mutex<Scheduling?>(nil)

        init(_ account: TimerAccount) { self.account = Mutex(account) }

        func run(periodFrames: UInt64, sampleRate: UInt64, scheduling wanted: Scheduling?) {
            wanted?.request()
            scheduling.withLock { $0 = Scheduling.ofThisThread }
            let start = MonotonicClock.nanoseconds()
            let schedule = TimerSchedule(startNanoseconds: start, periodFrames: periodFrames, sampleRate: sampleRate)
            var number: UInt64 = 1
            while !isStopping.load(ordering: .relaxed) {
                let deadline = schedule.deadline(number)
                MonotonicClock.sleep(until: deadline)
                let time = MonotonicClock.nanoseconds()
                account.withLock { $0.wake(at: time, deadline: deadline) }
                number = schedule.number(after: MonotonicClock.nanoseconds(), behind: number)
            }
        }
    }

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - periodFrames: how often it wakes, 1…8192.
    ///   - sampleRate: in hertz, 1 to 768000.
    ///   - scheduling: as the audio thread's that it is held against; `nil` for what the caller has. What the kernel
    ///     gave is in the report.
    /// - Throws: `invalidRequest`; `resources` where the machine has no more threads to give.
    ///
    /// Thread: control.
    public init(periodFrames: Int, sampleRate: Int, scheduling: Scheduling?) throws(JackError) {
        guard (1...8192).contains(periodFrames), (1...768_000).contains(sampleRate) else {
            throw JackError(
                .invalidRequest, "start a timer of \(periodFrames) frames at \(sampleRate) Hz",
                "use 1 to 8192 frames and 1 to 768000 Hz")
        }
        let work = Work(TimerAccount(nominalNanoseconds: Double(periodFrames) / Double(sampleRate) * 1e9))
        self.work = work
        worker = try Worker.start("iounit-timer") {
            work.run(periodFrames: UInt64(periodFrames), sampleRate: UInt64(sampleRate), scheduling: scheduling)
        }
    }

    deinit { stop() }

    /// What was measured so far. Ask after `stop`: the thread may be late where it is asked while it runs.
    public var report: BaselineReport {
        let scheduling = work.scheduling.withLock { $0 }
        return work.account.withLock { $0 }.report(scheduling: scheduling.map(SchedulingFacts.init))
    }

    /// Ends the thread, within a period. Calling it again does nothing. Thread: control.
    public func stop() {
        work.isStopping.store(true, ordering: .relaxed)
        worker.join()
    }
}

/// When a thread is to wake that runs once a period: at the start plus whole periods, to the nanosecond, without a
/// rounding that adds up.
struct TimerSchedule: Sendable {
    let startNanoseconds: UInt64
    let periodFrames: UInt64
    let sampleRate: UInt64

    /// The time of a period's start, in nanoseconds. The start of period 0 is that of the schedule.
    func deadline(_ number: UInt64) -> UInt64 {
        let (seconds, frames) = (number * periodFrames).quotientAndRemainder(dividingBy: sampleRate)
        return startNanoseconds + seconds * 1_000_000_000 + frames * 1_000_000_000 / sampleRate
    }

    /// The first period that begins after a time, and after another one: those between were missed.
    func number(after time: UInt64, behind previous: UInt64) -> UInt64 {
        if deadline(previous + 1) > time { return previous + 1 }
        let (seconds, nanoseconds) = (time - startNanoseconds).quotientAndRemainder(dividingBy: 1_000_000_000)
        var number = (seconds * sampleRate + nanoseconds * sampleRate / 1_000_000_000) / periodFrames
        while deadline(number) <= time { number += 1 }
        return number
    }
}

/// The account of a timer thread: how late it woke, and how regularly.
struct TimerAccount: Sendable {
    let nominalNanoseconds: Double
    private var lateness = Histogram()
    private var interval = Histogram()
    private var deviation = Histogram()
    private var last: UInt64?

    init(nominalNanoseconds: Double) { self.nominalNanoseconds = nominalNanoseconds }

    /// - Parameters:
    ///   - time: when the thread woke.
    ///   - deadline: when it was to; never later.
    mutating func wake(at time: UInt64, deadline: UInt64) {
        lateness.record(Int64(clamping: time - deadline))
        if let last {
            let passed = time - last
            interval.record(Int64(clamping: passed))
            deviation.record(Int64(abs(Double(passed) - nominalNanoseconds).rounded()))
        }
        last = time
    }

    func report(scheduling: SchedulingFacts?) -> BaselineReport {
        BaselineReport(
            nominalNanoseconds: nominalNanoseconds, cycles: lateness.count, interval: interval.distribution,
            deviation: deviation.distribution, lateness: lateness.distribution, scheduling: scheduling,
            deviationCurve: deviation.curve)
    }
}
