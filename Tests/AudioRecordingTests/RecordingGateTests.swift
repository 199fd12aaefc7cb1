import AudioRealtime
import Testing

@testable import AudioRecording

@Suite("The gate of a recording") struct RecordingGateTests {
    /// Feeds blocks of 480 frames at 48 kHz, which last 10 ms, and writes down what the gate lets through.
    private struct Rig {
        var gate: RecordingGate
        var block = TapBlock(run: TapRun(sampleRate: 48_000))
        var log: [String] = []

        init(_ start: RecordingStart = .immediately) {
            var settings = RecordingSettings()
            settings.start = start
            gate = RecordingGate(settings)
            block.frames = 480
        }

        /// - Parameter position: 0 for as soon as it can be.
        mutating func ask(_ kind: RecordingGate.Request.Kind, at position: UInt64 = 0) {
            gate.add(RecordingGate.Request(position: position, kind: kind))
        }

        mutating func feed() {
            let steps = gate.add(RecordedBlock(block, [Float](repeating: 0, count: 480), channels: 1))
            note(steps)
            block.position += 480
            block.entryNanoseconds += 10_000_000
        }

        /// 20 ms are missing: the unit has rendered them, and the tap had no room, or the server was away.
        mutating func miss(rendered isRendered: Bool) {
            let end = block.position + (isRendered ? 960 : 0)
            let gap = Gap(
                isRendered ? .dropped : .reset, start: block.entryNanoseconds, nanoseconds: 20_000_000, at: block.run,
                endPosition: end)
            let steps = gate.add(gap)
            note(steps)
            block.position = end
            block.entryNanoseconds += 20_000_000
        }

        private mutating func note(_ steps: [RecordingGate.Step]) {
            for step in steps {
                switch step {
                case .begin(let block): log.append("begin \(block.position)")
                case .start: break
                case .block(let part): log.append("block \(part.frames)")
                case .gap(let gap): log.append("\(gap.cause) \(gap.lengthFrames)")
                case .split: log.append("split")
                case .mark(let label): log.append(label)
                case .end: log.append("end")
                }
            }
        }
    }

    @Test func `records nothing of an absence in which it was asked to begin`() {
        for kind in [RecordingGate.Request.Kind.begin, .beginAtOnce] {
            var rig = Rig(.onRequest)
            rig.feed()
            rig.ask(kind)
            rig.miss(rendered: false)
            rig.feed()
            #expect(rig.log == ["begin 480", "block 480"])
        }
    }

    @Test func `has an absence in which it was asked to go on within the pause`() {
        var rig = Rig()
        rig.feed()
        rig.ask(.pause)
        rig.feed()
        rig.ask(.resume)
        rig.miss(rendered: false)
        rig.feed()
        // As long as the block that it left out, and the absence.
        #expect(rig.log == ["begin 0", "block 480", "pause 1440", "block 480"])
    }

    @Test func `begins at a frame that was rendered, though it is missing`() {
        var rig = Rig(.onRequest)
        rig.feed()
        rig.ask(.begin, at: 700)
        rig.miss(rendered: true)
        rig.feed()
        #expect(rig.log == ["begin 700", "dropped 740", "block 480"])
    }

    @Test func `gives its end the names that were for frames behind it, whenever they were asked for`() {
        var rig = Rig()
        rig.ask(.mark("before"), at: 2000)
        rig.ask(.end, at: 500)
        rig.ask(.mark("after"), at: 3000)
        rig.feed()
        rig.feed()
        #expect(rig.log == ["begin 0", "block 480", "block 20", "before", "after", "end"])
    }

    @Test func `gives its end the names of a pause that it ends, and no split`() {
        var rig = Rig()
        rig.ask(.pause, at: 100)
        rig.ask(.mark("in the pause"), at: 200)
        rig.ask(.split, at: 250)
        rig.ask(.end, at: 300)
        rig.feed()
        #expect(rig.log == ["begin 0", "block 100", "in the pause", "end"])
    }
}
