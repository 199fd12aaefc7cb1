import AudioFiles
import Foundation
import Synchronization
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

    private final class Flag: Sendable { let value = Atomic<Bool>(true) }

    @Test func `that takes nothing more says at the end that some of the sound did not leave`() throws {
        let folder = try TemporaryFolder()
        let mount = try Receiver(
            "/usr/bin/python3", [Receiver.script("mount.py"), "--port-file", folder("port"), "--deaf"], folder: folder)
        try waitUntil("it listens") { FileManager.default.fileExists(atPath: folder("port")) }
        let place = try String(contentsOfFile: folder("port"), encoding: .utf8)
        let (waits, plain) = (Flag(), try context())
        let link = try IcecastLink(
            LinkContext(
                target: try StreamTarget("icecast://source:word@127.0.0.1:\(place)/a"), settings: plain.settings,
                opening: plain.opening, waits: { waits.value.load(ordering: .relaxed) }))
        var packets: UInt32 = 0
        // Until the kernel takes no more.
        while link.unconfirmedPackets == 0 {
            try #require(packets < 10_000)
            let isSent = try link.send(
                StreamPacket(
                    sequence: packets, firstFrame: UInt64(packets) * 480, frames: 480, wallNanoseconds: 0,
                    payload: [UInt8](repeating: 1, count: 16 << 10)))
            #expect(isSent)
            packets += 1
        }
        waits.value.store(false, ordering: .relaxed)
        let error = #expect(throws: StreamError.self) { try link.close() }
        #expect(error?.kind == .network && error?.reason.contains("it takes nothing") == true, "\(error as Any)")
        #expect((1...4).contains(link.unconfirmedPackets) && link.sentBytes > 0)
        mount.go()
        _ = try mount.heard()
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
