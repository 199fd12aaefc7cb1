import Glibc
import TestSupport
import Testing
import Threads

@testable import AudioStreaming

@Suite("A socket") struct SocketTests {
    @Test func `sends all of a question, though the kernel takes only a part of it at once`() throws {
        var ends: [CInt] = [0, 0]
        try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
        let (asking, asked) = (Socket(takingOver: ends[0]), ends[1])
        let question = [UInt8](repeating: 7, count: 1 << 20)
        let answer = Array("HTTP/1.0 200".utf8)
        // Answers when it has all of the question, or its end.
        let server = try Worker("asked") {
            let other = Socket(takingOver: asked)
            var count = 0
            while count < question.count {
                var wait = pollfd(fd: asked, events: Int16(POLLIN), revents: 0)
                guard poll(&wait, 1, 10_000) > 0, case .success(let bytes?) = other.read(atMost: 4096) else { return }
                count += bytes.count
            }
            _ = other.sendDatagram(answer)
        }
        #expect(asking.answer(to: question, withinMilliseconds: 10_000) == answer)
        server.join()
    }

    @Test func `waits no longer than it is to for who takes nothing`() throws {
        var ends: [CInt] = [0, 0]
        try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
        let (asking, silent) = (Socket(takingOver: ends[0]), Socket(takingOver: ends[1]))
        #expect(asking.answer(to: [UInt8](repeating: 7, count: 1 << 22), withinMilliseconds: 50).isEmpty)
        withExtendedLifetime(silent) {}
    }

    private func address(_ host: String, _ port: Int) throws -> SocketAddress {
        try #require(try HostLookup(.tcp, host: host, port: port).addresses(operation: "find it").first)
    }

    @Test func `that waits takes the first address of a host that this machine has`() throws {
        // Of examples (RFC 3849, RFC 5737), which nobody has.
        let absent = try [address("2001:db8::1", 0), address("203.0.113.1", 0)]
        let addresses = try [absent[0], address("127.0.0.1", 0)]
        let socket = try ListeningSocket.open(addresses, port: 0, operation: "listen", choice: "choose another")
        #expect(socket.port > 0)
        let (descriptor, taken, code) = DatagramSocket.bind(addresses, isForAll: false)
        #expect(code == 0 && taken == addresses[1])
        close(descriptor)
        let error = #expect(throws: StreamError.self) {
            try ListeningSocket.open(absent, port: 0, operation: "listen", choice: "choose another")
        }
        #expect(error?.kind == .network && error?.reason.contains("no such address") == true)
        let (none, last, reason) = DatagramSocket.bind(absent, isForAll: false)
        #expect(absentAddress.contains(reason) && last == absent[1])
        close(none)
    }

    @Test func `that waits does not go elsewhere where another program has the port`() throws {
        let other = try ListeningSocket.open([address("127.0.0.2", 0)], port: 0, operation: "listen", choice: "")
        let addresses = try [address("127.0.0.2", other.port), address("127.0.0.1", other.port)]
        let error = #expect(throws: StreamError.self) {
            try ListeningSocket.open(addresses, port: other.port, operation: "listen", choice: "choose another")
        }
        #expect(error?.kind == .occupied && error?.reason.hasSuffix("choose another") == true)
    }
}
