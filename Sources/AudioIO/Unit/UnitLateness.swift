/// How often a unit was late, and whether that may be another program's doing.
package struct UnitLateness: Sendable, Equatable {
    /// By JACK's word, or its callback ran past its period.
    package var count: UInt64
    /// Times that another thread took the processor from the audio thread; `nil` where the kernel cannot be asked.
    package var interruptions: UInt64?
    /// Whether the kernel schedules the audio thread in real time. Without that any thread may take the processor from it.
    package var isRealtime: Bool

    package init(count: UInt64, interruptions: UInt64? = nil, isRealtime: Bool = true) {
        (self.count, self.interruptions, self.isRealtime) = (count, interruptions, isRealtime)
    }

    /// Of sound that is rendered in no graph.
    package static let none = UnitLateness(count: 0)
}

extension GraphUnit {
    /// Asks the kernel. Thread: control.
    package var lateness: UnitLateness {
        let statistics = statistics
        return UnitLateness(
            count: statistics.xruns + statistics.overruns, interruptions: audioThreadUsage?.involuntarySwitches,
            isRealtime: connection?.scheduling?.isRealtime ?? true)
    }
}
