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

    private func reception(
        _ word: String, bufferMilliseconds: Double? = nil, _ exchange: Cell<ReceiverExchange> = Cell(ReceiverExchange())
    ) throws -> AudioStreaming.Reception {
        let origin = try StreamOrigin(word, payload: RTPPayload(.opus, sampleRate: 48000, channels: 2))
        return AudioStreaming.Reception(
            origin, ReceiverSettings(bufferMilliseconds: bufferMilliseconds), exchange, channels: 1)
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

    @Test(arguments: ["rtp://127.0.0.1:5004", "http://127.0.0.1:8000/a.wav"])
    func `tells why it is silent where the server comes back at too low a rate, and goes on at a better one`(
        word: String
    ) throws {
        let (reception, source) = (try reception(word), Events())
        let opening = try StreamOpening(.pcm16, rate: 96_000, channels: 1, packetFrames: 480, operation: "receive it")
        // In an hour: no sender counts as silent before that, however slow this machine is.
        let start = MonotonicClock.nanoseconds() + 3_600_000_000_000
        source.next = [.reached, .opening(opening), packet(0, level: 8192, at: start)]
        try reception.work(source, serverRate: 48_000)
        #expect(reception.figures.failure == nil)
        for (rate, kind) in [(8000, .unsupported), (44_100, nil), (8000, .unsupported), (44_100, nil)]
            as [(Int, StreamError.Kind?)]
        {
            try reception.work(source, serverRate: rate)
            #expect(reception.figures.state == .receiving && reception.figures.failure?.kind == kind, "\(rate)")
        }
        reception.close()
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

    private struct WeakFeed { weak var cell: Cell<ReceiverFeed>? }

    /// A packet of a constant level that comes at a time.
    private func packet(_ sequence: UInt32, level: Int16, at nanoseconds: UInt64) -> SourceEvent {
        let samples = [Int16](repeating: level.littleEndian, count: 480)
        let packet = StreamPacket(
            sequence: sequence, firstFrame: UInt64(sequence) * 480, frames: 480, wallNanoseconds: 0,
            payload: samples.withUnsafeBytes { Array($0) })
        return .packet(packet, nanoseconds: nanoseconds)
    }

    /// The loudest sample in the 1.3 s from a time on.
    private func loudest(_ callback: borrowing ReceiverCallback, from nanoseconds: UInt64) -> Float {
        var loudest: Float = 0
        for block in 0..<60 {
            let heard = callback.render(1024, from: 1024 * block, at: nanoseconds + UInt64(block) * 21_333_333)
            for sample in heard { loudest = max(loudest, abs(sample)) }
        }
        return loudest
    }

    @Test func `keeps three feeds while nobody renders, and then only the newest stream is heard`() throws {
        let exchange = Cell(ReceiverExchange())
        let (reception, source) = (try reception("rtp://127.0.0.1:5004", bufferMilliseconds: 500, exchange), Events())
        let callback = ReceiverCallback(exchange)
        let opening = try StreamOpening(.pcm16, rate: 48000, channels: 1, packetFrames: 480, operation: "receive it")
        // In an hour: no sender counts as silent before that, however slow this machine is.
        let start = MonotonicClock.nanoseconds() + 3_600_000_000_000
        var feeds: [WeakFeed] = []
        func begin(level: Int16) throws {
            source.next = [.opening(opening), packet(0, level: level, at: start)]
            try reception.work(source, serverRate: 48000)
            feeds.append(WeakFeed(cell: reception.stream?.line?.cell))
        }
        for _ in 0..<10 {
            try begin(level: 26_000)
            // The last packet came so long ago that nobody can still be hearing it.
            source.next = [packet(1, level: 26_000, at: 1), .ended]
            try reception.work(source, serverRate: 48000)
            #expect(reception.figures.state == .waiting)
        }
        try begin(level: 8192)
        try reception.work(source, serverRate: 48000)
        let kept = feeds.count { $0.cell != nil }
        #expect(kept <= 3, "\(kept)")
        // The audio thread takes a feed that was offered before: it would play a stream that is over.
        let stale = loudest(callback, from: start)
        #expect(stale == 0, "\(stale)")
        try reception.work(source, serverRate: 48000)
        let newest = loudest(callback, from: start)
        // The resampler may ring at the ends of the packet.
        #expect((0.24...0.3).contains(newest), "\(newest)")
        reception.close()
    }
}
