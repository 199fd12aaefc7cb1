import Synchronization

/// How long a plug-in's `run` took in a cycle, all instances of it together.
public struct PluginRunTime: Sendable, Equatable {
    /// 0 where it has not run.
    public let nanoseconds: UInt64
    /// How long the cycle's frames last.
    public let periodNanoseconds: UInt64

    package init(nanoseconds: UInt64, periodNanoseconds: UInt64) {
        (self.nanoseconds, self.periodNanoseconds) = (nanoseconds, periodNanoseconds)
    }

    /// Of the period: 1 is all of it, and then nothing is left for the rest of the graph.
    public var share: Double { periodNanoseconds > 0 ? Double(nanoseconds) / Double(periodNanoseconds) : 0 }
}

/// The longest of several runs: written by the audio thread alone, read by others.
struct LongestRun: ~Copyable {
    /// The time in the upper half, the period in the lower one, so that both are of one run. Each up to 4.29 s.
    private let value = Atomic<UInt64>(0)

    /// Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    func note(nanoseconds: UInt64, periodNanoseconds: UInt64) {
        let run = min(nanoseconds, 0xFFFF_FFFF) << 32 | min(periodNanoseconds, 0xFFFF_FFFF)
        let known = value.load(ordering: .relaxed)
        guard run > known else { return }
        // Nobody else writes but who takes it, and then nothing is known.
        if !value.compareExchange(expected: known, desired: run, ordering: .relaxed).exchanged {
            value.store(run, ordering: .relaxed)
        }
    }

    /// Thread: any but audio, here and below.
    var time: PluginRunTime { Self.time(value.load(ordering: .relaxed)) }

    /// The longest since the last call.
    func take() -> PluginRunTime { Self.time(value.exchange(0, ordering: .relaxed)) }

    private static func time(_ value: UInt64) -> PluginRunTime {
        PluginRunTime(nanoseconds: value >> 32, periodNanoseconds: value & 0xFFFF_FFFF)
    }
}
