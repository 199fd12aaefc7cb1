import AudioDSP
import AudioRealtime
import TestSupport
import Testing

@Suite("A unit's meters")
struct MeterTests {
    @Test("show what a model makes of the outputs")
    func metersMatchTheModel() {
        var generator = SeededGenerator(seed: 130)
        let device = FakeDevice(channels: 3, parameters: ShaperSetting(shape: .off))
        var heard = [[Float]](repeating: [], count: 3)
        for frames in [64, 0, 1, 9000, 255] {
            // The third channel never clips, the first does in half of its samples.
            let inputs = [2, 1.2, 0.3].map { generator.signal(count: frames, magnitude: $0) }
            for (channel, output) in device.cycle(inputs).enumerated() { heard[channel] += output }
        }
        for channel in 0..<3 {
            let totals = device.meters.totals(channel)
            let squares = heard[channel].reduce(0.0) { $0 + Double($1) * Double($1) }
            #expect(totals.peak == heard[channel].map(abs).max())
            #expect(totals.frames == UInt64(heard[channel].count))
            #expect(totals.clipped == UInt64(heard[channel].count { abs($0) >= 1 }))
            #expect(abs(totals.sumOfSquares - squares) <= squares * 1e-4)
            #expect(abs(totals.rms - (squares / Double(totals.frames)).squareRoot()) <= 1e-4)
        }
    }

    @Test("give the peak since it was last asked for, and the highest for ever")
    func takenPeakBeginsAnew() {
        let device = FakeDevice(channels: 1, parameters: ShaperSetting(shape: .off))
        _ = device.cycle([[0.1, -0.75, 0.5]])
        _ = device.cycle([[0.25]])
        #expect(device.meters.takePeak(0) == 0.75)
        #expect(device.meters.takePeak(0) == 0)
        _ = device.cycle([[0.125]])
        #expect(device.meters.takePeak(0) == 0.125)
        #expect(device.meters.totals(0).peak == 0.75)
    }

    @Test("tell the level between two readings")
    func levelBetweenReadings() {
        let device = FakeDevice(channels: 1, parameters: ShaperSetting(shape: .off))
        #expect(device.meters.totals(0).rms == 0)
        _ = device.cycle([[Float](repeating: 0.9, count: 640)])
        let earlier = device.meters.totals(0)
        #expect(earlier.rms(since: earlier) == 0)
        _ = device.cycle([[Float](repeating: -0.5, count: 64)])
        #expect(device.meters.totals(0).rms(since: earlier) == 0.5)
    }

    @Test("measure what leaves the unit, not what enters it")
    func metersFollowTheChain() {
        let device = FakeDevice(channels: 1, parameters: ShaperSetting(shape: .hard, gain: 10))
        _ = device.cycle([[0.5, -0.5, 0.05]])
        #expect(device.meters.totals(0).peak == 1)
        #expect(device.meters.totals(0).clipped == 2)
    }
    @Test("count the frames that each has measured: none of a channel that has no port")
    func eachCountsItsFrames() {
        let meters = Meters(channels: 2)
        let nodes = [NodeBody.input, .output(Cell(OutputState(meters)))].map { PlanNode($0, channels: 2) }
        let rig = PlanRig(PlanBuilder.plan(row: nodes, rampFrames: 0), inputs: 2, outputs: 1)
        _ = rig.run([[Float](repeating: 0.5, count: 64), [Float](repeating: 0.5, count: 64)], cut: [40, 24])
        #expect(meters.totals(0).frames == 64 && meters.totals(0).rms == 0.5)
        #expect(meters.totals(1).frames == 0 && meters.totals(1).rms == 0)
    }
}
