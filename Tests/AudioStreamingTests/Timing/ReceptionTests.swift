import AudioRealtime
import TestSupport
import Testing
import Threads

@testable import AudioStreaming

/// What a receiver's worker makes of what comes.
@Suite("The reception of an origin") struct ReceptionTests {
    private final class Events: StreamSource {
        var next: [SourceEvent] = []
        var ignoredPackets = 0

        func receive(untilNanoseconds _: UInt64) -> [SourceEvent] {
            defer { next = [] }
            return next
        }
    }

    private func stream(hertz: Int) throws -> [SourceEvent] {
        let opening = try StreamOpening(.pcm16, rate: hertz, channels: 1, packetFrames: 480, operation: "receive it")
        let packet = StreamPacket(
            sequence: 0, firstFrame: 0, frames: 480, wallNanoseconds: 0, payload: [UInt8](repeating: 0, count: 960))
        return [.reached, .opening(opening), .packet(packet, nanoseconds: MonotonicClock.nanoseconds())]
    }

    private func reception(_ word: String) throws -> AudioStreaming.Reception {
        let origin = try StreamOrigin(word, payload: RTPPayload(.opus, sampleRate: 48000, channels: 2))
        return AudioStreaming.Reception(
            origin, ReceiverSettings(bufferMilliseconds: nil), Cell(ReceiverExchange()), channels: 1)
    }

    @Test(arguments: ["rtp://127.0.0.1:5004", "tcp-listen://5004"])
    func `goes on after a sender of what cannot be played, where anybody may send`(word: String) throws {
        let (reception, source) = (try reception(word), Events())
        source.next = try stream(hertz: 768_000)
        try reception.work(source, serverRate: 48000)
        #expect(reception.figures.state == .waiting && reception.figures.failure?.kind == .unsupported)
        source.next = try stream(hertz: 44_100)
        try reception.work(source, serverRate: 48000)
        #expect(reception.figures.state == .receiving && reception.figures.failure == nil)
        reception.close()
    }

    @Test func `ends with a server that sends what cannot be played`() throws {
        let (reception, source) = (try reception("http://127.0.0.1:8000/a.wav"), Events())
        source.next = try stream(hertz: 768_000)
        let error = #expect(throws: StreamError.self) { try reception.work(source, serverRate: 48000) }
        #expect(error?.kind == .unsupported)
    }

    @Test func `says how many packets came beside`() throws {
        let (reception, source) = (try reception("rtp://127.0.0.1:5004"), Events())
        source.ignoredPackets = 3
        try reception.work(source, serverRate: 48000)
        #expect(reception.figures.ignoredPackets == 3 && reception.figures.receivedPackets == 0)
    }

    @Test func `counts a header that is none once`() throws {
        let (reception, source) = (try reception("http://127.0.0.1:8000/a.opus"), Events())
        let opening = try StreamOpening(.opus, rate: 48000, channels: 3, packetFrames: 960, operation: "receive it")
        let header = StreamPacket(
            flags: .header, sequence: 0, firstFrame: 0, frames: 0, wallNanoseconds: 0, payload: [1, 2, 3])
        source.next = [.reached, .opening(opening), .packet(header, nanoseconds: MonotonicClock.nanoseconds())]
        try reception.work(source, serverRate: 48000)
        #expect(reception.figures.damagedPackets == 1 && reception.figures.receivedPackets == 1)
        reception.close()
    }
}
