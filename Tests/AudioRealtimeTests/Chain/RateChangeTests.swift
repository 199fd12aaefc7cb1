import AudioDSP
import AudioRealtime
import TestSupport
import Testing

@Suite("A server that changes its sample rate while sound runs")
struct RateChangeTests {
    private func readAll(_ tap: inout TapReader) -> [TapBlock] {
        var (blocks, target): ([TapBlock], [Float]) = ([], [])
        while let block = tap.readBlock(interleavedInto: &target) { blocks.append(block) }
        return blocks
    }

    @Test func `begins a new run for the taps, and each record tells the rate of its cycle`() {
        let device = FakeDevice()
        var tap = device.tap(capacity: 4000)
        device.reset(parameters: .cubic, rampFrames: 0, run: TapRun(sampleRate: 48000))
        for rate: UInt32 in [48000, 48000, 44100, 44100, 96000] {
            device.sampleRate = rate
            device.cycle(frames: 64)
        }
        let blocks = readAll(&tap)
        #expect(blocks.map(\.run.sampleRate) == [48000, 48000, 44100, 44100, 96000])
        #expect(blocks.map(\.run.cause) == [.start, .start, .rateChange, .rateChange, .rateChange])
        #expect(blocks.map { $0.runNumber - blocks[0].runNumber } == [0, 0, 1, 1, 2])
        #expect(blocks.map(\.position) == [0, 64, 128, 192, 256], "nothing is left out")
        #expect(device.takeRecords().map(\.sampleRate) == [48000, 48000, 44100, 44100, 96000])
    }

    @Test(arguments: [0, UInt32.max, 3_072_001])
    func `is not believed what no server runs at`(_ rate: UInt32) {
        let device = FakeDevice()
        var tap = device.tap(capacity: 4000)
        device.reset(parameters: .cubic, rampFrames: 0, run: TapRun(sampleRate: 48000))
        device.sampleRate = rate
        device.cycle(frames: 64)
        #expect(readAll(&tap).map(\.run) == [TapRun(sampleRate: 48000)])
    }

    /// How many frames a fade from 0.5 to silence takes.
    private func fadeFrames(_ device: FakeDevice) -> Int? {
        let ones = [[Float](repeating: 0.5, count: 4096)]
        _ = device.cycle(ones)
        device.send(.mute(true))
        let heard = device.cycle(ones)[0]
        device.send(.mute(false))
        _ = device.cycle(ones)
        return heard.firstIndex(of: 0)
    }

    @Test func `leaves ramps as long as they were, in time`() {
        let device = FakeDevice(channels: 1, parameters: ShaperSetting(shape: .off))
        device.reset(parameters: ShaperSetting(shape: .off), rampFrames: 480, run: TapRun(sampleRate: 48000))
        for (rate, frames): (UInt32, Int) in [(48000, 480), (96000, 960), (44100, 441), (48000, 480)] {
            device.sampleRate = rate
            #expect(fadeFrames(device) == frames)
        }
    }

    @Test func `leaves the corner of the blocker of DC where it was`() {
        var generator = SeededGenerator(seed: 900)
        let signal = [generator.signal(count: 512)]
        func device(at rate: Int) -> FakeDevice {
            let device = FakeDevice(channels: 1, parameters: ShaperSetting(shape: .asymmetric))
            device.reset(
                parameters: ShaperSetting(shape: .asymmetric), rampFrames: 0, run: TapRun(sampleRate: rate))
            return device
        }
        let moved = device(at: 48000)
        moved.sampleRate = 192_000
        let output = moved.cycle(signal)
        #expect(output == device(at: 192_000).cycle(signal))
        #expect(output != device(at: 48000).cycle(signal))
    }

    @Test func `reaches the worker of a queue with the buffer in which it happens`() {
        let rig = QueueRig(frames: 64, count: 2)
        rig.reset()
        let signal = [[Float](repeating: 0.25, count: 32)]
        for rate: UInt32 in [48000, 48000, 48000, 44100, 44100, 44100] {
            rig.sampleRate = rate
            _ = rig.cycle(signal)
            rig.work()
        }
        #expect(rig.takeCycles().map(\.sampleRate) == [48000, 48000, 48000, 44100, 44100, 44100])
        #expect(rig.takeBuffers().map(\.sampleRate) == [48000, 44100, 44100])
    }
}
