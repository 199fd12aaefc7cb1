import CommandTestSupport
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import LiveCommands
@testable import LiveRuns

@Suite("The connection to a session manager")
struct SessionManagerTests {
    /// A manager's side, and that of somebody else on this machine.
    private let server: OSCSocket
    private let stranger: OSCSocket

    init() throws {
        server = try OSCSocket(host: "127.0.0.1", port: 0)
        stranger = try OSCSocket(host: "127.0.0.1", port: 0)
    }

    /// A manager that has answered behind a stranger who answered first, and where it sends from.
    private func announced() throws -> (manager: SessionManager, peer: OSCSocket.Peer) {
        let (server, stranger) = (UncheckedSocket(server), UncheckedSocket(stranger))
        let found = Mutex<OSCSocket.Peer?>(nil)
        let manager = try SessionManager(url: "osc.udp://\(server.socket.place)/")
        let answering = Thread {
            try? waitUntil("the announcement comes") {
                guard let (_, peer) = server.socket.next() else { return false }
                for (socket, name) in [(stranger.socket, "stranger"), (server.socket, "manager")] {
                    socket.send(
                        OSCMessage("/reply", .text("/nsm/server/announce"), .text("welcome"), .text(name)), to: peer)
                }
                found.withLock { $0 = peer }
                return true
            }
        }
        answering.start()
        try manager.announce(within: 20)
        try waitUntil("the answer is sent") { found.withLock { $0 } != nil }
        return (manager, try #require(found.withLock { $0 }))
    }

    private struct UncheckedSocket: @unchecked Sendable {
        // SAFETY: the test itself uses it only when the thread has done with it.
        let socket: OSCSocket
        init(_ socket: OSCSocket) { self.socket = socket }
    }

    @Test func `only what answers from the port of NSM_URL is the manager`() throws {
        let (manager, peer) = try announced()
        stranger.send(OSCMessage("/nsm/client/open", .text("/b"), .text("b"), .text("b")), to: peer)
        server.send(OSCMessage("/nsm/client/open", .text("/a"), .text("a"), .text("a")), to: peer)
        #expect(try manager.waitForProject(within: 20).path == "/a")
    }

    @Test func `the manager is at its address and its port, and on this machine at any address of it`() throws {
        func isManager(_ sender: (String, Int), of address: (String, Int)) throws -> Bool {
            try SessionManager.isManager(
                OSCSocket.peer(host: sender.0, port: sender.1), at: OSCSocket.peer(host: address.0, port: address.1))
        }
        // Addresses that RFC 5737 keeps for examples.
        #expect(try isManager(("192.0.2.1", 9000), of: ("192.0.2.1", 9000)))
        #expect(try !isManager(("192.0.2.2", 9000), of: ("192.0.2.1", 9000)))
        #expect(try !isManager(("192.0.2.1", 9001), of: ("192.0.2.1", 9000)))
        #expect(try !isManager(("192.0.2.1", 9000), of: ("127.0.0.1", 9000)))
        #expect(try !isManager(("127.0.0.1", 9000), of: ("192.0.2.1", 9000)))
        #expect(try isManager(("127.0.0.1", 9000), of: ("127.0.1.1", 9000)))
        #expect(try !isManager(("127.0.0.1", 9001), of: ("127.0.0.1", 9000)))
    }

    @Test func `what comes at once in great number is taken in several turns`() throws {
        let (manager, peer) = try announced()
        let count = SessionManager.mostAtOnce + 20
        for _ in 0..<count { server.send(OSCMessage("/nsm/client/save"), to: peer) }
        var taken: [Int] = []
        try waitUntil("all requests are taken") {
            taken.append(manager.takeRequests().count)
            return taken.reduce(0, +) == count
        }
        #expect(taken.allSatisfy { $0 <= SessionManager.mostAtOnce })
    }
}
