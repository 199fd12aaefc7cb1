import AudioFigures
import Jack

extension SchedulingFacts {
    /// What a report says of it.
    public init(_ scheduling: Scheduling) {
        self.init(policy: scheduling.policy.rawValue, priority: scheduling.isRealtime ? scheduling.priority : 0)
    }
}
