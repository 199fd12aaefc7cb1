import AudioFiles
import TestSupport
import Testing

@testable import AudioStreaming

@Suite("A connection to Icecast") struct IcecastServerTests {
    @Test func `that comes to nothing is closed`() throws {
        let port = try ListeningSocket.open(PageAddress(port: 0), operation: "listen", choice: "choose another")
        let opening = StreamOpening(
            codec: .opus, rate: 48000, channels: 1, packetFrames: 480, firstFrame: 0, wallNanoseconds: 0)
        // It gets no answer, and is not waited for.
        let context = LinkContext(
            target: try StreamTarget("icecast://source:word@127.0.0.1:\(port.port)/a"), settings: CodecSettings(.opus),
            opening: opening, waits: { false })
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
