import Jack

/// Servers that take each other's place, by one name.
public final class Succession {
    public private(set) var server: Server
    public let name: String

    public init(_ configuration: ServerConfiguration = ServerConfiguration()) throws {
        server = try Server(configuration)
        name = server.name
    }

    deinit { server.stop() }

    public func end(by signal: Int32) throws {
        server.signal(signal)
        try waitUntil("the server has ended") { !server.isRunning }
        server.stop()
    }

    /// - Parameter configuration: `nil` for the last one's.
    public func startAgain(_ configuration: ServerConfiguration? = nil) throws {
        server = try Server(configuration ?? server.configuration, name: name)
    }
}
