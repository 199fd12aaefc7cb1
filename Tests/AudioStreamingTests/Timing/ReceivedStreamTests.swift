import AudioFiles
import AudioRealtime
import TestSupport
import Testing

@testable import AudioStreaming

/// Packets whose numbers and times are hostile.
@Suite("A stream that is received") struct ReceivedStreamTests {
    private static let opening = StreamOpening(
        codec: .pcm16, rate: 48000, channels: 1, packetFrames: 480, firstFrame: 0, wallNanoseconds: 0)
    private let now: UInt64 = 1_000_000_000

    private func stream() throws -> ReceivedStream {
        try ReceivedStream(
            Self.opening, channels: 1, serverRate: 48000, settings: ReceiverSettings(), first: 0.01, at: now)
    }

    @Test(arguments: [(.infinity, 5000), (-1, 0), (.nan, 0), (7.5, 7.5)] as [(Double, Double)])
    func `has a buffer of a length that there can be, also where it is set later`(
        milliseconds: Double, due: Double
    ) throws {
        var settings = ReceiverSettings()
        settings.bufferMilliseconds = milliseconds
        #expect(settings.bufferMilliseconds == due && settings == ReceiverSettings(bufferMilliseconds: milliseconds))
        let stream = try ReceivedStream(
            Self.opening, channels: 1, serverRate: 48000, settings: settings, first: 0.01, at: now)
        #expect(stream.take(packet(0, 0), at: now))
        _ = stream.work(at: now)
        #expect(stream.line != nil)
    }

    private func packet(_ sequence: UInt32, _ frame: UInt64, flags: StreamPacket.Flags = []) -> StreamPacket {
        StreamPacket(
            flags: flags, sequence: sequence, firstFrame: frame, frames: 480, wallNanoseconds: 0,
            payload: [UInt8](repeating: 1, count: 960))
    }

    @Test(arguments: [1, 2] as [UInt32], [[], .gap] as [StreamPacket.Flags])
    func `with a hole of 2³¹ frames at its end holds no silence for it and is over`(
        sequence: UInt32, flags: StreamPacket.Flags
    ) throws {
        let stream = try stream()
        #expect(stream.take(packet(0, 1 << 40), at: now))
        #expect(stream.take(packet(sequence, 1 << 40 + 1 << 31, flags: flags), at: now))
        stream.end()
        _ = stream.work(at: now)
        #expect(stream.line?.written == 480)
        #expect(stream.figures.silentFrames == 0 && stream.figures.gapFrames == 0)
        #expect(stream.figures.playedFrames == 480)
        #expect(stream.isOver(at: now + 1_000_000_000))
    }

    @Test(arguments: [Int64.min, -5_000_000_000_000_000_000, 0, .max])
    func `takes any time of the sender, and counts no latency from one that cannot be`(wall: Int64) {
        let now: Int64 = 1_700_000_000_000_000_000
        let age = RenderTime(frame: 48000, wallNanoseconds: wall).age(of: 0, at: now, rate: 48000)
        if wall > now - .max {
            #expect(age == Double(now - wall) / 1e9 + 1)
        } else {
            #expect(age == nil)
        }
        #expect(RenderTime(frame: .min, wallNanoseconds: wall).age(of: 1e300, at: now, rate: 48000)?.isFinite ?? true)
    }

    /// Two frames of one length, which have an even number of bytes, and what stands for a packet that is missing.
    @Test(arguments: [[0xfd, 1, 2, 3, 4, 5], []] as [[UInt8]])
    func `of damaged packets only a tenth of a second is made up for`(payload: [UInt8]) throws {
        let opening = StreamOpening(
            codec: .opus, rate: 48000, channels: 1, packetFrames: 480, firstFrame: 0, wallNanoseconds: 0)
        let stream = try ReceivedStream(
            opening, channels: 1, serverRate: 48000, settings: ReceiverSettings(), first: 0.01, at: now)
        for number in UInt32(0)..<50 {
            var packet = packet(number, UInt64(number) * 480)
            packet.payload = payload
            #expect(stream.take(packet, at: now))
        }
        stream.end()
        _ = stream.work(at: now)
        #expect(stream.figures.damagedPackets == 50)
        #expect(stream.figures.concealedFrames == 4800 && stream.figures.silentFrames == 40 * 480)
    }

    @Test func `that ends as its sender begins again counts no packet of the next one`() throws {
        let stream = try stream()
        for number in UInt32(0)..<60 { #expect(stream.take(packet(number, UInt64(number) * 480), at: now)) }
        var count = 60
        for number in UInt32(0)..<60 {
            guard stream.take(packet(number, UInt64(number) * 480), at: now + UInt64(number) * 10_000_000) else {
                break
            }
            count += 1
        }
        let figures = stream.figures
        #expect(count < 120 && figures.receivedPackets == count && figures.duplicatePackets == count - 60)
    }

    @Test func `counts what its sender has dropped once, though it tells it twice`() throws {
        let stream = try stream()
        #expect(stream.take(packet(0, 0), at: now))
        var next = packet(4, 1920, flags: .loss)
        next.lostPackets = 3
        for _ in 0..<2 { #expect(stream.take(next, at: now)) }
        #expect(stream.figures.droppedBySender == 3 && stream.figures.duplicatePackets == 1)
    }

    @Test func `that has ended counts what underran once, though the server changes its rate then`() throws {
        let stream = try stream()
        #expect(stream.take(packet(0, 0), at: now))
        _ = stream.work(at: now)
        let callback = ReceiverCallback()
        callback.play(stream)
        let times = (UInt64(0)..<6).map { now + $0 * 21_333_333 }
        for (number, time) in times.enumerated() { callback.render(1024, from: 1024 * number, at: time) }
        _ = stream.work(at: times[5])
        stream.end()
        let underrun = stream.figures.underrunFrames
        #expect(underrun > 0)
        stream.follow(serverRate: 44100, at: times[5])
        #expect(stream.figures.underrunFrames == underrun)
        callback.play(nil)
    }

    /// A pulse in each packet is heard as long as the filter is.
    @Test func `goes on in another feed by the same filter, though its sender's clock is too fast`() throws {
        let stream = try stream()
        let callback = ReceiverCallback()
        var payload = [UInt8](repeating: 0, count: 960)
        payload[1] = 0x40
        var sent: UInt32 = 0
        var position = 0
        var heard: [Float] = []
        // Callbacks of 10 ms for 5 s, and for 1 s again after 12 s without any: a feed has no room for so much.
        for turn in 0..<1800 {
            let time = now + UInt64(turn) * 10_000_000
            // Packets of 10 ms come each 9.985 ms: faster than the loop makes any step slower.
            while now + UInt64(sent) * 9_985_000 <= time {
                var packet = packet(sent, UInt64(sent) * 480)
                packet.payload = payload
                #expect(stream.take(packet, at: now + UInt64(sent) * 9_985_000))
                sent += 1
            }
            _ = stream.work(at: time)
            callback.play(stream)
            guard !(500..<1700).contains(turn) else { continue }
            heard += callback.render(480, from: position, at: time)
            position += 480
        }
        callback.play(nil)
        // Of the last three packets: 64 frames of each, and twice as many by a filter for a stream of a higher rate.
        let frames = heard.suffix(3 * 480).count { $0 != 0 }
        #expect(frames > 3 * 50 && frames < 3 * 100, "\(frames)")
    }

    @Test func `as Ogg goes on behind its last page number`() {
        let opening = StreamOpening(
            codec: .opus, rate: 48000, channels: 1, packetFrames: 480, firstFrame: 0, wallNanoseconds: 0)
        let muxer = OggMuxer(opening, [1, 2], .opus, pages: OggStream(firstPage: .max - 2))
        var reader = OggReader()
        for sequence in UInt32(0)..<3 {
            reader.append(muxer.bytes(of: packet(sequence, UInt64(sequence) * 480), missing: 0)[...])
        }
        var numbers: [UInt32] = []
        while let page = reader.next() { numbers.append(page.number) }
        let last = UInt32.max
        #expect(numbers == [last - 2, last - 1, last, 0, 1])
    }
}
