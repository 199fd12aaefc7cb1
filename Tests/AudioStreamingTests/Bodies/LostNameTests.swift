import TestSupport
import Testing
import Threads

@testable import AudioStreaming

@Suite("A sender whose name is not known any more") struct LostNameTests {
    /// Is reached so often, and has no address from then on.
    private func source(reached: Int, _ kind: StreamError.Kind = .unresolved) -> ConnectedSource {
        var left = reached
        return ConnectedSource(operation: "try it") { _ throws(StreamError) -> (any ByteSource)? in
            guard left > 0 else { throw StreamError(kind, "try it", "the name is not known") }
            left -= 1
            return Ended()
        }
    }

    /// Ends at once.
    private final class Ended: ByteSource {
        var isFinite: Bool { false }
        func read(untilNanoseconds deadline: UInt64) throws(StreamError) -> [UInt8]? { nil }
        func rest(untilNanoseconds deadline: UInt64) {}
    }

    private func isUnresolved(_ event: SourceEvent) -> Bool { isFailure(event, .unresolved) }

    private func isFailure(_ event: SourceEvent, _ kind: StreamError.Kind) -> Bool {
        if case .failed(let error) = event { error.kind == kind } else { false }
    }

    /// Or that cannot be reached for want of files.
    @Test(arguments: [StreamError.Kind.unresolved, .resources])
    func `is tried again where it was reached before, as after a network was gone`(kind: StreamError.Kind) throws {
        let source = source(reached: 1, kind)
        for _ in 0..<2 {
            try waitUntil("it is tried") {
                try source.receive(untilNanoseconds: MonotonicClock.nanoseconds() + 100_000_000).contains {
                    isFailure($0, kind)
                }
            }
        }
    }

    @Test func `is tried again where it has led to an address before, though nobody was there`() throws {
        var isFirst = true
        let source = ConnectedSource(operation: "try it") { _ throws(StreamError) -> (any ByteSource)? in
            defer { isFirst = false }
            throw StreamError(isFirst ? .network : .unresolved, "try it", "the connection was refused")
        }
        for kind in [StreamError.Kind.network, .unresolved] {
            try waitUntil("it is tried") {
                try source.receive(untilNanoseconds: MonotonicClock.nanoseconds() + 100_000_000).contains {
                    isFailure($0, kind)
                }
            }
        }
    }

    @Test func `is tried again by what packets come through, too`() throws {
        let folder = try TemporaryFolder()
        let server = try WebServer(["--echo"], folder: folder)
        var isReached = false
        let source = ConnectedSource { _ throws(StreamError) in
            guard !isReached else { throw StreamError(.unresolved, "try it", "the name is not known") }
            isReached = true
            let client = try WebSocketClient(
                server.address(), protocolName: "iounit.stream.1", operation: "try it", receives: true, waits: { true })
            // It comes back, is no opening, and ends the connection.
            try client.send(.text("no opening"))
            return WebSocketConnection(client, operation: "try it")
        }
        for _ in 0..<2 {
            try waitUntil("it is tried") {
                try source.receive(untilNanoseconds: MonotonicClock.nanoseconds() + 100_000_000).contains(
                    where: isUnresolved)
            }
        }
        let never = ConnectedSource { _ throws(StreamError) in
            throw StreamError(.unresolved, "try it", "the name is not known")
        }
        #expect(throws: StreamError.self) { try never.receive(untilNanoseconds: 0) }
    }

    @Test func `is an error where it never was`() {
        let source = source(reached: 0)
        let error = #expect(throws: StreamError.self) { try source.receive(untilNanoseconds: 0) }
        #expect(error?.kind == .unresolved)
    }
}
