import AudioDSP
import AudioMeasurement
import AudioRealtime
import Synchronization
import TestSupport
import Testing

/// A gathering that hears its own signal, late by some frames; the test is its audio thread.
private final class GatheringRig {
    private let signal = ProbeSignal(lengthFrames: 1 << 10)
    private let unit: Cell<RenderUnit>
    let gathering: Cell<ProbeGathering>
    /// Of the next cycle. It wraps soon.
    var frameTime = UInt32.max - 3000
    /// Of the next cycle, in hertz.
    var sampleRate: UInt32 = 48000
    private let memory = UnsafeMutablePointer<Float>.allocate(capacity: 4096)

    /// - Parameter settling: of the gathering.
    init(settling: Int = 0) {
        let ring = FrameRing(channels: 1, capacity: 1 << 16)
        let records = Ring<CycleRecord>(capacity: 1024)
        let capture = Cell(
            ProbeCapture(
                samples: ring.producer, records: records.producer, droppedFrames: Cell(Atomic<UInt64>(0))))
        unit = Cell(RenderUnit(.probe(nil, capture.pointer), keeping: [capture], inputs: 1))
        gathering = Cell(
            ProbeGathering(samples: ring.consumer, records: records.consumer, signal: signal, settling: settling))
    }

    deinit { memory.deallocate() }

    var rounds: Int { gathering.pointer.pointee.estimators[0].blocks }
    var frames: Double? { gathering.pointer.pointee.estimators[0].finding?.estimate?.frames }

    func hear(frames: Int, of period: Int, late delay: Int) {
        var left = frames
        while left > 0 {
            let count = min(left, period)
            for frame in 0..<count {
                memory[frame] = signal.samples[Int((frameTime &+ UInt32(frame) &- UInt32(delay)) & 1023)]
            }
            unit.pointer.pointee.inputs.set(0, to: memory)
            unit.pointer.pointee.render(
                frames: count, frameTime: frameTime, entryNanoseconds: 0, sampleRate: sampleRate)
            frameTime &+= UInt32(count)
            left -= count
            gathering.pointer.pointee.collect()
        }
    }
}

@Suite("A probe's gathering") struct ProbeGatheringTests {
    @Test(arguments: [1, 16, 63, 64, 1000, 1024, 4096])
    func `makes whole rounds of cycles of any length, wherever they begin`(_ period: Int) throws {
        let rig = GatheringRig()
        rig.gathering.pointer.pointee.begin()
        rig.hear(frames: 1024 + 3 * 1024, of: period, late: 37)
        #expect(rig.rounds == 3)
        #expect(abs(try #require(rig.frames) - 37) < 0.001)
        #expect(rig.gathering.pointer.pointee.heardFrames == 4096)
        #expect(rig.gathering.pointer.pointee.brokenRounds == 0)
    }

    @Test func `does not count what was heard before it began, nor what was sent before`() {
        let rig = GatheringRig()
        rig.hear(frames: 5000, of: 64, late: 0)
        #expect(rig.rounds == 0)
        rig.gathering.pointer.pointee.begin()
        rig.hear(frames: 1024 + 1023, of: 1, late: 0)
        #expect(rig.rounds == 0)
        rig.hear(frames: 1, of: 1, late: 0)
        #expect(rig.rounds == 1)
    }

    @Test func `voids the round in which the frame clock has a gap`() throws {
        let rig = GatheringRig()
        rig.gathering.pointer.pointee.begin()
        rig.hear(frames: 1024 + 1024 + 512, of: 64, late: 100)
        rig.frameTime &+= 64
        rig.hear(frames: 512, of: 64, late: 100)
        #expect(rig.rounds == 1 && rig.gathering.pointer.pointee.brokenRounds == 1)
        rig.hear(frames: 512, of: 64, late: 100)
        #expect(rig.rounds == 2)
        #expect(abs(try #require(rig.frames) - 100) < 0.001)
    }

    @Test func `counts a round once, however often the frame clock has gaps in its time`() {
        let rig = GatheringRig()
        rig.gathering.pointer.pointee.begin()
        rig.hear(frames: 1024, of: 64, late: 100)
        for _ in 0..<80 {
            rig.hear(frames: 64, of: 64, late: 100)
            rig.frameTime &+= 64
        }
        // 80 gaps in the time of ten rounds.
        #expect(rig.rounds == 0 && rig.gathering.pointer.pointee.brokenRounds == 10)
    }

    @Test func `leaves out what was disturbed, the rounds that do not count yet among it`() throws {
        let rig = GatheringRig(settling: 2)
        rig.gathering.pointer.pointee.begin()
        // With a `collect` after each cycle the third round does not count yet, and the fourth has begun.
        rig.hear(frames: 1024 + 3 * 1024 + 64, of: 64, late: 100)
        #expect(rig.rounds == 2)
        rig.gathering.pointer.pointee.disturb()
        #expect(rig.gathering.pointer.pointee.brokenRounds == 2)
        // Another way until one round after it.
        rig.hear(frames: 1024, of: 64, late: 500)
        rig.hear(frames: 2 * 1024 + 128, of: 64, late: 100)
        #expect(rig.rounds == 4)
        #expect(abs(try #require(rig.frames) - 100) < 0.001)
        rig.hear(frames: 1024 - 128, of: 64, late: 100)
        #expect(rig.rounds == 4, "it does not count yet")
        rig.gathering.pointer.pointee.end()
        #expect(rig.rounds == 5, "at the end it does")
    }

    @Test func `forgets everything when it begins again`() throws {
        let rig = GatheringRig()
        rig.gathering.pointer.pointee.restart()
        #expect(rig.gathering.pointer.pointee.restarts == 0, "it had not begun")
        rig.gathering.pointer.pointee.begin()
        rig.hear(frames: 4096, of: 64, late: 64)
        rig.gathering.pointer.pointee.restart()
        #expect(rig.rounds == 0 && rig.frames == nil)
        rig.hear(frames: 4096, of: 128, late: 128)
        #expect(abs(try #require(rig.frames) - 128) < 0.001)
        #expect(rig.gathering.pointer.pointee.restarts == 1)
    }

    @Test func `begins again with the first cycle at another sample rate, and knows at which one it measured`() throws {
        let rig = GatheringRig()
        rig.hear(frames: 64, of: 64, late: 64)
        rig.sampleRate = 96000
        rig.gathering.pointer.pointee.begin()
        #expect(rig.gathering.pointer.pointee.sampleRate == nil, "it has heard nothing")
        rig.hear(frames: 4096, of: 64, late: 64)
        #expect(rig.gathering.pointer.pointee.sampleRate == 96000)
        #expect(rig.gathering.pointer.pointee.restarts == 0, "what was before the beginning does not count")
        // In the middle of a round, and of what the worker takes at once.
        rig.hear(frames: 512, of: 64, late: 64)
        rig.sampleRate = 44100
        rig.hear(frames: 64, of: 64, late: 128)
        #expect(rig.gathering.pointer.pointee.restarts == 1)
        #expect(rig.rounds == 0 && rig.frames == nil, "nothing is left of the other rate")
        rig.hear(frames: 1024 + 3 * 1024 - 64, of: 64, late: 128)
        #expect(rig.rounds == 3)
        #expect(abs(try #require(rig.frames) - 128) < 0.001)
        #expect(rig.gathering.pointer.pointee.sampleRate == 44100)
    }

    @Test func `keeps what it found, and the rate of it, once it has ended`() throws {
        let rig = GatheringRig()
        rig.gathering.pointer.pointee.begin()
        rig.hear(frames: 4096, of: 64, late: 64)
        rig.gathering.pointer.pointee.end()
        rig.sampleRate = 44100
        rig.hear(frames: 4096, of: 64, late: 128)
        rig.gathering.pointer.pointee.restart()
        #expect(rig.rounds == 3 && rig.gathering.pointer.pointee.restarts == 0)
        #expect(abs(try #require(rig.frames) - 64) < 0.001)
        #expect(rig.gathering.pointer.pointee.sampleRate == 48000)
        #expect(rig.gathering.pointer.pointee.heardFrames == 8192, "the server is seen to run")
    }
}
