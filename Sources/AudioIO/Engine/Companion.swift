/// Something with a client of its own beside the unit, as a player that feeds it. libjack lets no client join a server
/// while one of the last server's time is still open: so all of them leave together, and join one after the other.
public protocol Companion: AnyObject, Sendable {
    /// Whether the server has gone away, or has thrown it out.
    var hasLostServer: Bool { get }
    /// How many cycles it has had; `nil` where it has no client, or does not count them. One that has no more of them while
    /// the unit has is taken out of the graph and joins once more. Thread: worker.
    var cycles: UInt64? { get }
    /// The full names of its ports.
    var portNames: [String] { get }
    /// Closes its client; what it was doing waits. Thread: worker, or control.
    func leave()
    /// Opens a client on the server that the unit is on, and goes on with what it was doing. Thread: worker.
    func join(_ connection: UnitConnection) throws
}

extension Companion {
    public var cycles: UInt64? { nil }
}
