import AudioDSP
import AudioRealtime
import TestSupport
import Testing

@Suite("A unit's taps")
struct TapTests {
    private func interleave(_ signals: [[Float]]) -> [Float] {
        (0..<signals[0].count).flatMap { frame in signals.map { $0[frame] } }
    }

    private func readAll(_ tap: inout TapReader) -> [Float] {
        var target: [Float] = []
        let frames = tap.read(interleavedInto: &target, capacity: 100_000)
        return Array(target.prefix(frames * tap.channels))
    }

    @Test("hold exactly what went to the outputs")
    func tapsHoldTheOutput() {
        var generator = SeededGenerator(seed: 140)
        let device = FakeDevice(channels: 3, rampFrames: 50)
        var tap = device.tap(channels: 3, capacity: 40_000)
        var wanted: [Float] = []
        for frames in [64, 1, 0, 20_000, 63] {
            device.send(.gain(Float.random(in: 0...2, using: &generator)))
            wanted += interleave(device.cycle((0..<3).map { _ in generator.signal(count: frames) }))
        }
        #expect(readAll(&tap).bits == wanted.bits)
        #expect(tap.droppedFrames == 0)
    }

    @Test("are read in runs of any length that is asked for")
    func anyLengthIsRead() {
        var generator = SeededGenerator(seed: 145)
        let device = FakeDevice(parameters: ShaperSetting(shape: .off))
        var tap = device.tap(capacity: 100)
        let block = [generator.signal(count: 64), generator.signal(count: 64)]
        _ = device.cycle(block)
        var target: [Float] = []
        for capacity in [0, -1, .min] {
            let count = tap.read(interleavedInto: &target, capacity: capacity)
            #expect(count == 0)
        }
        let count = tap.read(interleavedInto: &target, capacity: .max)
        #expect(count == 64 && target == interleave(block))
    }

    @Test("take a block whole or not at all, and count what they drop")
    func blocksAreAllOrNothing() {
        var generator = SeededGenerator(seed: 141)
        let device = FakeDevice(parameters: ShaperSetting(shape: .off))
        var tap = device.tap(capacity: 100)
        let blocks = (0..<4).map { _ in [generator.signal(count: 64), generator.signal(count: 64)] }
        _ = device.cycle(blocks[0])
        _ = device.cycle(blocks[1])
        #expect(tap.droppedFrames == 64)
        #expect(readAll(&tap) == interleave(blocks[0]))
        _ = device.cycle(blocks[2])
        #expect(readAll(&tap) == interleave(blocks[2]))
        _ = device.cycle([generator.signal(count: 101), generator.signal(count: 101)])
        #expect(readAll(&tap).isEmpty, "what is longer than the tap never fits")
        #expect(tap.droppedFrames == 165)
    }

    @Test("drop each for itself")
    func tapsAreIndependent() {
        var generator = SeededGenerator(seed: 142)
        let device = FakeDevice(parameters: ShaperSetting(shape: .off))
        var large = device.tap(capacity: 1000)
        var small = device.tap(capacity: 64)
        let first = [generator.signal(count: 64), generator.signal(count: 64)]
        let second = [generator.signal(count: 64), generator.signal(count: 64)]
        _ = device.cycle(first)
        _ = device.cycle(second)
        #expect(readAll(&large) == interleave(first) + interleave(second))
        #expect(readAll(&small) == interleave(first))
        #expect(large.droppedFrames == 0)
        #expect(small.droppedFrames == 64)
    }

    @Test("agree with a model over random periods and readings")
    func tapsMatchTheModel() {
        var generator = SeededGenerator(seed: 143)
        for capacity in [1, 2, 3, 100, 128, 1000] {
            let device = FakeDevice(parameters: ShaperSetting(shape: .off), longest: 1200)
            var tap = device.tap(capacity: capacity)
            var model: [Float] = []
            // Of the blocks of which nothing was read: one that was begun has left the tap.
            var lengths: [Int] = []
            var waiting: Int { lengths.reduce(0, +) }
            var dropped = 0
            var matches = true
            for _ in 0..<300 {
                let frames = Int.random(in: 0...(capacity + 1), using: &generator)
                let block = [generator.signal(count: frames), generator.signal(count: frames)]
                _ = device.cycle(block)
                if waiting + frames <= capacity {
                    model += interleave(block)
                    if frames > 0 { lengths.append(frames) }
                } else {
                    dropped += frames
                }
                let wanted = Int.random(in: 0...capacity, using: &generator)
                var target: [Float] = []
                let read = tap.read(interleavedInto: &target, capacity: wanted)
                let expected = min(wanted, model.count / 2)
                matches = matches && read == expected && target.prefix(read * 2) == model.prefix(read * 2)
                model.removeFirst(min(model.count, read * 2))
                while waiting > model.count / 2 { lengths.removeFirst() }
            }
            #expect(matches, "capacity \(capacity)")
            #expect(tap.droppedFrames == UInt64(dropped), "capacity \(capacity)")
            #expect(dropped > 0)
        }
    }

    @Test("tell whether a block would find room in every one of them")
    func roomIsThatOfTheFullestTap() {
        let plan = ShaperPlan(channels: 1, parameters: .cubic)
        // Where there is no tap, nothing is in the way.
        var hasRoom = [plan.plan.pointee.isReady(for: 1_000_000, reserveFrames: 0)]
        let large = plan.tap(capacity: 1000)
        hasRoom += [1000, 1001].map { plan.plan.pointee.isReady(for: $0, reserveFrames: 0) }
        do {
            let small = plan.tap(capacity: 10)
            hasRoom += [10, 11].map { plan.plan.pointee.isReady(for: $0, reserveFrames: 0) }
            #expect(small.droppedFrames == 0)
        }
        // The small one is gone.
        hasRoom += [1000, 1001].map { plan.plan.pointee.isReady(for: $0, reserveFrames: 0) }
        #expect(hasRoom == [true, true, false, true, false, true, false])
        #expect(large.droppedFrames == 0)
    }
}
