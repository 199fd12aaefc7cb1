import AudioDSP
import TestSupport
import Testing

@Suite("A gain ramp")
struct RampTests {
    /// What the ramp does to a constant input of 1: its own values.
    private func values(of ramp: Ramp, count: Int) -> [Float] {
        processed([Float](repeating: 1, count: count)) { $0.applyGain(ramp) }
    }

    @Test("is start + step · i at frame i, and the target exactly from its end on")
    func valuesFollowTheLine() {
        var generator = SeededGenerator(seed: 10)
        for frames in [1, 2, 7, 8, 9, 63, 64, 480, 1000] {
            let start = Float.random(in: 0...8, using: &generator)
            let target = Float.random(in: 0...8, using: &generator)
            var ramp = Ramp(start)
            ramp.move(to: target, over: frames)
            let step = (target - start) / Float(frames)
            let line = (0..<frames).map { start + step * Float($0) }
            #expect(values(of: ramp, count: frames + 50) == line + [Float](repeating: target, count: 50))
        }
    }

    @Test("moves a constant by no more than its step from one sample to the next")
    func rampsMakeNoZipperNoise() {
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<50 {
            let frames = Int.random(in: 1...600, using: &generator)
            let start = Float.random(in: 0...4, using: &generator)
            let target = Float.random(in: 0...4, using: &generator)
            var ramp = Ramp(start)
            ramp.move(to: target, over: frames)
            let output = values(of: ramp, count: frames + 9)
            // The step and each value are rounded, at a magnitude below 4.
            let step = abs(target - start) / Float(frames) + 4 * 0x1p-22
            #expect(zip(output, output.dropFirst()).allSatisfy { abs($1 - $0) <= step })
        }
    }

    @Test("that is sent elsewhere midway goes on from where it is")
    func restartIsContinuous() {
        var generator = SeededGenerator(seed: 12)
        for _ in 0..<50 {
            let frames = Int.random(in: 2...500, using: &generator)
            let turn = Int.random(in: 1..<frames, using: &generator)
            var ramp = Ramp(Float.random(in: 0...4, using: &generator))
            ramp.move(to: Float.random(in: 0...4, using: &generator), over: frames)
            let before = values(of: ramp, count: turn + 1)
            ramp.advance(by: turn)
            #expect(ramp.value == before[turn])
            let target = Float.random(in: 0...4, using: &generator)
            ramp.move(to: target, over: frames)
            let after = values(of: ramp, count: frames + 1)
            #expect(after[0] == before[turn], "the first frame of the new way is the old way's next")
            #expect(after[frames] == target)
        }
    }

    @Test("over no frames jumps, and so does a negative length")
    func zeroLengthJumps() {
        for frames in [0, -5] {
            var ramp = Ramp(0.25)
            ramp.move(to: 2, over: frames)
            #expect(ramp.remaining == 0)
            #expect(ramp.value == 2)
            #expect(values(of: ramp, count: 3) == [2, 2, 2])
        }
    }

    @Test("to where it already is stands still")
    func sameTargetStandsStill() {
        var ramp = Ramp(0.5)
        ramp.move(to: 0.5, over: 100)
        #expect(ramp.remaining == 0)
        #expect(ramp.value == 0.5)
    }

    @Test("takes no more frames than a float can count")
    func lengthIsLimited() {
        var ramp = Ramp(0)
        ramp.move(to: 1, over: Int.max)
        #expect(ramp.remaining == 1 << 24)
        // To the last frame, every index is exact and every value below the target.
        ramp.advance(by: (1 << 24) - 3)
        let last: [Float] = [3, 2, 1, 0].map { 1 - $0 * 0x1p-24 }
        #expect(values(of: ramp, count: 4) == last)
    }

    @Test("does not pass its end however far it is advanced")
    func advanceStopsAtTheEnd() {
        var ramp = Ramp(1)
        ramp.move(to: 3, over: 10)
        ramp.advance(by: 4)
        #expect(ramp.remaining == 6)
        ramp.advance(by: Int.max)
        #expect(ramp.remaining == 0)
        #expect(ramp.value == 3)
    }

    @Test("of gain zero is silence")
    func zeroGainIsSilence() {
        #expect(processed([0.5, -0.5, 1e13]) { $0.applyGain(Ramp(0)) } == [0, 0, 0])
    }
}
