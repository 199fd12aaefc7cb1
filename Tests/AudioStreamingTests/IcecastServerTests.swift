import AudioFiles
import TestSupport
import Testing

@testable import AudioStreaming

@Suite("A connection to Icecast") struct IcecastServerTests {
    private let port: ListeningSocket
    init() throws {
        port = try ListeningSocket.open(PageAddress(port: 0), operation: "listen", choice: "choose another")
    }

    /// Of a source that gets no answer, and does not wait for one.
    private func context(host: String = "127.0.0.1") throws -> LinkContext {
        let opening = StreamOpening(
            codec: .opus, rate: 48000, channels: 1, packetFrames: 480, firstFrame: 0, wallNanoseconds: 0)
        return LinkContext(
            target: try StreamTarget("icecast://source:word@\(host):\(port.port)/a"), settings: CodecSettings(.opus),
            opening: opening, waits: { false })
    }

    @Test func `is not made where libshout could not wait for it`() throws {
        let context = try context()
        let error = #expect(throws: StreamError.self) { _ = try IcecastServer(context, mostFiles: 3) }
        #expect(error?.kind == .network && error?.reason.contains("one of the first 3") == true, "\(error as Any)")
        #expect(port.accept() == nil)
    }

    @Test func `goes to the name, but to an address where the first of several takes none`() throws {
        let context = try context(host: "radio.invalid")
        let (open, closed) = ("127.0.0.1", "127.0.0.2")
        #expect(try IcecastServer.host(context, [closed]) == "radio.invalid")
        #expect(try IcecastServer.host(context, [open, closed]) == "radio.invalid")
        #expect(try IcecastServer.host(context, [closed, open]) == open)
        let error = #expect(throws: StreamError.self) { try IcecastServer.host(context, [closed, "127.0.0.3"]) }
        #expect(error?.kind == .network && error?.reason.contains("nobody listens there") == true, "\(error as Any)")
    }

    @Test func `that comes to nothing is closed`() throws {
        let context = try context()
        let error = #expect(throws: StreamError.self) { _ = try IcecastServer(context) }
        #expect(error?.kind == .network, "\(String(describing: error))")
        var other: Socket?
        try waitUntil("the call") {
            other = port.accept().map { Socket(takingOver: $0) }
            return other != nil
        }
        let socket = try #require(other)
        try waitUntil("its end") { if case .success(nil) = socket.read(atMost: 4096) { true } else { false } }
    }
}
