import AudioRealtime
import TestSupport
import Testing

@testable import AudioRecording

/// A recording that begins and ends with JACK's transport.
@Suite struct TransportTakeTests {
    /// Feeds blocks of 100 frames that tell where they stand, and writes down what the gate lets through.
    private struct Rig {
        var gate: RecordingGate
        var block = TapBlock(run: TapRun(sampleRate: 48000))
        var log: [String] = []

        init(repeats: Bool) {
            var settings = RecordingSettings()
            settings.start = .transport(repeats: repeats)
            gate = RecordingGate(settings)
            block.frames = 100
        }

        mutating func feed(_ transport: TapTransport?, skipping skipped: UInt32 = 0) {
            block.transport = transport
            block.frameTime &+= skipped
            for step in gate.add(RecordedBlock(block, [Float](repeating: 0, count: 100), channels: 1)) {
                switch step {
                case .begin(let block): log.append("begin \(block.transport?.frame ?? 0)")
                case .start(let cause, let block): log.append("\(cause) \(block.transport?.frame ?? 0)")
                case .block(let part): log.append("\(part.block.transport?.frame ?? 0)+\(part.frames)")
                case .gap(let gap): log.append("\(gap.cause)")
                case .mark(let label): log.append(label)
                case .split: log.append("split")
                case .end: log.append("end")
                }
            }
            block.position += 100
            block.frameTime &+= 100
            block.entryNanoseconds += 2_083_333
        }

        mutating func roll(_ frames: UInt32...) { for frame in frames { feed(.init(frame: frame, isRolling: true)) } }
        mutating func stop(_ frame: UInt32) { feed(.init(frame: frame, isRolling: false)) }
    }

    @Test func beginsWithTheTransportAndEndsWithIt() {
        var rig = Rig(repeats: false)
        rig.feed(nil)
        rig.gate.add(RecordingGate.Request(position: 0, kind: .begin))
        rig.stop(500)
        rig.roll(500, 600)
        rig.stop(700)
        rig.roll(700)
        #expect(rig.log == ["begin 500", "transport 500", "500+100", "600+100", "end"])
        #expect(rig.gate.state == .over)
    }

    @Test func takesTheNextRollIntoTheNextFile() {
        var rig = Rig(repeats: true)
        rig.roll(0)
        rig.stop(100)
        #expect(rig.gate.state == .waiting)
        rig.roll(2000)
        #expect(
            rig.log == ["begin 0", "transport 0", "0+100", "end", "begin 2000", "pause", "transport 2000", "2000+100"])
    }

    @Test func anotherPlaceIsAMarkOrTheNextFile() {
        var one = Rig(repeats: false)
        one.roll(0, 5000)
        #expect(one.log == ["begin 0", "transport 0", "0+100", "transport at 5000", "5000+100"])
        var many = Rig(repeats: true)
        many.roll(0, 5000, 5100)
        #expect(
            many.log == [
                "begin 0", "transport 0", "0+100", "end", "begin 5000", "transport 5000", "5000+100", "5100+100",
            ])
    }

    /// As jackd has it: for a cycle the transport waits at the place to which it was moved.
    @Test func thePlaceIsReachedByWayOfACycleInWhichTheTransportStarts() {
        for repeats in [false, true] {
            var rig = Rig(repeats: repeats)
            rig.roll(0)
            rig.feed(.init(frame: 5000, isRolling: false, isStarting: true))
            rig.roll(5000)
            let next = ["end", "begin 5000", "transport 5000"]
            #expect(
                rig.log == ["begin 0", "transport 0", "0+100", "5000+100"]
                    + (repeats ? next : ["transport at 5000"]) + ["5000+100"])
        }
        // Before it rolls for the first time, that begins nothing.
        var early = Rig(repeats: false)
        early.feed(.init(frame: 0, isRolling: false, isStarting: true))
        #expect(early.log.isEmpty)
    }

    /// As on a slave of NetJack2 that a client of its own has moved.
    @Test func aTransportThatNeverStartsHasStopped() {
        var rig = Rig(repeats: true)
        rig.roll(0)
        for _ in 0..<150 * 48 { rig.feed(.init(frame: 5000, isRolling: false, isStarting: true)) }
        #expect(rig.gate.state == .recording)
        rig.feed(.init(frame: 5000, isRolling: false, isStarting: true))
        #expect(rig.gate.state == .waiting && rig.log.last == "end")
        rig.roll(5000)
        // Each wait counts from its own beginning.
        rig.feed(.init(frame: 9000, isRolling: false, isStarting: true))
        #expect(rig.gate.state == .recording)
    }

    @Test func cyclesThatWereLostAreNoOtherPlace() {
        var rig = Rig(repeats: true)
        rig.roll(0)
        // The server ran a cycle without us.
        rig.feed(TapTransport(frame: 200, isRolling: true), skipping: 100)
        // It was late, and its clock alone jumps.
        rig.feed(TapTransport(frame: 300, isRolling: true), skipping: 48)
        #expect(rig.log == ["begin 0", "transport 0", "0+100", "200+100", "300+100"])
    }

    @Test func aPauseEndsWithTheTransport() {
        var rig = Rig(repeats: false)
        rig.roll(0)
        rig.gate.add(RecordingGate.Request(position: 0, kind: .pause))
        rig.roll(100)
        #expect(rig.gate.state == .paused)
        rig.stop(200)
        #expect(rig.gate.state == .over && rig.log.last == "end")
    }

    /// Callbacks come early or late; time that was lost counts.
    @Test(arguments: [(200_000, 500), (5_000_000, 740)])
    func aPauseIsAsLongAsItsFramesUnlessTimeWasLost(lateNanoseconds: UInt64, frames: Int) {
        var gate = RecordingGate(RecordingSettings())
        gate.add(RecordingGate.Request(position: 100, kind: .pause))
        gate.add(RecordingGate.Request(position: 600, kind: .resume))
        var block = TapBlock(run: TapRun(sampleRate: 48000))
        block.frames = 100
        var lengths: [Int] = []
        for number: UInt64 in 0..<8 {
            (block.position, block.entryNanoseconds) = (100 * number, number * 100_000_000 / 48)
            if number >= 6 { block.entryNanoseconds += lateNanoseconds }
            for step in gate.add(RecordedBlock(block, [Float](repeating: 0, count: 100), channels: 1)) {
                if case .gap(let gap) = step { lengths.append(gap.lengthFrames) }
            }
        }
        #expect(lengths == [frames])
    }

    @Test(arguments: [48_000, 24_000])
    func aFileThatBeginsWithinAFilledGapHasItsFrameOfTheTransport(rate: Int) throws {
        let folder = try TemporaryFolder()
        var settings = RecordingSettings()
        settings.start = .transport(repeats: false)
        settings.sampleRate = rate
        settings.split = .seconds(0.11)
        let recorder = try Recorder(
            RecordingName(template: folder("a.wav")), sampleRate: 48_000, channels: 1, settings)
        var feed = try TapFeed.start(recorder, channels: 1, capacity: 65_536)
        feed.roll(from: 1000)
        try feed.feedMore(4800, block: 64)
        // The second file begins in it, after 5280 frames.
        feed.stall(nanoseconds: 20_000_000, skippedFrames: 960)
        try feed.feedMore(9600, block: 64)
        recorder.finish()
        #expect(recorder.failure == nil && recorder.filledFrames == UInt64(rate / 50))
        #expect(recorder.transportFrames == [1000, 6280, 11_560])
    }
}
