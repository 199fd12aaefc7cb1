/// Why the machine did not grant a thread or a file, in one sentence: what failed, why, and what to do.
public struct ResourceError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What was being done, as in "start the thread iounit-recorder".
    public var operation: String
    /// What is wrong and what to do about it.
    public var reason: String

    package init(_ operation: String, _ reason: String) {
        self.operation = operation
        self.reason = reason
    }

    public var description: String { "cannot \(operation): \(reason)" }
}
