import AudioRealtime
import TestSupport
import Testing

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
                let late = number > 40 && number % 7 == 0 ? lateness : 0
                let time = time((number + 1) * length) + Self.transit + UInt64(index) * Self.apart + late
                arrivals.append(Arrival(time: time, packet: packet))
                sequence += 1
            }
        }
        return arrivals.sorted { $0.time < $1.time }
    }

    func run(seconds: Double) throws -> ReceiverFigures {
        let exchange = Cell(ReceiverExchange())
        let state = Cell(ReceiverState(exchange, sampleRate: 48000))
        let plan = Cell(
            PlanBuilder.plan(
                row: [PlanNode(.receiver(state), channels: 1), PlanNode(.output(channels: 1), channels: 1)],
                rampFrames: 0))
        plan.pointer.pointee.changeRate(to: 48000)
        let inputs = PortBuffers(channels: 1)
        let outputs = PortBuffers(channels: 0)
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
                var block = TapBlock(run: TapRun(sampleRate: 48000))
                (block.position, block.frames, block.entryNanoseconds) = (UInt64(position), UInt32(period), now)
                _ = plan.pointer.pointee.render(inputs, outputs, from: 0, &block)
                position += period
                continue
            }
            while next < arrivals.count, arrivals[next].time == now {
                #expect(stream.take(arrivals[next].packet, at: now))
                next += 1
            }
            wake = stream.work(at: now)
            exchange.pointer.pointee.offer(stream.line?.cell)
        }
        exchange.pointer.pointee.offer(nil)
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
}
