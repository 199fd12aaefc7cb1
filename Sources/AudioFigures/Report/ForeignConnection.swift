/// A connection at a port of a measuring client that another client made: a session manager, a patchbay, a person.
public struct ForeignConnection: Sendable, Equatable {
    /// Full name of our port.
    public var port: String
    /// Full name of the port that it was connected to; empty where that is gone.
    public var other: String
    /// How often it was made.
    public var times: Int

    /// - Parameter times: 1 or more.
    public init(port: String, other: String, times: Int) {
        self.port = port
        self.other = other
        self.times = times
    }
}
