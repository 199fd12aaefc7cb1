import Foundation
import TestSupport
import Testing
import Threads

@testable import AudioStreaming

@Suite("A target that is left to itself") struct TargetSessionTests {
    @Test(arguments: [("file:/nowhere/a.wav", StreamError.Kind.file), ("tcp://127.0.0.1:9", .network)])
    func `says so, and what waits for it is lost`(address: String, kind: StreamError.Kind) throws {
        let opening = StreamOpening(
            codec: .pcm16, rate: 48000, channels: 1, packetFrames: 480, firstFrame: 0, wallNanoseconds: 0)
        let session = TargetSession(
            try StreamTarget(address), CodecSettings(.pcm16), opening: opening, header: [],
            queue: PacketQueue(frames: 48000, bytes: 1 << 20))
        session.queue.push(
            StreamPacket(sequence: 0, firstFrame: 0, frames: 480, wallNanoseconds: 0, payload: [0, 0]))
        #expect(!session.isLeft)
        session.leave(afterSeconds: 60)
        let figures = session.present
        #expect(session.isLeft && figures.state == .failed)
        #expect(figures.lostPackets == 1 && figures.lostFrames == 480 && figures.waitingPackets == 0)
        #expect(figures.failure?.kind == kind)
        #expect(figures.failure?.reason.contains("has not answered for 60 s") == true)
    }

    @Test(arguments: [("127.0.0.1", StreamError.Kind.network), ("no.such.name.invalid", .unresolved)])
    func `knows whether its name leads to an address, though nobody is there`(
        host: String, kind: StreamError.Kind
    ) throws {
        let port = try freePorts()
        let opening = StreamOpening(
            codec: .pcm16, rate: 48000, channels: 1, packetFrames: 480, firstFrame: 0, wallNanoseconds: 0)
        let session = TargetSession(
            try StreamTarget("tcp://\(host):\(port)"), CodecSettings(.pcm16), opening: opening, header: [],
            queue: PacketQueue(frames: 48000, bytes: 1 << 20))
        let worker = try Worker("session") { session.run() }
        defer {
            session.end(byNanoseconds: 0)
            worker.join()
        }
        try waitUntil("it is tried") { session.present.failure != nil }
        let figures = session.present
        #expect(figures.failure?.kind == kind && figures.isFound == (kind == .network))
    }

    @Test func `knows how much left by a connection that then broke, though it is not made again`() throws {
        let folder = try TemporaryFolder()
        let path = folder("pipe")
        try #require(mkfifo(path, 0o600) == 0)
        let opening = StreamOpening(
            codec: .pcm16, rate: 48000, channels: 1, packetFrames: 480, firstFrame: 0, wallNanoseconds: 0)
        let session = TargetSession(
            try StreamTarget("file:\(path)"), CodecSettings(.pcm16), opening: opening, header: [],
            queue: PacketQueue(frames: 48000, bytes: 1 << 20))
        // Before the second one is silence, of which the pipe holds a part.
        for (number, frame) in [(0, 0), (1, UInt64(1 << 18))] as [(UInt32, UInt64)] {
            session.queue.push(
                StreamPacket(
                    sequence: number, firstFrame: frame, frames: 480, wallNanoseconds: 0,
                    payload: [UInt8](repeating: 0, count: 960)))
        }
        let worker = try Worker("session") { session.run() }
        let reader = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        var count = 0
        while count < 100_000, let bytes = try reader.read(upToCount: 4096), !bytes.isEmpty { count += bytes.count }
        try reader.close()
        try waitUntil("the connection is lost") { session.present.failure != nil }
        session.end(byNanoseconds: 0)
        worker.join()
        #expect(session.present.sentBytes >= 90_000 && session.present.lostPackets == 1)
    }
}
