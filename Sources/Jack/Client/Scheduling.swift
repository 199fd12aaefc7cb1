import CJack

/// How the kernel schedules a client's audio thread.
public struct Scheduling: Sendable, Equatable {
    /// As the kernel names them.
    public enum Policy: String, Sendable {
        /// Real time, until it waits.
        case fifo = "SCHED_FIFO"
        /// Real time, in slices.
        case roundRobin = "SCHED_RR"
        /// Not real time: any other thread may make it late.
        case other = "SCHED_OTHER"
    }

    /// Of the thread.
    public var policy: Policy
    /// 1…99 in real time, else 0.
    public var priority: Int

    /// - Parameter priority: 1 to 99 with a real-time policy, else 0.
    public init(policy: Policy, priority: Int) {
        self.policy = policy
        self.priority = priority
    }

    /// Whether only threads of a higher or the same priority can keep it from the processor.
    public var isRealtime: Bool { policy != .other }
}

extension Scheduling {
    /// How the calling thread is scheduled.
    package static var ofThisThread: Scheduling? { Scheduling(of: pthread_self()) }

    /// Asks the kernel to schedule the calling thread so. It may refuse: `ofThisThread` tells what came of it.
    package func request() {
        let number =
            switch policy {
            case .fifo: SCHED_FIFO
            case .roundRobin: SCHED_RR
            case .other: SCHED_OTHER
            }
        var parameters = sched_param(sched_priority: CInt(clamping: priority))
        unsafe pthread_setschedparam(pthread_self(), number, &parameters)
    }

    /// `nil` where the kernel knows no such thread.
    fileprivate init?(of thread: pthread_t) {
        var number: CInt = 0
        var parameters = sched_param()
        guard unsafe pthread_getschedparam(thread, &number, &parameters) == 0 else { return nil }
        // The kernel may add a flag that is about children.
        policy =
            switch number & ~0x4000_0000 {
            case SCHED_FIFO: .fifo
            case SCHED_RR: .roundRobin
            default: .other
            }
        priority = Int(parameters.sched_priority)
    }
}

extension ActiveClient {
    /// How the audio thread is scheduled, or `nil` where it does not run. Thread: control.
    public var scheduling: Scheduling? {
        // SAFETY: the thread runs as long as the client is active.
        guard let thread = told({ unsafe jack_client_thread_id($0.raw) }), thread != 0 else { return nil }
        return Scheduling(of: thread)
    }
}

extension JackClient where Self: ~Copyable {
    /// The priority of the audio thread where the server runs in real time, else `nil`. Known before the thread runs.
    public var realtimePriority: Int? {
        told { unsafe Int(jack_client_real_time_priority($0.raw)) }.flatMap { $0 > 0 ? $0 : nil }
    }
}
