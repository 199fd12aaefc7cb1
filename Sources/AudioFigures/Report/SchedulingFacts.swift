/// How the kernel schedules a thread: in every report that tells of one.
public struct SchedulingFacts: Codable, Sendable, Equatable {
    /// As POSIX names it: `SCHED_FIFO`.
    public var policy: String
    /// 1 to 99 in real time; 0 for any other policy.
    public var priority: Int

    /// - Parameter priority: 1 to 99 with a real-time policy, else 0.
    public init(policy: String, priority: Int) {
        self.policy = policy
        self.priority = priority
    }

    /// `SCHED_FIFO 5`, or the policy alone where it has no priorities.
    package var words: String { priority > 0 ? "\(policy) \(priority)" : policy }
}
