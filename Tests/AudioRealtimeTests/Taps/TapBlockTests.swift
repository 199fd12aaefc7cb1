import AudioDSP
import AudioRealtime
import TestSupport
import Testing

@Suite("What a tap says of its blocks")
struct TapBlockTests {
    private func readAll(_ tap: inout TapReader) -> [(block: TapBlock, samples: [Float])] {
        var blocks: [(block: TapBlock, samples: [Float])] = []
        var target: [Float] = []
        while let block = tap.readBlock(interleavedInto: &target) {
            blocks.append((block, Array(target.prefix(Int(block.frames) * tap.channels))))
        }
        return blocks
    }

    private func interleave(_ signals: [[Float]]) -> [Float] {
        (0..<signals[0].count).flatMap { frame in signals.map { $0[frame] } }
    }

    private let run = TapRun(sampleRate: 44100, cause: .reset)

    @Test func `is when each came, where it belongs and how long it is`() {
        var generator = SeededGenerator(seed: 150)
        let device = FakeDevice()
        var tap = device.tap(capacity: 40_000)
        device.reset(parameters: .cubic, rampFrames: 0, run: run)
        var wanted: [(entry: UInt64, time: UInt32, position: UInt64, samples: [Float])] = []
        var position: UInt64 = 0
        for frames in [64, 1, 0, 63, 16] {
            let (entry, time) = (device.nanoseconds, device.frameTime)
            let output = device.cycle([generator.signal(count: frames), generator.signal(count: frames)])
            if frames > 0 { wanted.append((entry, time, position, interleave(output))) }
            position += UInt64(frames)
        }
        let blocks = readAll(&tap)
        #expect(blocks.map(\.block.entryNanoseconds) == wanted.map(\.entry))
        #expect(blocks.map(\.block.frameTime) == wanted.map(\.time))
        #expect(blocks.map(\.block.position) == wanted.map(\.position))
        #expect(blocks.map { Int($0.block.frames) } == [64, 1, 63, 16])
        #expect(blocks.map(\.samples) == wanted.map(\.samples))
        #expect(blocks.allSatisfy { $0.block.run == run && $0.block.pausedFrames == 0 })
    }

    @Test func `is said of each part of a long period, as if it had come when its first frame did`() {
        let device = FakeDevice()
        var tap = device.tap(capacity: 40_000)
        device.reset(parameters: .cubic, rampFrames: 0, run: TapRun(sampleRate: 48000))
        let (entry, time) = (device.nanoseconds, device.frameTime)
        device.cycle(frames: 20_000)
        let blocks = readAll(&tap).map(\.block)
        #expect(blocks.map { Int($0.frames) } == [8192, 8192, 3616])
        #expect(blocks.map(\.position) == [0, 8192, 16384])
        #expect(blocks.map(\.frameTime) == [time, time + 8192, time + 16384])
        #expect(blocks.map { $0.entryNanoseconds - entry } == [0, 170_666_666, 341_333_333])
    }

    @Test func `tells one run from another, also where it began for the same reason`() {
        let device = FakeDevice()
        var tap = device.tap(capacity: 4000)
        for cause: TapRun.Cause in [.start, .restart, .restart, .reset] {
            device.reset(parameters: .cubic, rampFrames: 0, run: TapRun(sampleRate: 48000, cause: cause))
            device.cycle(frames: 64)
            device.cycle(frames: 64)
        }
        let blocks = readAll(&tap).map(\.block)
        #expect(blocks.map(\.run.cause) == [.start, .start, .restart, .restart, .restart, .restart, .reset, .reset])
        let numbers = blocks.map(\.runNumber)
        #expect(Set(numbers).count == 4)
        #expect(numbers == numbers.sorted())
    }

    @Test(arguments: [1, 2, 3, 64, 1000])
    func `goes with whole blocks only, and the next one tells how much was dropped`(_ capacity: Int) {
        var generator = SeededGenerator(seed: 151 + UInt64(capacity))
        let device = FakeDevice(parameters: ShaperSetting(shape: .off), longest: 1200)
        var tap = device.tap(capacity: capacity)
        var waiting: [(position: UInt64, samples: [Float])] = []
        var (position, dropped, matches) = (UInt64(0), 0, true)
        for _ in 0..<400 {
            let frames = Int.random(in: 1...(capacity + 1), using: &generator)
            let signals = [generator.signal(count: frames), generator.signal(count: frames)]
            _ = device.cycle(signals)
            if waiting.reduce(frames, { $0 + $1.samples.count / 2 }) <= capacity {
                waiting.append((position, interleave(signals)))
            } else {
                dropped += frames
            }
            position += UInt64(frames)
            guard Bool.random(using: &generator) else { continue }
            let read = readAll(&tap)
            matches = matches && read.map(\.block.position) == waiting.map(\.position)
            matches = matches && read.map(\.samples) == waiting.map(\.samples)
            waiting = []
        }
        #expect(matches)
        #expect(dropped > 0 && tap.droppedFrames == UInt64(dropped))
    }

    @Test func `has room for periods of sixteen frames as long as their sound has`() {
        let device = FakeDevice(longest: 64)
        var tap = device.tap(capacity: 48_000)
        for _ in 0..<3000 { device.cycle(frames: 16) }
        #expect(tap.droppedFrames == 0)
        device.cycle(frames: 16)
        #expect(tap.droppedFrames == 16)
        #expect(readAll(&tap).count == 3000)
    }

    @Test func `has a limit too, beyond which a block is dropped like one that has no room itself`() {
        let device = FakeDevice(longest: 64)
        var tap = device.tap(capacity: 16_384)
        for _ in 0..<9000 { device.cycle(frames: 1) }
        // The longest period in the shortest blocks finds room.
        #expect(tap.droppedFrames == 9000 - 8192)
        #expect(readAll(&tap).map(\.samples).count == 8192)
        device.cycle(frames: 4)
        #expect(readAll(&tap).map(\.block.position) == [9000])
    }

    @Test func `does not matter to who reads frame by frame`() {
        var generator = SeededGenerator(seed: 152)
        let device = FakeDevice(parameters: ShaperSetting(shape: .off), longest: 64)
        var tap = device.tap(capacity: 2000)
        var (wanted, read, target): ([Float], [Float], [Float]) = ([], [], [])
        for _ in 0..<200 {
            let count = Int.random(in: 1...64, using: &generator)
            let signals = [generator.signal(count: count), generator.signal(count: count)]
            wanted += interleave(device.cycle(signals))
            let frames = tap.read(interleavedInto: &target, capacity: Int.random(in: 0...70, using: &generator))
            read += target.prefix(frames * 2)
        }
        while case let frames = tap.read(interleavedInto: &target, capacity: 7), frames > 0 {
            read += target.prefix(frames * 2)
        }
        #expect(read == wanted)
    }
}

@Suite("A pause")
struct PauseTests {
    private func readAll(_ tap: inout TapReader) -> (blocks: [TapBlock], samples: [Float]) {
        var (blocks, samples, target): ([TapBlock], [Float], [Float]) = ([], [], [])
        while let block = tap.readBlock(interleavedInto: &target) {
            blocks.append(block)
            samples += target.prefix(Int(block.frames) * tap.channels)
        }
        return (blocks, samples)
    }

    private let ones = [[Float](repeating: 0.5, count: 64)]

    @Test func `fades out, keeps the silence from the taps, and fades in again`() {
        let device = FakeDevice(channels: 1, parameters: ShaperSetting(shape: .off), rampFrames: 100)
        var tap = device.tap(channels: 1, capacity: 4096)
        _ = device.cycle(ones)
        device.pause(true)
        var heard: [[Float]] = []
        for _ in 0..<10 { heard += device.cycle(ones) }
        #expect(heard[0][0] == 0.5 && heard[1][35] < 0.01 && heard[1][36] == 0)
        #expect(heard[2...].allSatisfy { $0.allSatisfy { $0 == 0 } }, "what goes out is silent too")
        device.pause(false)
        heard = (0..<3).flatMap { _ in device.cycle(ones) }
        #expect(heard[0][0] == 0 && heard[0][1] > 0 && heard[1][36] == 0.5)

        let (blocks, samples) = readAll(&tap)
        // One before it, two of the fade, three after it.
        #expect(blocks.map(\.position) == [0, 64, 128, 704, 768, 832])
        #expect(blocks.map(\.pausedFrames) == [0, 0, 0, 512, 512, 512])
        #expect(Array(samples.suffix(192)) == heard.flatMap { $0 })
        #expect(tap.droppedFrames == 0, "what was not wanted was not dropped")
        let records = device.takeRecords()
        #expect(records.count == 14)
        #expect(device.meters.totals(0).frames == 14 * 64)
    }

    @Test func `is there from the first frame on where a unit starts with it, and at once without a ramp`() {
        let device = FakeDevice(channels: 1, parameters: ShaperSetting(shape: .off))
        var tap = device.tap(channels: 1, capacity: 4096)
        device.pause(true)
        device.reset(parameters: ShaperSetting(shape: .off), rampFrames: 0)
        #expect(device.cycle(ones)[0].allSatisfy { $0 == 0 })
        device.pause(false)
        #expect(device.cycle(ones) == ones)
        device.pause(true)
        _ = device.cycle(ones)
        let blocks = readAll(&tap).blocks
        #expect(blocks.map(\.position) == [64] && blocks.map(\.pausedFrames) == [64])
    }

    @Test func `of a muted unit fades as any other does, and its end is not the mute's`() {
        let device = FakeDevice(channels: 1, parameters: ShaperSetting(shape: .off), rampFrames: 100)
        var tap = device.tap(channels: 1, capacity: 4096)
        var parameters = ShaperSetting(shape: .off)
        parameters.isMuted = true
        device.reset(parameters: parameters, rampFrames: 100)
        _ = device.cycle(ones)
        device.pause(true)
        for _ in 0..<3 { _ = device.cycle(ones) }
        device.pause(false)
        #expect(device.cycle(ones)[0].allSatisfy { $0 == 0 })
        #expect(readAll(&tap).blocks.map(\.position) == [0, 64, 128, 256])
    }

    @Test func `that ends before it has faded out leaves nothing out`() {
        let device = FakeDevice(channels: 1, parameters: ShaperSetting(shape: .off), rampFrames: 1000)
        var tap = device.tap(channels: 1, capacity: 4096)
        device.pause(true)
        for _ in 0..<5 { _ = device.cycle(ones) }
        device.pause(false)
        for _ in 0..<5 { _ = device.cycle(ones) }
        let blocks = readAll(&tap).blocks
        #expect(blocks.count == 10 && blocks.allSatisfy { $0.pausedFrames == 0 })
    }
}
