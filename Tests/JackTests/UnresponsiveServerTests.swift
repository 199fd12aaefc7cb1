import Foundation
import Jack
import TestSupport
import Testing

@Suite("A server that stands still", .serialized, .ownServers)
struct UnresponsiveServerTests {
    @Test func `is given up on, and what was asked of it is done when it goes on`() throws {
        let server = try Server()
        let witness = MemoryWitness()
        let client = try Client(name: "patient", server: server.name)
        let process: ProcessCallback = { _, _ in 0 }
        unsafe try client.setProcess(process, context: nil, keeping: witness.object())
        let active = try client.activate()
        try server.freeze()
        do throws(JackError) {
            try active.close()
            Issue.record("a server that stands still has answered")
        } catch {
            #expect(error.kind == .unresponsive)
            #expect(error.description.hasPrefix("cannot close a JACK client: JACK does not answer"))
        }
        #expect(LibJack.overdueOperation == "close a JACK client")
        #expect(!witness.isGone, "the audio thread may still use it")

        let refused = failure { () throws(JackError) in _ = try Client(name: "next", server: server.name) }
        #expect(refused?.kind == .unresponsive)
        #expect(refused?.reason.contains("which is still to close a JACK client") == true)

        server.signal(SIGCONT)
        try waitUntil("libjack has come back") { LibJack.overdueOperation == nil }
        try waitUntil("what the callback used is let go") { witness.isGone }
        let next = try Client(name: "patient", server: server.name)
        #expect(next.name == "patient", "the first one has left")
        try next.close()
    }

    @Test func `is not asked for a client`() throws {
        let server = try Server()
        try server.freeze()
        let refused = failure { () throws(JackError) in _ = try Client(name: "late", server: server.name) }
        #expect(refused?.kind == .noServer)
        #expect(refused?.reason.hasSuffix("does not answer; restart it") == true)
        #expect(LibJack.overdueOperation == nil, "libjack does not wait for it")
        server.signal(SIGCONT)
        let watcher = try Client(name: "watcher", server: server.name)
        #expect(try watcher.ports(PortQuery(pattern: "^late")).isEmpty)
        let next = try Client(name: "late", server: server.name)
        #expect(next.name == "late", "nobody has the name any more")
    }
}

/// Tells whether an object is still there.
private final class MemoryWitness {
    private final class Object: Sendable {}
    private weak var witnessed: Object?

    func object() -> any AnyObject & Sendable {
        let object = Object()
        witnessed = object
        return object
    }

    var isGone: Bool { witnessed == nil }
}
