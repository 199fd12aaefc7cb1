import TestSupport
import Testing

@testable import AudioRealtime
@testable import AudioStreaming

/// A sender, a worker and callbacks around a stream that is received: no time passes but the one that is counted here.
private struct ReceivedRun {
    var period = 1024
    /// Frames of what a sender makes at once.
    var length = 1024
    /// And of the parts that it is sent in, which come 50 µs apart.
    var part = 350
    /// From what is sent to a callback, in nanoseconds.
    var phase: UInt64 = 0
    /// By how much each seventh comes later, in nanoseconds.
    var lateness: UInt64 = 0
    /// Whether the first part of each seventh never comes.
    var hasLosses = false
    /// By how much later than it wants to the worker wakes up, in nanoseconds.
    var oversleep: UInt64 = 0
    let settings: ReceiverSettings

    private static let transit: UInt64 = 400_000
    private static let apart: UInt64 = 50_000

    private struct Arrival {
        var time: UInt64
        var packet: StreamPacket
    }

    private func time(_ frames: Int) -> UInt64 { 1_000_000_000 + UInt64(frames) * 1_000_000_000 / 48000 }

    private func arrivals(seconds: Double) -> [Arrival] {
        var (arrivals, sequence): ([Arrival], UInt32) = ([], 0)
        for number in 0..<Int(seconds * 48000) / length {
            for (index, start) in stride(from: 0, to: length, by: part).enumerated() {
                let frames = min(part, length - start)
                let packet = StreamPacket(
                    flags: [], sequence: sequence, firstFrame: UInt64(number * length + start), frames: UInt32(frames),
                    wallNanoseconds: 0, payload: [UInt8](repeating: 1, count: 2 * frames))
                let isSeventh = number > 40 && number % 7 == 0
                let late = isSeventh ? lateness : 0
                let time = time((number + 1) * length) + Self.transit + UInt64(index) * Self.apart + late
                if !(hasLosses && isSeventh && index == 0) { arrivals.append(Arrival(time: time, packet: packet)) }
                sequence += 1
            }
        }
        return arrivals.sorted { $0.time < $1.time }
    }

    func run(seconds: Double) throws -> ReceiverFigures {
        let callbacks = ReceiverCallback()
        let arrivals = arrivals(seconds: seconds)
        let stream = try ReceivedStream(
            StreamOpening(
                codec: .pcm16, rate: 48000, channels: 1, packetFrames: length, firstFrame: 0, wallNanoseconds: 0),
            channels: 1, serverRate: 48000, period: period, settings: settings, first: 0.01, at: arrivals[0].time)
        var (next, position, wake) = (0, 0, UInt64.max)
        while next < arrivals.count {
            let callback = time(position) + phase
            let now = min(callback, wake, arrivals[next].time)
            if now == callback {
                callbacks.render(period, from: position, at: now)
                position += period
                continue
            }
            while next < arrivals.count, arrivals[next].time == now {
                #expect(stream.take(arrivals[next].packet, at: now))
                next += 1
            }
            wake = stream.work(at: now) + oversleep
            callbacks.play(stream)
        }
        callbacks.play(nil)
        return stream.figures
    }
}

@Suite("A stream that is received in time") struct ReceivedInTimeTests {
    @Test(arguments: [64, 256, 1024], [0.0, 0.3, 0.7])
    func `is heard whole where its packets come no later than the buffer holds, and not where they come much later`(
        period: Int, phase: Double
    ) throws {
        for (length, part) in [(1024, 350), (256, 256)] {
            var run = ReceivedRun(settings: ReceiverSettings(bufferMilliseconds: 6))
            (run.period, run.length, run.part) = (period, length, part)
            run.phase = UInt64(phase * Double(period) / 48000 * 1e9)
            run.lateness = 5_700_000
            let heard = try run.run(seconds: 3)
            #expect(heard.latePackets == 0 && heard.silentFrames == 0 && heard.concealedFrames == 0, "\(heard)")
            #expect(heard.underrunFrames == 0, "\(heard)")
            // Beyond the buffer and all that the callbacks' phase may give besides.
            let blocks = Double(2 * max(period, length))
            run.lateness = UInt64((0.008 + blocks / 48000) * 1e9)
            #expect(try run.run(seconds: 3).latePackets > 0)
        }
    }

    @Test(arguments: [256, 1024], [0.0, 0.2, 0.4, 0.6, 0.8])
    func `is heard behind a hole, though the worker wakes up late`(period: Int, phase: Double) throws {
        var run = ReceivedRun(settings: ReceiverSettings(bufferMilliseconds: 6))
        (run.period, run.part, run.hasLosses) = (period, 256, true)
        run.phase = UInt64(phase * Double(period) / 48000 * 1e9)
        for oversleep in [0, 3_000_000] as [UInt64] {
            run.oversleep = oversleep
            let heard = try run.run(seconds: 3)
            #expect(heard.lostPackets == 14 && heard.latePackets == 0 && heard.silentFrames == 14 * 256, "\(heard)")
            // No earlier than the buffer's time is over can it be decided, and no earlier than the worker's lateness behind that.
            let most = 14 * Int(oversleep * 48000 / 1_000_000_000)
            #expect(heard.underrunFrames <= most, "\(heard)")
        }
    }
}

@Suite("The schedule of the callbacks") struct BlockScheduleTests {
    @Test(arguments: 0..<50)
    func `has a frame due when it says, and one that was overtaken before that, never before the buffer`(
        seed: UInt64
    ) {
        var generator = SeededGenerator(seed: seed)
        let period = Double.random(in: 1e6...25e6, using: &generator)
        let reading = ReceiverReading(
            entryNanoseconds: 1_000_000_000, position: 0, frames: 256,
            streamFrame: Double.random(in: -500...5000, using: &generator), underrunFrames: 0, jumps: 0)
        let schedule = BlockSchedule(
            reading: reading, frames: Double.random(in: 200...1200, using: &generator), periodNanoseconds: period,
            lookahead: 33, lateness: Double.random(in: 0...10e6, using: &generator))
        for _ in 0..<20 {
            let blocks = Double.random(in: 1.01...4, using: &generator)
            let frame = Int(reading.streamFrame + blocks * schedule.frames) + 33
            let (due, overtaken) = (
                schedule.time(of: frame, isOvertaken: false), schedule.time(of: frame, isOvertaken: true)
            )
            #expect(schedule.needed(at: due + 1000) > frame && schedule.needed(at: due - 2000) <= frame)
            #expect(
                schedule.overtaken(at: overtaken + 1000) > frame && schedule.overtaken(at: overtaken - 2000) <= frame)
            #expect(overtaken <= due && Double(due - overtaken) <= schedule.lateness + 2)
            // A block before the callback that reads it in its middle, as if each frame had one of its own.
            let latest = Double(reading.entryNanoseconds - BlockSchedule.marginNanoseconds) + (blocks - 1) * period
            #expect(Double(overtaken) > latest - period / schedule.frames * 2)
        }
    }
}
