import AudioDSP
import AudioRealtime
import Synchronization
import TestSupport
import Testing

@Suite("A probe player")
struct ProbePlayerTests {
    private let signal = (0..<256).map { Float($0) }

    private func play(_ player: borrowing ProbePlayer, frames: Int, frameTime: UInt32) -> [Float] {
        let memory = UnsafeMutablePointer<Float>.allocate(capacity: max(1, frames))
        defer { memory.deallocate() }
        memory.initialize(repeating: .nan, count: max(1, frames))
        realtime { player.play(into: Samples(memory, count: frames), frameTime: frameTime) }
        return Array(UnsafeBufferPointer(start: memory, count: frames))
    }

    @Test(
        "plays the signal's frame of that time, and begins again at its end",
        arguments: [0, 1, 64, 255, 256, 257, 1000])
    func followsTheClock(frames: Int) {
        let player = ProbePlayer(signal)
        for time in [UInt32(0), 1, 200, 255, 256, 70_000, .max - 10, .max] {
            let expected = (0..<frames).map { signal[Int((time &+ UInt32($0)) & 255)] }
            #expect(play(player, frames: frames, frameTime: time) == expected)
        }
    }

    @Test("does not know what it played before")
    func remembersNothing() {
        let player = ProbePlayer(signal)
        let first = play(player, frames: 64, frameTime: 500)
        _ = play(player, frames: 64, frameTime: 3)
        #expect(play(player, frames: 64, frameTime: 500) == first)
    }
}

/// A capture whose audio thread and worker are both the test.
private final class CaptureRig {
    private let capture: Cell<ProbeCapture>
    private let unit: Cell<RenderUnit>
    private var samples: FrameConsumer
    private var records: Consumer<CycleRecord>
    private let dropped = Cell(Atomic<UInt64>(0))
    private let memory: UnsafeMutablePointer<Float>
    private let longest = 20_000

    init(frames: Int = 1 << 15, cycles: Int = 64) {
        let ring = FrameRing(channels: 2, capacity: frames)
        let records = Ring<CycleRecord>(capacity: cycles)
        capture = Cell(ProbeCapture(samples: ring.producer, records: records.producer, droppedFrames: dropped))
        unit = Cell(RenderUnit(.probe(nil, capture.pointer), keeping: [capture], inputs: 2))
        samples = ring.consumer
        self.records = records.consumer
        memory = .allocate(capacity: 2 * longest)
        memory.initialize(repeating: 0, count: 2 * longest)
    }

    deinit { memory.deallocate() }

    var droppedFrames: UInt64 { dropped.pointer.pointee.load(ordering: .relaxed) }

    /// One cycle of the audio thread: channel c hears 1000 (c + 1) + frame. The second may have no buffer.
    func hear(frames: Int, frameTime: UInt32, hasSecond: Bool = true, sampleRate: UInt32 = 48000) {
        for channel in 0..<2 {
            for frame in 0..<frames { memory[channel * longest + frame] = Float(1000 * (channel + 1) + frame) }
        }
        realtime {
            unit.pointer.pointee.inputs.set(0, to: memory)
            unit.pointer.pointee.inputs.set(1, to: hasSecond ? memory + longest : nil)
            unit.pointer.pointee.render(
                frames: frames, frameTime: frameTime, entryNanoseconds: 0, sampleRate: sampleRate)
            unit.pointer.pointee.finish(exitNanoseconds: 0)
        }
    }

    /// The oldest cycle that the worker finds.
    func next() -> (record: CycleRecord, channels: [[Float]])? {
        guard let record = records.pop() else { return nil }
        let frames = Int(record.frames)
        #expect(samples.available(wanting: frames) >= frames)
        var channels: [[Float]] = []
        for channel in 0..<2 {
            var block = [Float](repeating: 0, count: max(1, frames))
            block.withUnsafeMutableBufferPointer { block in
                guard let base = block.baseAddress else { return }
                samples.read(into: Samples(base, count: frames), channel: channel)
            }
            channels.append(Array(block.prefix(frames)))
        }
        samples.release(frames)
        return (record, channels)
    }
}

@Suite("A probe capture")
struct ProbeCaptureTests {
    private func expected(_ channel: Int, _ frames: Range<Int>) -> [Float] {
        frames.map { Float(1000 * (channel + 1) + $0) }
    }

    @Test("hands over each cycle with its time", arguments: [0, 1, 63, 64, 1024, 8192])
    func handsOver(frames: Int) throws {
        let rig = CaptureRig()
        for cycle in 0..<3 {
            let time = UInt32.max - 100 &+ UInt32(cycle * frames)
            rig.hear(frames: frames, frameTime: time)
            guard frames > 0 else { continue }
            let heard = try #require(rig.next())
            #expect(heard.record.frameTime == time && heard.record.frames == UInt32(frames))
            #expect(heard.record.position == UInt64(cycle * frames))
            #expect(heard.channels == [expected(0, 0..<frames), expected(1, 0..<frames)])
        }
        #expect(rig.next() == nil)
        #expect(rig.droppedFrames == 0)
    }

    @Test("hands a period over in slices that is longer than the longest block")
    func slices() throws {
        let rig = CaptureRig()
        rig.hear(frames: 10_000, frameTime: 5)
        let first = try #require(rig.next())
        let second = try #require(rig.next())
        #expect(first.record.frameTime == 5 && first.record.frames == 8192)
        #expect(second.record.frameTime == 8197 && second.record.frames == 1808)
        #expect(second.channels[1] == expected(1, 8192..<10_000))
    }

    @Test("tells the sample rate of each cycle")
    func tellsTheRate() throws {
        let rig = CaptureRig()
        for rate: UInt32 in [48000, 44100, 48000] { rig.hear(frames: 16, frameTime: 0, sampleRate: rate) }
        #expect((0..<3).compactMap { _ in rig.next()?.record.sampleRate } == [48000, 44100, 48000])
    }

    @Test("hears silence where a port has no buffer")
    func missingBuffer() throws {
        let rig = CaptureRig()
        rig.hear(frames: 64, frameTime: 0, hasSecond: false)
        let heard = try #require(rig.next())
        #expect(heard.channels == [expected(0, 0..<64), [Float](repeating: 0, count: 64)])
    }

    @Test("drops whole cycles where nobody reads, and counts their frames", arguments: [(200, 64), (1 << 15, 3)])
    func drops(frames: Int, cycles: Int) throws {
        let rig = CaptureRig(frames: frames, cycles: cycles)
        for cycle in 0..<5 { rig.hear(frames: 64, frameTime: UInt32(64 * cycle)) }
        #expect(rig.droppedFrames == 128)
        for cycle in 0..<3 { #expect(try #require(rig.next()).record.frameTime == UInt32(64 * cycle)) }
        #expect(rig.next() == nil)
        rig.hear(frames: 64, frameTime: 640)
        let heard = try #require(rig.next())
        #expect(heard.record.frameTime == 640)
        #expect(heard.channels == [expected(0, 0..<64), expected(1, 0..<64)])
    }
}
