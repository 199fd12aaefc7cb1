import AudioFigures
import AudioMeasurement
import CommandSyntax
import Jack

/// A client that asks the server for what must be known before anything else can be made.
///
/// It stays until the others run: libjack maps the server's memory for the first client and lets go of it with the
/// last, which takes its time. It is closed with the value.
package struct ServerProbe: ~Copyable {
    package let facts: ServerFacts
    package let client: Client

    /// - Parameter server: the private one, where there is one.
    package init(_ options: ServerOptions, on server: Server?) throws {
        let name = server?.name ?? options.name
        do {
            client = try Client(name: "iounit-probe", server: name)
        } catch {
            guard error.kind == .noServer, server == nil, !LibJack.isPipeWire else { throw error }
            throw Failure(.noServer, "\(error.reason), or let iounit start one of its own with --dummy")
        }
        facts = ServerFacts(client, server: name, configuration: server?.configuration)
    }
}
