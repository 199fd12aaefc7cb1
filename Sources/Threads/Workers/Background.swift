import Synchronization

/// Makes a value on a thread of its own, while the thread that needs it does something else.
package final class Background<Value: Sendable>: Sendable {
    private let worker: Worker
    private let result: Result

    private final class Result: Sendable {
        let given = Mutex<Swift.Result<Value, any Error>?>(nil)
    }

    /// Begins to make it.
    ///
    /// - Parameters:
    ///   - name: of the thread, as `Worker` has it.
    ///   - make: the end of this object waits for it, so that nothing of it is left behind.
    /// - Throws: where the machine has no more threads to give.
    package init(_ name: String, _ make: @escaping @Sendable () throws -> Value) throws(ResourceError) {
        let result = Result()
        worker = try Worker(name) {
            let made = Swift.Result { try make() }
            result.given.withLock { $0 = made }
        }
        self.result = result
    }

    deinit { worker.join() }

    /// Waits for it.
    ///
    /// - Throws: what the making threw.
    package var value: Value {
        get throws {
            worker.join()
            guard let made = result.given.withLock({ $0 }) else {
                preconditionFailure("a worker that has ended has given its result")
            }
            return try made.get()
        }
    }
}
