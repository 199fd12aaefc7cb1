import AudioRealtime
import TestSupport
import Testing

@testable import AudioStreaming

@Suite("When a stream looks for blocks") struct BlockPaceTests {
    /// Callbacks up to 0.1 ms late, a worker up to 0.1 ms late.
    ///
    /// - Returns: looks in a second, and the longest time from a callback's start to the look that found its block, in nanoseconds.
    private func look(frames: UInt32, every nanoseconds: UInt64, until end: UInt64 = .max) -> (
        looks: Int, longest: UInt64
    ) {
        var generator = SeededGenerator(seed: 5)
        var pace = BlockPace(every: nanoseconds)
        let period = UInt64(frames) * 1_000_000_000 / 48000
        let blocks = (0..<(10_000_000_000 / period)).map { number in
            var block = TapBlock(run: TapRun(sampleRate: 48000))
            block.frames = frames
            block.entryNanoseconds = 1_000_000 + number * period + UInt64.random(in: 0...100_000, using: &generator)
            return block
        }
        var (now, found, looks, longest): (UInt64, Int, Int, UInt64) = (0, 0, 0, 0)
        while now < 10_000_000_000 {
            while found < blocks.count, blocks[found].entryNanoseconds + 50_000 <= now, now < end {
                // The first ones are not expected.
                if found > 5 { longest = max(longest, now - blocks[found].entryNanoseconds) }
                pace.take(blocks[found])
                found += 1
            }
            looks += 1
            now = pace.next(after: now) + UInt64.random(in: 0...100_000, using: &generator)
        }
        return (looks / 10, longest)
    }

    @Test func `a block is found soon after it is there, without looking much oftener than there are blocks`() {
        let short = look(frames: 64, every: 1_000_000)
        #expect(short.looks < 760 && short.longest < 1_500_000, "\(short)")
        let usual = look(frames: 256, every: 1_250_000)
        #expect(usual.looks < 200 && usual.longest < 800_000, "\(usual)")
        let long = look(frames: 1024, every: 1_250_000)
        #expect(long.looks < 160 && long.longest < 800_000, "\(long)")
    }

    @Test func `packets that are long are looked for as seldom as they permit`() {
        let looks = look(frames: 64, every: 10_000_000).looks
        #expect(90...110 ~= looks, "\(looks)")
    }

    @Test func `a server that stands still is looked for a few hundred times a second`() {
        let looks = look(frames: 256, every: 2_500_000, until: 1).looks
        #expect(looks <= 400, "\(looks)")
    }
}
