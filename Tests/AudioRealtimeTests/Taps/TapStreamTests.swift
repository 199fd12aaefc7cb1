import AudioDSP
import AudioRealtime
import TestSupport
import Testing

@Suite("The stream of a tap")
struct TapStreamTests {
    /// Stands in for the audio thread: blocks of two channels, whose samples are their numbers, up and down. Cycles are late,
    /// find no room, are paused, or begin another run.
    private struct Feed: ~Copyable {
        private let writer: Cell<TapWriter>
        private let planes = Planes(channels: 2, capacity: 64)
        private var block = TapBlock(run: TapRun(sampleRate: 48000))
        private var dueNanoseconds = 1e12
        /// Those that went into the tap.
        private(set) var blocks: [TapBlock] = []

        init(_ writer: Cell<TapWriter>) {
            self.writer = writer
            block.frames = 64
        }

        mutating func cycle(using generator: inout SeededGenerator) {
            var isMissing = false
            switch Int.random(in: 0..<100, using: &generator) {
            case 0..<3: dueNanoseconds += Double.random(in: 1e6...1e7, using: &generator)
            case 3: isMissing = true
            case 4:
                isMissing = true
                block.pausedFrames += 64
            case 5:
                block.run = TapRun(sampleRate: 48000, cause: .restart)
                block.runNumber += 1
                dueNanoseconds += 1e8
            default: break
            }
            block.entryNanoseconds = UInt64(dueNanoseconds)
            if !isMissing {
                for frame in 0..<64 {
                    planes.run(0, count: 64)[frame] = Float(Int(block.position) + frame)
                    planes.run(1, count: 64)[frame] = -Float(Int(block.position) + frame)
                }
                let fits = writer.pointer.pointee.write(block, planes, planes.all)
                #expect(fits)
                blocks.append(block)
            }
            block.position += 64
            block.frameTime &+= 64
            dueNanoseconds += 64e9 / 48000
        }
    }

    private static func isTrue(_ tapped: TappedBlock) -> Bool {
        let start = Int(tapped.block.position)
        let expected = (start..<start + 64).flatMap { (frame: Int) -> [Float] in [Float(frame), -Float(frame)] }
        return tapped.samples == expected
    }

    @Test func `is what the finder of gaps says of its blocks, each with its own samples`() {
        var generator = SeededGenerator(seed: 181)
        let tap = Tap(channels: 2, capacity: 1 << 14)
        var stream = TapStream(tap.reader(capacity: 1 << 14))
        var feed = Feed(tap.writer)
        var steps: [GapFinder.Step] = []
        var (isTrue, mostHeld) = (true, 0)
        func take(_ step: TapStream.Step) {
            switch step {
            case .gap(let gap): steps.append(.gap(gap))
            case .block(let block):
                isTrue = isTrue && Self.isTrue(block)
                steps.append(.block(block.block))
            }
        }
        for _ in 0..<5000 {
            feed.cycle(using: &generator)
            guard Int.random(in: 0..<3, using: &generator) == 0 else { continue }
            while let step = stream.next() { take(step) }
            let (newest, fed) = (stream.newest, feed.blocks)
            #expect(newest == fed.last)
            let come = steps.count { if case .block = $0 { true } else { false } }
            mostHeld = max(mostHeld, fed.count - come)
        }
        let end = UInt64(1e14)
        stream.finish(withoutServerUntil: end)
        while let step = stream.next() { take(step) }
        stream.finish(withoutServerUntil: end)
        let more = stream.next()
        #expect(more == nil)

        var finder = GapFinder()
        let fed = feed.blocks
        let wanted = fed.flatMap { finder.add($0) } + finder.finish(withoutServerUntil: end)
        #expect(steps == wanted && isTrue)
        #expect(Set(wanted.compactMap { if case .gap(let gap) = $0 { gap.cause } else { nil } }).count == 5)
        #expect(mostHeld > 1, "a late block has to hold others back")
    }

    @Test func `holds nothing back where it is prompt, and its gaps are the same`() {
        var generator = SeededGenerator(seed: 182)
        let tap = Tap(channels: 2, capacity: 1 << 12)
        var stream = TapStream(tap.reader(capacity: 1 << 12), isPrompt: true)
        var feed = Feed(tap.writer)
        var (gaps, blocks): ([Gap], [TapBlock]) = ([], [])
        for cycle in 0...5000 {
            if cycle == 5000 { stream.finish(withoutServerUntil: nil) } else { feed.cycle(using: &generator) }
            while let step = stream.next() {
                switch step {
                case .gap(let gap): gaps.append(gap)
                case .block(let block):
                    blocks.append(block.block)
                    #expect(Self.isTrue(block))
                }
            }
            let fed = feed.blocks
            #expect(blocks.count == fed.count)
        }
        let fed = feed.blocks
        var finder = GapFinder()
        let wanted = fed.flatMap { finder.add($0) } + finder.finish()
        #expect(blocks == fed)
        #expect(gaps == wanted.compactMap { if case .gap(let gap) = $0 { gap } else { nil } })
    }
}
