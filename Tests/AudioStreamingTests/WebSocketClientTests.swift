import Foundation
import Glibc
import TestSupport
import Testing
import Threads

@testable import AudioStreaming

@Suite("A WebSocket to a server") struct WebSocketClientTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private func client(
        _ address: WebAddress, token: Secret? = nil, trust: WebTrust? = nil, waits: @escaping () -> Bool = { true }
    ) throws -> WebSocketClient {
        try WebSocketClient(
            address, protocolName: "iounit.stream.1", operation: "talk to a server", token: token, trust: trust,
            receives: true, waits: waits)
    }

    private var later: UInt64 { MonotonicClock.nanoseconds() + 20_000_000_000 }

    /// Sends messages of many lengths, and takes them back.
    private func exchange(_ client: WebSocketClient) throws {
        var generator = SeededGenerator(seed: 1)
        for length in [0, 1, 125, 126, 65_535, 65_536, 1 << 20] {
            let bytes = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            try client.send(.binary(bytes))
            let back = try client.receive(untilNanoseconds: later)
            #expect(back == .binary(bytes), "\(length) bytes")
        }
        try client.send(.text("größer"))
        #expect(try client.receive(untilNanoseconds: later) == .text("größer"))
        // What waits stays in its order, whatever comes meanwhile.
        for word in ["1", "2", "3"] { try client.send(.text(word)) }
        #expect(try client.receive(untilNanoseconds: later) == .text("1"))
        try client.send(.text("4"))
        for word in ["2", "3", "4"] { #expect(try client.receive(untilNanoseconds: later) == .text(word)) }
    }

    @Test(arguments: [["--echo"], ["--echo", "--no-protocol"], ["--echo", "--token", "abc"]])
    func `carries messages of any length in both directions, and ends as it should`(_ arguments: [String]) throws {
        let server = try WebServer(arguments, folder: folder)
        let socket = try client(server.address("/stream?a=b"), token: Secret("abc"))
        try exchange(socket)
        #expect(try socket.receive(untilNanoseconds: 0) == nil)
        try socket.close()
        let connection = try #require(try server.connections().first)
        #expect(connection["code"] as? Int == 1000 && connection["path"] as? String == "/stream?a=b")
        #expect(connection["error"] == nil)
    }

    @Test func `counts as sent what left, and nothing else, where the connection breaks meanwhile`() throws {
        let server = try WebServer(["--echo"], folder: folder)
        var isDoomed = false
        let socket = try client(server.address()) {
            // Asked in the midst of a call to send.
            if isDoomed { server.receiver.program.end() }
            isDoomed = false
            return true
        }
        try socket.send(.text("1"))
        #expect(try socket.receive(untilNanoseconds: later) == .text("1"))
        isDoomed = true
        var sent: UInt64 = 1
        let error = #expect(throws: StreamError.self) {
            for _ in 0..<1000 {
                try socket.send(.text("2"))
                sent += 1
            }
        }
        #expect(error?.kind == .network && socket.sentMessages == sent && socket.sentBytes == sent)
        // Also where nothing more is sent.
        #expect(throws: StreamError.self) { try socket.close() }
    }

    private final class Asker: WebHandler {
        let protocolName: String? = "iounit.stream.1"
        func handle(_: WebEvent, on _: WebConnection) -> Bool { true }
    }

    @Test func `is made to the second address of a host where nobody is at the first`() throws {
        let server = try WebServer(["--echo"], folder: folder)
        let client = try WebClient(
            server.address(), operation: "talk to a server", token: nil, trust: nil, waits: { true })
        try client.open(Asker(), at: ["127.0.0.2", "127.0.0.1"])
        #expect(client.isOpen)
    }

    @Test func `is made to the second address of a host where no word comes back from the first`() throws {
        let server = try WebServer(["--echo"], folder: folder)
        // One that has taken as many connections as it keeps answers no more of them.
        let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        let place = HostLookup(.tcp, host: "127.0.0.2", port: server.port)
        let address = try #require(try place.addresses(operation: "fill it").first)
        try #require(address.bind(listener) && listen(listener, 0) == 0)
        let others = (0..<4).map { _ in address.makeSocket(.tcp) }
        defer { for other in others { close(other) } }
        for other in others { _ = address.connect(other) }
        let client = try WebClient(
            server.address(), operation: "talk to a server", token: nil, trust: nil, connectSeconds: 1,
            waits: { true })
        try client.open(Asker(), at: ["127.0.0.2", "127.0.0.1"])
        #expect(client.isOpen)
    }

    @Test func `is encrypted, and the certificate is checked against the name`() throws {
        let certificate = try WebServer.certificate(for: "DNS:localhost", in: folder)
        let server = try WebServer(["--echo"], certificate: certificate, folder: folder)
        let trust = try WebTrust(file: folder("certificate.pem"), operation: "")
        let socket = try client(server.address(host: "localhost"), trust: trust)
        try exchange(socket)
        // Of another name, and of an authority that nobody knows.
        for (host, trust) in [("127.0.0.1", trust), ("localhost", try WebTrust(file: nil, operation: ""))] {
            let error = #expect(throws: StreamError.self) { try client(server.address(host: host), trust: trust) }
            #expect(error?.kind == .untrusted, "\(error.map { "\($0)" } ?? "")")
        }
        let plain = WebAddress(scheme: .ws, host: "127.0.0.1", port: server.port, path: "/")
        let error = #expect(throws: StreamError.self) { try client(plain) }
        #expect(error?.kind == .protocolError || error?.kind == .network, "\(error.map { "\($0)" } ?? "")")
        try socket.close()
    }

    @Test(arguments: [
        (["--token", "abc"], StreamError.Kind.denied, "does not accept the token"),
        (["--status", "403"], .denied, "does not accept the token"),
        (["--status", "404"], .protocolError, "has no WebSocket at /stream; check"),
        (["--status", "200"], .protocolError, "answers with a page"),
        (["--status", "302"], .protocolError, "elsewhere"),
        (["--status", "503"], .network, "answers 503"), (["--status", "418"], .protocolError, "answers 418"),
    ])
    func `is refused with the reason`(_ arguments: [String], _ kind: StreamError.Kind, _ reason: String) throws {
        let server = try WebServer(arguments, folder: folder)
        let error = #expect(throws: StreamError.self) {
            try client(server.address("/stream?key=wrong"), token: Secret("wrong"))
        }
        let said = error.map { "\($0)" } ?? ""
        #expect(error?.kind == kind && said.contains(reason) && !said.contains("wrong"), "\(said)")
    }

    @Test func `says why it cannot be made`() throws {
        let ports = try freePorts()
        let refused = #expect(throws: StreamError.self) {
            try client(WebAddress(scheme: .ws, host: "localhost", port: ports, path: "/"))
        }
        #expect(refused?.kind == .network && refused?.reason.contains("nobody listens") == true)
        let unresolved = #expect(throws: StreamError.self) {
            try client(WebAddress(scheme: .ws, host: "no.such.host.invalid", port: 80, path: "/"))
        }
        #expect(unresolved?.kind == .unresolved)
        let unreadable = #expect(throws: StreamError.self) { try WebTrust(file: "/no/file", operation: "x") }
        #expect(unreadable?.kind == .unreadable)
    }

    @Test func `to a program that speaks something else is none`() throws {
        let (listener, target) = try Receiver.listening(["--answer"], folder: folder)
        let address = WebAddress(scheme: .ws, host: target.host, port: target.port, path: "/")
        let end = MonotonicClock.nanoseconds() + 20_000_000_000
        let error = #expect(throws: StreamError.self) { try client(address) { MonotonicClock.nanoseconds() < end } }
        #expect(error?.kind == .protocolError, "\(error.map { "\($0)" } ?? "")")
        listener.program.end()
    }

    @Test func `to a program that takes connections and says nothing ends when it is not waited for`() throws {
        let (listener, target) = try Receiver.listening(["--stall"], folder: folder)
        let address = WebAddress(scheme: .ws, host: target.host, port: target.port, path: "/")
        let start = MonotonicClock.nanoseconds()
        let error = #expect(throws: StreamError.self) {
            try client(address) { MonotonicClock.nanoseconds() < start + 300_000_000 }
        }
        #expect(error?.kind == .network && error?.reason.contains("does not answer") == true)
        listener.program.end()
    }

    @Test func `notices that the server closes it or dies, and waits no longer than it may for one that stalls`() throws
    {
        let closing = try WebServer(["--echo", "--close-after", "1"], folder: folder)
        let socket = try client(closing.address())
        try socket.send(.text("a"))
        #expect(try socket.receive(untilNanoseconds: later) == .text("a"))
        let closed = #expect(throws: StreamError.self) { try socket.receive(untilNanoseconds: later) }
        #expect(closed?.reason.contains("4000 (enough)") == true, "\(closed.map { "\($0)" } ?? "")")

        let dying = try WebServer(["--echo"], folder: folder)
        let second = try client(dying.address())
        dying.receiver.program.end()
        #expect(#expect(throws: StreamError.self) { try second.receive(untilNanoseconds: later) }?.kind == .network)

        let stalling = try WebServer(["--echo"], folder: folder)
        var end = UInt64.max
        let third = try client(stalling.address()) { MonotonicClock.nanoseconds() < end }
        stalling.receiver.program.send(SIGSTOP)
        end = MonotonicClock.nanoseconds() + 300_000_000
        let error = #expect(throws: StreamError.self) {
            while true { try third.send(.binary([UInt8](repeating: 1, count: 1 << 20))) }
        }
        #expect(error?.kind == .network && third.sentBytes < 16 << 20, "\(error.map { "\($0)" } ?? "")")
    }

    @Test func `leaves nothing behind, however often it is made`() async {
        await #expect(processExitsWith: .success) {
            let tests = try WebSocketClientTests()
            let server = try WebServer(["--echo", "--connections", "1000"], folder: tests.folder)
            try tests.client(server.address()).close()
            let before = Holdings()
            for _ in 0..<20 { try tests.client(server.address()).close() }
            try before.expectNothingMore()
        }
    }

    @Test func `keeps its token to itself`() throws {
        let secret = try Secret("hidden-word")
        var text = "\(secret) \(String(reflecting: secret)) \([secret])"
        dump(secret, to: &text)
        #expect(!text.contains("hidden"))
        for word in ["", "a b", "a\r\nX: y", "ä", String(repeating: "a", count: 1025)] {
            #expect(throws: StreamError.self) { try Secret(word) }
        }
    }
}
