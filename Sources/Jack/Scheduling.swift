import CJack

/// How the kernel schedules a client's audio thread.
public struct Scheduling: Sendable, Equatable {
    public enum Policy: String, Sendable {
        /// Real time, until it waits.
        case fifo = "SCHED_FIFO"
        /// Real time, in slices.
        case roundRobin = "SCHED_RR"
        /// Not real time: any other thread may make it late.
        case other = "SCHED_OTHER"
    }

    public var policy: Policy
    /// 1…99 in real time, else 0.
    public var priority: Int

    public var isRealtime: Bool { policy != .other }
}

extension ActiveClient {
    /// How the audio thread is scheduled, or `nil` where it does not run. Thread: control.
    public var scheduling: Scheduling? {
        let thread = unsafe jack_client_thread_id(connection.raw)
        guard thread != 0 else { return nil }
        var policy: CInt = 0
        var parameters = sched_param()
        // SAFETY: the thread runs as long as the client is active.
        guard unsafe pthread_getschedparam(thread, &policy, &parameters) == 0 else { return nil }
        // The kernel may add a flag that is about children.
        let kind: Scheduling.Policy =
            switch policy & ~0x4000_0000 {
            case SCHED_FIFO: .fifo
            case SCHED_RR: .roundRobin
            default: .other
            }
        return Scheduling(policy: kind, priority: Int(parameters.sched_priority))
    }
}
