import Testing

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
}
