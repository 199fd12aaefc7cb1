import Jack
import Testing

/// A client that looks at the graph and changes it, and takes no part in it.
final class Watcher {
    private let client: Client

    init(on server: Server) throws { client = try Client(name: "watcher", server: server.name) }

    func port(_ name: String) throws -> PortInfo {
        let port = client.port(named: name)
        return try #require(port, "there is a port \(name)")
    }

    func hasPort(_ name: String) -> Bool { client.port(named: name) != nil }
    func ports(_ pattern: String) throws -> [PortInfo] { try client.ports(PortQuery(pattern: pattern)) }
    func connect(_ source: String, to target: String) throws { try client.connect(source, to: target) }
    func disconnect(_ source: String, from target: String) throws { try client.disconnect(source, from: target) }
    func setPeriod(frames: Int) throws { try client.setPeriod(frames: frames) }
}
