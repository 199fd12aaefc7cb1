import Threads

extension JackError {
    /// What the machine does not grant, as an error of kind `resources`.
    package static func ofResources<Value>(_ body: () throws(ResourceError) -> Value) throws(JackError) -> Value {
        do throws(ResourceError) { return try body() } catch {
            throw JackError(.resources, error.operation, error.reason)
        }
    }
}

extension Worker {
    /// Starts a thread, as `init` does, where all that fails is a `JackError`.
    ///
    /// - Throws: `resources` where the machine has no more threads to give.
    package static func start(
        _ name: String, _ body: @escaping @Sendable () -> Void
    ) throws(JackError) -> Worker {
        try JackError.ofResources { () throws(ResourceError) in try Worker(name, body) }
    }
}

extension TimerWorker {
    /// As `init`. Throws: `resources` where the machine has no more threads to give.
    package static func start(
        _ name: String, every nanoseconds: UInt64, _ body: @escaping @Sendable (_ isStopping: () -> Bool) -> Void
    ) throws(JackError) -> TimerWorker {
        try JackError.ofResources { () throws(ResourceError) in try TimerWorker(name, every: nanoseconds, body) }
    }
}
