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

    private func packet(_ sequence: UInt32) -> StreamPacket {
        StreamPacket(
            sequence: sequence, firstFrame: UInt64(sequence) * 1152, frames: 1152, wallNanoseconds: 0,
            payload: [UInt8](repeating: UInt8(sequence), count: 100))
    }

    @Test func `sends on where there is none for the title, and asks for that five times`() throws {
        let folder = try TemporaryFolder()
        let mount = try Receiver(
            "/usr/bin/python3", [Receiver.script("mount.py"), "--port-file", folder("port")], folder: folder)
        try waitUntil("it listens") { FileManager.default.fileExists(atPath: folder("port")) }
        let place = try String(contentsOfFile: folder("port"), encoding: .utf8)
        var target = try StreamTarget("icecast://source:word@127.0.0.1:\(place)/a.mp3")
        target.station.title = "Live"
        let opening = StreamOpening(
            codec: .mp3, rate: 48000, channels: 1, packetFrames: 1152, firstFrame: 0, wallNanoseconds: 0)
        // A second later each time it is asked: twice for each request.
        let readings = Count()
        var link: IcecastLink? = try IcecastLink(
            LinkContext(
                target: target, settings: CodecSettings(.mp3), opening: opening, waits: { true },
                clock: { UInt64(readings.next()) * 1_000_000_000 }))
        for sequence in UInt32(0)..<8 { #expect(try link?.send(packet(sequence)) == true) }
        #expect(readings.value.load(ordering: .relaxed) == 10)
        try link?.close()
        link = nil
        #expect(try Array(mount.heard()) == (UInt32(0)..<8).flatMap { packet($0).payload })
    }

    private final class Count: Sendable {
        let value = Atomic<Int>(0)
        func next() -> Int { value.add(1, ordering: .relaxed).newValue }
    }

    /// Proxies tell servers apart by it.
    @Test(arguments: ["127.0.0.1", "[::1]"]) func `names its host also in what it asks beside the stream`(
        host: String
    ) throws {
        let folder = try TemporaryFolder()
        let version = host.hasPrefix("[") ? ["--ipv6"] : []
        let mount = try Receiver(
            "/usr/bin/python3", [Receiver.script("mount.py"), "--port-file", folder("port"), "--head"] + version,
            folder: folder)
        try waitUntil("it listens") { FileManager.default.fileExists(atPath: folder("port")) }
        let place = try String(contentsOfFile: folder("port"), encoding: .utf8)
        var context = try context()
        context.target = try StreamTarget("icecast://source:word@\(host):\(place)/a")
        context.waits = { true }
        let isSet = IcecastRequest(context).sets(title: "Live", withinMilliseconds: 600_000)
        let lines = try String(decoding: mount.heard(), as: UTF8.self).components(separatedBy: "\r\n")
        #expect(isSet && lines.contains("Host: \(host):\(place)"), "\(lines)")
    }

    @Test func `for a title is waited for no longer than for its answer`() throws {
        // The kernel leaves the calls out that find the first one still waiting.
        let full = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        try #require(full >= 0 && listen(full, 0) == 0)
        defer { close(full) }
        var context = try context()
        context.target = try StreamTarget("icecast://source:word@127.0.0.1:\(try #require(boundPort(of: full)))/a")
        context.waits = { true }
        let first = try context.openSocket(.tcp)
        let asked = Count()
        // Asked ten times a second.
        context.waits = { asked.next() < 100 }
        let sets: (String, Int) throws -> Bool = IcecastRequest(context).sets(title:withinMilliseconds:)
        #expect((try? sets("Live", 300)) == false)
        let count = asked.value.load(ordering: .relaxed)
        #expect((1...5).contains(count), "\(count)")
        withExtendedLifetime(first) {}
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
