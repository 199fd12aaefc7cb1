import TestSupport
import Testing

@testable import AudioStreaming

/// Which times the packets of a station and of a file get; no clock runs here.
@Suite("The pace of a stream in the form of a file") struct BodyPaceTests {
    private let opening = StreamOpening(
        codec: .pcm16, rate: 48000, channels: 1, packetFrames: 960, firstFrame: 0, wallNanoseconds: 0)
    private static let second: UInt64 = 1_000_000_000

    /// As many packets of 20 ms, from a number on.
    private func packets(_ range: Range<Int>) -> [SoundPiece] {
        range.map { number in
            .packet(
                StreamPacket(
                    sequence: UInt32(number), firstFrame: UInt64(number) * 960, frames: 960, wallNanoseconds: 0,
                    payload: [UInt8](repeating: 0, count: 1920)))
        }
    }

    @Test func `is a file's where more comes than may wait, though none of it lasts`() throws {
        let opening = try StreamOpening(.pcm16, rate: 48000, channels: 1, packetFrames: 480, operation: "receive it")
        var pace = BodyPace()
        for time in UInt64(0)..<40 {
            pace.add(Array(repeating: .opening(opening), count: 1000), at: time)
            _ = pace.take(at: time)
        }
        #expect(pace.mode == .file && pace.heldBytes < 4 << 20)
    }

    private func numbers(_ taken: [BodyPace.DuePiece]) -> [Int] {
        taken.compactMap { if case .packet(let packet) = $0.piece { Int(packet.sequence) } else { nil } }
    }

    @Test func `of a station is that at which it comes, behind the last second of a burst`() {
        var pace = BodyPace()
        let start: UInt64 = 5_000_000_000
        // Eight seconds at once, then one packet every 20 ms.
        pace.add([.opening(opening)] + packets(0..<400), at: start)
        var taken: [BodyPace.DuePiece] = []
        for step in 1...100 {
            let now = start + UInt64(step) * 20_000_000
            pace.add(packets((399 + step)..<(400 + step)), at: now)
            taken += pace.take(at: now)
        }
        let heard = numbers(taken)
        #expect(heard == Array((heard.first ?? 0)...499))
        #expect((350...360).contains(heard.first ?? 0), "\(heard.first ?? 0)")
        #expect(pace.takeLeftOutPackets() == heard.first && pace.takeLeftOutPackets() == 0)
        if case .opening(opening)? = taken.first?.piece {} else { Issue.record("the opening is left out") }
        #expect(taken.last?.nanoseconds == start + 2 * Self.second && pace.mode == .live)
    }

    @Test func `of a station without a burst leaves nothing out while it is found what it is`() {
        var pace = BodyPace()
        let start: UInt64 = 5_000_000_000
        pace.add([.opening(opening)], at: start)
        var taken: [BodyPace.DuePiece] = []
        // A fifth of a second at a time.
        for step in 1...20 {
            let now = start + UInt64(step) * 200_000_000
            pace.add(packets((10 * step - 10)..<(10 * step)), at: now)
            taken += pace.take(at: now)
        }
        #expect(numbers(taken) == Array(0..<200) && pace.takeLeftOutPackets() == 0 && pace.mode == .live)
    }

    @Test(arguments: [2, 10, 50]) func `of a station that sends many packets together is that at which each was due`(
        count: Int
    ) {
        var pace = BodyPace()
        let start: UInt64 = 5_000_000_000
        pace.add([.opening(opening)] + packets(0..<400), at: start)
        var taken: [BodyPace.DuePiece] = []
        for step in 1...(500 / count) {
            let now = start + UInt64(step * count) * 20_000_000
            pace.add(packets((400 + (step - 1) * count)..<(400 + step * count)), at: now)
            let due = pace.take(at: now)
            // None is to have come before it did.
            if !taken.isEmpty { #expect(due.allSatisfy { $0.nanoseconds >= now }) }
            taken += due
        }
        #expect(numbers(taken) == Array((numbers(taken).first ?? 0)...899) && pace.mode == .live)
        // Behind what is kept of the burst.
        let times = taken.suffix(350).map(\.nanoseconds)
        let steps = Set(zip(times, times.dropFirst()).map { $1 - $0 })
        #expect(steps.allSatisfy { (19_999_990...20_000_010).contains($0) }, "\(steps)")
        #expect(times.last == start + 10 * Self.second + UInt64(count - 1) * 20_000_000)
    }

    @Test func `of a station that sends a second at a time tells its clock's rate, though seconds are late by chance`()
    {
        // A late second makes all of its packets late: that is one error, and not fifty.
        let drifts = (0..<21).map { drift(seed: $0, jitter: 0.02) }.sorted()
        #expect(drifts[10] < 300, "\(drifts)")
    }

    /// What is taken for the sender's drift after ten seconds, in millionths; its clock is right.
    ///
    /// - Parameter jitter: the longest delay of a second's packets, in seconds.
    private func drift(seed: UInt64, jitter: Double) -> Double {
        var generator = SeededGenerator(seed: seed)
        var pace = BodyPace()
        var loop = PlayoutLoop(streamRate: 48000, serverRate: 48000, delay: 1)
        pace.add([.opening(opening)] + packets(0..<400), at: 5 * Self.second)
        for step in 1...10 {
            let late = Double.random(in: 0...jitter, using: &generator)
            let now = UInt64(5 + step) * Self.second + UInt64(late * 1e9)
            pace.add(packets((350 + step * 50)..<(400 + step * 50)), at: now)
            for due in pace.take(at: now) {
                guard case .packet(let packet) = due.piece, due.isTimed else { continue }
                _ = loop.arrive(Int(packet.firstFrame), at: Double(due.nanoseconds) / 1e9)
            }
        }
        return abs(loop.sender.frequency / 48000 - 1) * 1e6
    }

    @Test func `of a station that begins to send more packets together stays where its clock has it`() {
        var pace = BodyPace()
        let start: UInt64 = 5_000_000_000
        pace.add([.opening(opening)] + packets(0..<400), at: start)
        var taken: [BodyPace.DuePiece] = []
        // Twenty by themselves, then ten at a time.
        for end in Array(401...420) + Array(stride(from: 430, through: 900, by: 10)) {
            let now = start + UInt64(end - 400) * 20_000_000
            pace.add(packets((end <= 420 ? end - 1 : end - 10)..<end), at: now)
            taken += pace.take(at: now)
        }
        #expect(pace.mode == .live)
        for due in taken.suffix(300) where due.isTimed {
            guard case .packet(let packet) = due.piece else { continue }
            #expect(due.nanoseconds == start + UInt64(packet.sequence - 399) * 20_000_000)
        }
    }

    @Test func `of a file is that at which each packet is to be heard, and none is left out`() {
        var pace = BodyPace()
        var now: UInt64 = 7_000_000_000
        var sent = 0
        var taken: [BodyPace.DuePiece] = []
        var most = 0
        // As fast as it is taken: a minute and a half.
        while taken.count < 4500 {
            if pace.wantsMore, sent < 4500 {
                pace.add(packets(sent..<min(sent + 50, 4500)), at: now)
                sent += 50
                now += 1_000_000
            } else {
                now = max(now + 1, pace.nextNanoseconds ?? now)
            }
            taken += pace.take(at: now)
            most = max(most, Int(pace.heldSeconds))
        }
        #expect(numbers(taken) == Array(0..<4500) && pace.mode == .file && most <= 61)
        let times = taken.map(\.nanoseconds)
        #expect(times[times.count - 1] - times[0] == 4499 * 20_000_000)
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 == 20_000_000 })
        // It is not read on while enough waits.
        #expect(pace.isEmpty)
    }

    @Test func `of a file that says so is that at once, and goes on later where it comes too late`() {
        var pace = BodyPace()
        let start: UInt64 = 1_000_000_000
        pace.add(packets(0..<10), at: start)
        pace.noteFile(at: start)
        #expect(numbers(pace.take(at: start)) == Array(0..<10))
        let late = start + 3 * Self.second
        pace.add(packets(10..<11), at: late)
        #expect(pace.take(at: late).map(\.nanoseconds) == [late])
    }

    @Test func `of what began like a station and comes faster is that of a file from then on`() {
        var pace = BodyPace()
        let start: UInt64 = 1_000_000_000
        var sent = 0
        // Twice as fast as it lasts.
        for step in 0..<1000 {
            let now = start + UInt64(step) * 20_000_000
            if pace.wantsMore {
                pace.add(packets(sent..<(sent + 2)), at: now)
                sent += 2
            }
            _ = pace.take(at: now)
        }
        #expect(pace.mode == .file && pace.heldSeconds < 5)
    }

    @Test func `of a station stays that for a day, though its clock is faster, and after a stall that it makes up for`()
    {
        var pace = BodyPace()
        var now: UInt64 = 5_000_000_000
        /// A second of sound at once.
        func second() -> [SoundPiece] {
            let packet = StreamPacket(
                sequence: 0, firstFrame: 0, frames: 48000, wallNanoseconds: 0, payload: [0])
            return [.packet(packet)]
        }
        pace.add([.opening(opening)] + second(), at: now)
        for _ in 0..<86_400 {
            now += Self.second - 100_000
            pace.add(second(), at: now)
            _ = pace.take(at: now)
        }
        #expect(pace.mode == .live)
        for lost in [40, 80] {
            now += UInt64(lost) * Self.second
            _ = pace.take(at: now)
            for _ in 0..<lost { pace.add(second(), at: now) }
            _ = pace.take(at: now)
        }
        #expect(pace.mode == .live)
        // What numbers alone tell of has not come sooner than it was made.
        let missing = StreamPacket(sequence: 0, firstFrame: 0, frames: 480_000, wallNanoseconds: 0, payload: [])
        pace.add([.packet(missing)], at: now)
        _ = pace.take(at: now)
        #expect(pace.mode == .live)
        for _ in 0..<5 { pace.add(second(), at: now) }
        _ = pace.take(at: now)
        #expect(pace.mode == .file)
    }

    @Test func `asks for no look in the past while it is not known what it is`() throws {
        var pace = BodyPace()
        var now: UInt64 = 5_000_000_000
        let start = now
        pace.add([.opening(opening)] + packets(0..<50), at: now)
        var (looks, sent) = (0, 1)
        while pace.mode == .unknown, looks < 1000 {
            _ = pace.take(at: now)
            guard pace.mode == .unknown, let next = pace.nextNanoseconds else { break }
            try #require(next > now)
            looks += 1
            now = min(max(next, now + 1), start + UInt64(sent) * Self.second)
            guard now == start + UInt64(sent) * Self.second else { continue }
            pace.add(packets((sent * 50)..<((sent + 1) * 50)), at: now)
            sent += 1
        }
        #expect(pace.mode == .live && looks < 20 && now <= start + 3 * Self.second, "\(looks)")
    }
}
