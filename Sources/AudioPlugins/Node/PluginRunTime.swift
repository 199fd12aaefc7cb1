import CPluginGuard
import Synchronization
import Threads

/// How long a plug-in's `run` took in a cycle, all instances of it together.
public struct PluginRunTime: Sendable, Equatable {
    /// 0 where it has not run.
    public let nanoseconds: UInt64
    /// How long the cycle's frames last.
    public let periodNanoseconds: UInt64

    static let zero = PluginRunTime(nanoseconds: 0, periodNanoseconds: 0)

    package init(nanoseconds: UInt64, periodNanoseconds: UInt64) {
        (self.nanoseconds, self.periodNanoseconds) = (nanoseconds, periodNanoseconds)
    }

    /// Of the period: 1 is all of it, and then nothing is left for the rest of the graph.
    public var share: Double { periodNanoseconds > 0 ? Double(nanoseconds) / Double(periodNanoseconds) : 0 }
}

/// What the time of a plug-in is measured by: the processor's counter, which is read in less than half of the time that the system's
/// clock takes; that clock where the counter does not run at one rate.
struct PluginClock: BitwiseCopyable {
    private let isCounter: Bool
    private let nanosecondsPerTick: Double

    /// The rate was measured when somebody asked for it first, which takes 5 ms. Thread: any but audio.
    static let shared = PluginClock()

    private init() {
        isCounter = cplugin_counter_is_steady()
        let begin = Self.moment()
        MonotonicClock.sleep(milliseconds: isCounter ? 5 : 0)
        let end = Self.moment()
        let ticks = Double(end.ticks &- begin.ticks)
        nanosecondsPerTick = isCounter && ticks > 0 ? Double(end.nanoseconds &- begin.nanoseconds) / ticks : 1
    }

    /// Counter and clock at one moment: of several readings the one that took the shortest, as a thread may lose its processor
    /// in any.
    private static func moment() -> (ticks: UInt64, nanoseconds: UInt64) {
        let readings = (0..<8).map { _ in
            let before = MonotonicClock.nanoseconds()
            let ticks = cplugin_ticks()
            let after = MonotonicClock.nanoseconds()
            return (ticks: ticks, nanoseconds: before, length: after &- before)
        }
        let best = readings.min { $0.length < $1.length } ?? readings[0]
        return (best.ticks, best.nanoseconds &+ best.length / 2)
    }

    /// Thread: any, also audio. Wait-free.
    var ticks: UInt64 { @_noLocks @_noAllocation get { isCounter ? cplugin_ticks() : MonotonicClock.nanoseconds() } }

    func nanoseconds(_ ticks: UInt64) -> UInt64 { UInt64(Double(ticks) * nanosecondsPerTick) }
}

/// The longest of several runs: written by the audio thread alone, read by others.
struct LongestRun: ~Copyable {
    /// The ticks in the upper half, the period in nanoseconds in the lower one, so that both are of one run. The ticks saturate, at
    /// 3 GHz after 1.4 s, the period after 4.2 s.
    private let recent = Atomic<UInt64>(0)
    /// Of all that were taken.
    private let taken = Mutex<UInt64>(0)

    /// Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    func note(ticks: UInt64, frames: Int, sampleRate: Int) {
        // A counter may go backwards where the thread has come to another processor.
        guard ticks < 1 << 63 else { return }
        let period = UInt64(max(0, frames)) &* 1_000_000_000 / UInt64(max(1, sampleRate))
        let run = min(ticks, 0xFFFF_FFFF) << 32 | min(period, 0xFFFF_FFFF)
        let known = recent.load(ordering: .relaxed)
        guard run > known else { return }
        // Nobody else writes but who takes it, and then nothing is known.
        if !recent.compareExchange(expected: known, desired: run, ordering: .relaxed).exchanged {
            recent.store(run, ordering: .relaxed)
        }
    }

    /// Of all. Thread: any but audio, here and below.
    func longest(_ clock: PluginClock) -> PluginRunTime {
        let run = taken.withLock { max($0, recent.load(ordering: .relaxed)) }
        return Self.time(run, clock)
    }

    /// The longest since the last call.
    func take(_ clock: PluginClock) -> PluginRunTime {
        let run = taken.withLock { longest in
            let run = recent.exchange(0, ordering: .relaxed)
            longest = max(longest, run)
            return run
        }
        return Self.time(run, clock)
    }

    func forget() {
        taken.withLock { longest in
            recent.store(0, ordering: .relaxed)
            longest = 0
        }
    }

    private static func time(_ run: UInt64, _ clock: PluginClock) -> PluginRunTime {
        PluginRunTime(nanoseconds: clock.nanoseconds(run >> 32), periodNanoseconds: run & 0xFFFF_FFFF)
    }
}
