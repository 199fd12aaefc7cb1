import Threads

extension JackError {
    /// What the machine did not grant, of kind `resources`.
    package init(_ error: ResourceError) { self.init(.resources, error.operation, error.reason) }
}

extension Worker {
    /// Starts a thread, as `init` does, where all that fails is a `JackError`.
    ///
    /// - Throws: `resources` where the machine has no more threads to give.
    package static func start(
        _ name: String, _ body: @escaping @Sendable () -> Void
    ) throws(JackError) -> Worker {
        do throws(ResourceError) {
            return try Worker(name, body)
        } catch {
            throw JackError(error)
        }
    }
}

extension TimerWorker {
    /// As `init`. Throws: `resources` where the machine has no more threads to give.
    package static func start(
        _ name: String, every nanoseconds: UInt64, _ body: @escaping @Sendable (_ isStopping: () -> Bool) -> Void
    ) throws(JackError) -> TimerWorker {
        do throws(ResourceError) {
            return try TimerWorker(name, every: nanoseconds, body)
        } catch {
            throw JackError(error)
        }
    }
}
