import AudioIO
import TestSupport
import Testing

/// The tests that need a server, one after the other: JACK has room for eight servers on a machine.
@Suite("On a server", .serialized, .ownServers) enum OnServer {}

extension Engine {
    /// As it is usually made, on a server of that name.
    convenience init(on server: String) throws {
        var configuration = EngineConfiguration()
        configuration.serverName = server
        try self.init(configuration)
    }
}
