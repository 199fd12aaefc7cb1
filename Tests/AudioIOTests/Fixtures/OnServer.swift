import TestSupport
import Testing

/// The tests that need a server, one after the other: JACK has room for eight servers on a machine.
@Suite("On a server", .serialized, .ownServers) enum OnServer {}
