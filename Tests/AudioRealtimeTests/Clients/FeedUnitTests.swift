import AudioDSP
import AudioRealtime
import TestSupport
import Testing

/// A feed whose audio thread and worker are both the test.
private final class FeedRig {
    let state = Cell(FeedState())
    private var producer: FrameProducer
    private let unit: Cell<FeedUnit>
    private let channels: Int
    private let memory: UnsafeMutablePointer<Float>
    private let longest = 1000

    init(channels: Int = 2, capacity: Int = 1000) {
        let ring = FrameRing(channels: channels, capacity: capacity)
        producer = ring.producer
        unit = Cell(FeedUnit(ring.consumer, state: state))
        self.channels = channels
        memory = .allocate(capacity: channels * longest)
        memory.initialize(repeating: 777, count: channels * longest)
    }

    deinit { memory.deallocate() }

    /// The worker delivers frames.
    func deliver(_ signals: [[Float]]) {
        precondition(producer.hasRoom(for: signals[0].count))
        for (channel, signal) in signals.enumerated() {
            var signal = signal
            signal.withUnsafeMutableBufferPointer { buffer in
                guard let base = buffer.baseAddress else { return }
                producer.write(Samples(base, count: buffer.count), channel: channel)
            }
        }
        producer.publish(signals[0].count)
    }

    func start() { state.pointer.pointee.isStarted.store(true, ordering: .releasing) }

    func end(after frames: Int) { state.pointer.pointee.totalFrames.store(frames, ordering: .releasing) }

    func wouldUnderrun(frames: Int, reserve: Int = 0) -> Bool {
        realtime { unit.pointer.pointee.wouldUnderrun(frames: frames, reserve: reserve) }
    }

    /// One cycle of the audio thread; the channels in `without` have no buffer.
    func play(frames: Int, frameTime: UInt32, without: Set<Int> = [], isHeld: Bool = false) -> [[Float]] {
        let missing = (0..<channels).map(without.contains)
        missing.withUnsafeBufferPointer { missing in
            realtime {
                for channel in 0..<missing.count {
                    unit.pointer.pointee.outputs.set(channel, to: missing[channel] ? nil : memory + channel * longest)
                }
                unit.pointer.pointee.render(frames: frames, frameTime: frameTime, isHeld: isHeld)
            }
        }
        return (0..<channels).map { Array(UnsafeBufferPointer(start: memory + $0 * longest, count: frames)) }
    }

    var startFrameTime: Int { state.pointer.pointee.startFrameTime.load(ordering: .acquiring) }
    var endFrameTime: Int { state.pointer.pointee.endFrameTime.load(ordering: .acquiring) }
    var played: Int { state.pointer.pointee.playedFrames.load(ordering: .acquiring) }
    var underrunFrames: Int { state.pointer.pointee.underrunFrames.load(ordering: .acquiring) }
    var cycles: UInt64 { state.pointer.pointee.cycles.load(ordering: .relaxed) }
}

@Suite("A feed unit")
struct FeedUnitTests {
    private let silence = [[Float]](repeating: [Float](repeating: 0, count: 64), count: 2)

    @Test("is silent and takes nothing before it is started")
    func waitsForTheStart() {
        var generator = SeededGenerator(seed: 180)
        let rig = FeedRig()
        let signals = [generator.signal(count: 64), generator.signal(count: 64)]
        rig.deliver(signals)
        #expect(rig.play(frames: 64, frameTime: 0) == silence)
        #expect(rig.played == 0)
        #expect(rig.underrunFrames == 0)
        #expect(rig.startFrameTime == -1)
        rig.start()
        #expect(rig.play(frames: 64, frameTime: 64) == signals)
        #expect(rig.startFrameTime == 64)
        #expect(rig.cycles == 2, "cycles are counted, whether anything is played or not")
    }

    @Test("plays exactly what was delivered, and tells the frame at which it began and ended")
    func playsFromStartToEnd() {
        var generator = SeededGenerator(seed: 181)
        let rig = FeedRig()
        let signals = [generator.signal(count: 150), generator.signal(count: 150)]
        rig.deliver(signals)
        rig.end(after: 150)
        rig.start()
        var heard: [[Float]] = [[], []]
        for cycle in 0..<4 {
            let output = rig.play(frames: 64, frameTime: 1000 + 64 * UInt32(cycle))
            for channel in 0..<2 { heard[channel] += output[channel] }
            #expect(rig.endFrameTime == (cycle < 2 ? -1 : 1150))
        }
        for channel in 0..<2 {
            #expect(heard[channel] == signals[channel] + [Float](repeating: 0, count: 4 * 64 - 150))
        }
        #expect(rig.startFrameTime == 1000)
        #expect(rig.played == 150)
        #expect(rig.underrunFrames == 0, "silence after the end is no underrun")
    }

    @Test("tells an end that falls on the end of a cycle")
    func endsWithTheCycle() {
        let rig = FeedRig()
        rig.deliver(silence)
        rig.end(after: 64)
        rig.start()
        _ = rig.play(frames: 64, frameTime: 5000)
        #expect(rig.endFrameTime == 5064)
        _ = rig.play(frames: 64, frameTime: 5064)
        #expect(rig.endFrameTime == 5064, "the end is told once")
    }

    @Test("with nothing to play has ended when it starts")
    func emptyFeedEnds() {
        let rig = FeedRig()
        rig.end(after: 0)
        rig.start()
        #expect(rig.play(frames: 64, frameTime: 300) == silence)
        #expect(rig.endFrameTime == 300)
        #expect(rig.startFrameTime == -1)
        #expect(rig.underrunFrames == 0)
    }

    @Test("tells the end across the wrap of JACK's frame clock")
    func frameClockWraps() {
        let rig = FeedRig()
        rig.deliver(silence)
        rig.end(after: 64)
        rig.start()
        _ = rig.play(frames: 100, frameTime: UInt32.max - 9)
        #expect(rig.startFrameTime == Int(UInt32.max) - 9)
        #expect(rig.endFrameTime == 54)
    }

    @Test("counts the silence that it plays because the worker is late, and goes on with the next frame")
    func underrunIsCounted() {
        var generator = SeededGenerator(seed: 182)
        let rig = FeedRig()
        let signals = [generator.signal(count: 100), generator.signal(count: 100)]
        rig.start()
        #expect(rig.play(frames: 64, frameTime: 0) == silence)
        #expect(rig.underrunFrames == 64)
        rig.deliver(signals)
        _ = rig.play(frames: 64, frameTime: 64)
        let rest = rig.play(frames: 64, frameTime: 128)
        for channel in 0..<2 {
            #expect(rest[channel] == Array(signals[channel][64...]) + [Float](repeating: 0, count: 28))
        }
        #expect(rig.underrunFrames == 64 + 28)
        #expect(rig.played == 100)
        #expect(rig.startFrameTime == 64)
    }

    @Test("would underrun while it is started, has too little for the cycle, and more is to come")
    func underrunIsForeseen() {
        let rig = FeedRig()
        #expect(!rig.wouldUnderrun(frames: 64), "not before the start")
        rig.start()
        #expect(rig.wouldUnderrun(frames: 64))
        rig.deliver(silence)
        #expect(!rig.wouldUnderrun(frames: 64))
        #expect(rig.wouldUnderrun(frames: 65))
        #expect(!rig.wouldUnderrun(frames: 14, reserve: 50))
        #expect(rig.wouldUnderrun(frames: 15, reserve: 50))
        rig.end(after: 64)
        #expect(!rig.wouldUnderrun(frames: 65), "nothing more is to come")
    }

    @Test("goes on where a port has no buffer")
    func missingBuffer() {
        var generator = SeededGenerator(seed: 183)
        let rig = FeedRig()
        let signals = [generator.signal(count: 128), generator.signal(count: 128)]
        rig.deliver(signals)
        rig.start()
        let first = rig.play(frames: 64, frameTime: 0, without: [0])
        #expect(first[0] == [Float](repeating: 777, count: 64))
        #expect(first[1] == Array(signals[1][..<64]))
        #expect(rig.play(frames: 64, frameTime: 64) == signals.map { Array($0[64...]) })
    }

    @Test("plays a cycle of no frames")
    func emptyCycle() {
        let rig = FeedRig()
        rig.deliver(silence)
        rig.start()
        #expect(rig.play(frames: 0, frameTime: 0) == [[], []])
        #expect(rig.played == 0)
        #expect(rig.startFrameTime == -1)
    }

    @Test func `plays silence while it is held, and goes on at the frame where it was`() {
        let rig = FeedRig(channels: 1)
        rig.deliver([numbered(0..<100)])
        rig.start()
        #expect(rig.play(frames: 10, frameTime: 1000) == [numbered(0..<10)])
        #expect(rig.play(frames: 10, frameTime: 1010, isHeld: true) == [[Float](repeating: 0, count: 10)])
        #expect(rig.play(frames: 10, frameTime: 1020) == [numbered(10..<20)])
        #expect(rig.startFrameTime == 1000)
    }
}
