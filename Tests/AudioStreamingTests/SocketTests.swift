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
}
