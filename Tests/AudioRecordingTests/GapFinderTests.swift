import AudioRealtime
import AudioRecording
import TestSupport
import Testing

@Suite("The gaps between the blocks of a tap") struct GapFinderTests {
    private func expect(
        _ stream: GapStream, _ wanted: [(cause: Gap.Cause, nanoseconds: Double, position: Int)],
        _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(stream.gaps.map(\.cause) == wanted.map(\.cause), sourceLocation: location)
        #expect(stream.gaps.map { Int($0.endPosition) } == wanted.map(\.position), sourceLocation: location)
        for (gap, wanted) in zip(stream.gaps, wanted) {
            let length = Double(gap.lengthNanoseconds)
            #expect(abs(length - wanted.nanoseconds) <= stream.periodNanoseconds / 4, sourceLocation: location)
            let frames = wanted.nanoseconds / stream.frameNanoseconds
            #expect(abs(Double(gap.lengthFrames) - frames) <= Double(stream.periodFrames) / 4, sourceLocation: location)
        }
    }

    @Test func `are none where all is regular, and nothing is held back`() {
        var stream = GapStream()
        for count in 1...1000 {
            stream.cycle()
            #expect(stream.blocks.count == count)
        }
        stream.finish()
        #expect(stream.gaps.isEmpty && stream.steps.count == 1000)
    }

    @Test func `are none where cycles come early or late, and the server catches up`() {
        var generator = SeededGenerator(seed: 160)
        var stream = GapStream()
        let range = -0.3 * stream.periodNanoseconds...0.3 * stream.periodNanoseconds
        for _ in 0..<20_000 { stream.cycle(lateBy: Double.random(in: range, using: &generator)) }
        stream.finish()
        #expect(stream.gaps.isEmpty && stream.blocks.count == 20_000)
    }

    @Test(arguments: [10, 40, 300], [0.0, 20_000_000])
    func `are what the server does not make up for, however long it catches up`(periods: Int, lost: Double) {
        var stream = GapStream()
        stream.cycles(100)
        stream.stall(nanoseconds: lost)
        for late in stride(from: Double(periods), to: 0, by: -0.9) {
            stream.cycle(lateBy: late * stream.periodNanoseconds)
        }
        stream.cycles(100)
        expect(stream, lost > 0 ? [(.late, lost, 6400)] : [])
        #expect(stream.blocks.count == Int(stream.block.position) / 64)
    }

    @Test(arguments: [false, true])
    func `are what the server gave up, told when it is certain, in the place where it was late`(skipsFrames: Bool) {
        var stream = GapStream()
        stream.cycles(100)
        stream.stall(nanoseconds: 20_000_000, skipsFrames: skipsFrames)
        stream.cycles(15)
        #expect(stream.blocks.count == 100, "until it is certain, blocks are held back")
        stream.cycles(1)
        #expect(stream.blocks.count == 116)
        stream.cycles(100)
        stream.finish()
        expect(stream, [(skipsFrames ? .skipped : .late, 20_000_000, 6400)])
        #expect(stream.blocks.map(\.position) == (0..<216).map { $0 * 64 })
        if skipsFrames { #expect(stream.gaps.map(\.lengthFrames) == [960], "the frame clock counts whole frames") }
        guard case .gap(let gap) = stream.steps[100] else {
            Issue.record("the gap is where the blocks before it end")
            return
        }
        #expect(abs(Double(gap.startNanoseconds) - 1e12 - 6400 * stream.frameNanoseconds) <= 1000)
    }

    @Test func `are none while a freewheeling server waits for somebody, but for frames that its clock leaves out`() {
        var stream = GapStream()
        stream.cycles(100)
        stream.isFreewheeling = true
        stream.cycles(100)
        stream.stall(nanoseconds: 20_000_000)
        stream.cycles(1)
        #expect(stream.blocks.count == 201, "nothing is held back")
        stream.cycles(99)
        #expect(stream.gaps.isEmpty)
        stream.stall(nanoseconds: 20_000_000, skipsFrames: true)
        stream.cycles(100)
        expect(stream, [(.skipped, 20_000_000, 19_200)])
        // In time again, a stall is one.
        stream.isFreewheeling = false
        stream.cycles(100)
        stream.stall(nanoseconds: 7_000_000)
        stream.cycles(100)
        stream.finish()
        expect(stream, [(.skipped, 20_000_000, 19_200), (.late, 7_000_000, 32_000)])
    }

    @Test func `are told apart where one stall follows another before the first is settled`() {
        var stream = GapStream()
        stream.cycles(100)
        stream.stall(nanoseconds: 20_000_000)
        stream.cycles(5)
        stream.stall(nanoseconds: 7_000_000)
        stream.cycles(100)
        expect(stream, [(.late, 20_000_000, 6400), (.late, 7_000_000, 6720)])
    }

    @Test func `are none so short that they may be jitter: what they would hold is of the one before`() {
        var stream = GapStream()
        stream.cycles(100)
        stream.stall(nanoseconds: 20_000_000)
        stream.cycles(5)
        stream.cycle(lateBy: 0.9 * stream.periodNanoseconds)
        stream.stall(nanoseconds: 0.1 * stream.periodNanoseconds)
        stream.cycles(100)
        expect(stream, [(.late, 20_000_000 + 0.1 * stream.periodNanoseconds, 6400)])
        #expect(abs(stream.accountedNanoseconds - stream.elapsedNanoseconds) < 0.01 * stream.periodNanoseconds)
    }

    @Test func `are in time with the wall, however often a little is lost beside whole cycles`() {
        var stream = GapStream()
        stream.cycles(100)
        for _ in 0..<20 {
            stream.stall(nanoseconds: 20_000_000, skipsFrames: true)
            stream.stall(nanoseconds: 0.2 * stream.periodNanoseconds)
            stream.cycles(100)
            #expect(abs(stream.accountedNanoseconds - stream.elapsedNanoseconds) <= 0.26 * stream.periodNanoseconds)
        }
        #expect(stream.gaps.filter { $0.cause == .skipped }.map(\.lengthFrames) == Array(repeating: 960, count: 20))
        #expect(stream.gaps.count { $0.cause == .late } == 10, "0.4 of a period each second time")
    }

    @Test func `are where the loss was, not where a cycle before it was late and caught up`() {
        var stream = GapStream()
        stream.cycles(100)
        stream.cycle(lateBy: 0.9 * stream.periodNanoseconds)
        stream.cycles(4)
        stream.stall(nanoseconds: 20_000_000)
        stream.cycles(100)
        expect(stream, [(.late, 20_000_000, 105 * 64)])
    }

    @Test func `are the cycles that the server ran without us, although it made up for the time`() {
        var stream = GapStream()
        stream.cycles(100)
        for _ in 0..<20 { stream.cycle(lateBy: 1.2 * stream.periodNanoseconds) }
        stream.stall(nanoseconds: stream.periodNanoseconds, skipsFrames: true)
        stream.cycles(100)
        expect(
            stream,
            [(.late, 1.2 * stream.periodNanoseconds, 6400), (.skipped, stream.periodNanoseconds, 120 * 64)])
        #expect(stream.gaps.last?.lengthFrames == 64, "the frame clock counts whole frames")
        // What was accounted for too early is not accounted for twice.
        stream.stall(nanoseconds: 20_000_000)
        stream.cycles(100)
        #expect(stream.gaps.count == 3)
        #expect(stream.accountedNanoseconds - stream.elapsedNanoseconds <= 0.3 * stream.periodNanoseconds)
    }

    @Test func `are no more than a period longer than the wall says, however late the server makes up for the time`() {
        var stream = GapStream()
        stream.cycles(100)
        for late in [3.2, 2.2, 1.2, 0.2] {
            if late < 3 { stream.stall(nanoseconds: stream.periodNanoseconds, skipsFrames: true) }
            for _ in 0..<20 { stream.cycle(lateBy: late * stream.periodNanoseconds) }
        }
        stream.finish()
        let periods = stream.gaps.map { Double($0.lengthNanoseconds) / stream.periodNanoseconds }
        #expect(stream.gaps.map(\.cause) == [.late, .skipped], "\(periods)")
        let ahead = (stream.accountedNanoseconds - stream.elapsedNanoseconds) / stream.periodNanoseconds
        #expect(ahead > 0 && ahead <= 1.3, "\(ahead)")
    }

    @Test(arguments: [640, -640, 1 << 20])
    func `are none where the frame clock is set again and no time has passed for it`(frames: Int) {
        var stream = GapStream()
        stream.cycles(100)
        stream.jump(frames: frames)
        stream.cycles(100)
        stream.finish()
        #expect(stream.gaps.isEmpty)
        #expect(stream.blocks.count == 200)
    }

    @Test func `are known of so much when no more blocks come`() {
        var stream = GapStream()
        stream.cycles(100)
        stream.stall(nanoseconds: 20_000_000)
        stream.cycles(3)
        #expect(stream.blocks.count == 100)
        stream.finish()
        expect(stream, [(.late, 20_000_000, 6400)])
        #expect(stream.blocks.count == 103)
    }

    @Test func `hold no more than 64 blocks back, however often a cycle is late`() {
        var stream = GapStream()
        stream.cycles(100)
        for count in 0..<2000 {
            stream.cycle(lateBy: count % 2 == 0 ? 0.8 * stream.periodNanoseconds : 0)
            #expect(100 + count + 1 - stream.blocks.count < 64)
        }
        stream.finish()
        #expect(stream.blocks.count == 2100 && stream.gaps.isEmpty)
    }

    @Test func `are exactly as long as what found no room, and as a pause`() {
        var stream = GapStream()
        stream.cycles(100)
        stream.cycle(isDropped: true)
        stream.cycles(10)
        stream.pausedCycle()
        stream.pausedCycle()
        stream.cycles(10)
        stream.cycle(isDropped: true)
        stream.pausedCycle()
        stream.cycles(10)
        #expect(stream.gaps.map(\.cause) == [.dropped, .pause, .dropped, .pause])
        #expect(stream.gaps.map(\.lengthFrames) == [64, 128, 64, 64])
        #expect(stream.gaps.map { Int($0.endPosition) } == [101 * 64, 113 * 64, 125 * 64, 125 * 64])
    }

    @Test(arguments: [false, true])
    func `of a pause have in them what the server lost meanwhile`(skipsFrames: Bool) {
        var stream = GapStream()
        stream.cycles(100)
        for _ in 0..<50 { stream.pausedCycle() }
        stream.stall(nanoseconds: 20_000_000, skipsFrames: skipsFrames)
        for _ in 0..<50 { stream.pausedCycle() }
        stream.cycles(100)
        expect(stream, [(.pause, 20_000_000 + 100 * stream.periodNanoseconds, 200 * 64)])
    }

    @Test(arguments: [
        (TapRun.Cause.reset, Gap.Cause.reset), (.restart, .restart), (.start, .restart),
    ])
    func `from run to run are as long as the wall says, at the rate of the run before`(
        cause: TapRun.Cause, wanted: Gap.Cause
    ) {
        var stream = GapStream()
        stream.cycles(100)
        stream.begin(TapRun(sampleRate: 44100, cause: cause), after: 5.3e9)
        stream.cycles(100)
        #expect(stream.gaps.map(\.cause) == [wanted])
        #expect(stream.gaps.map(\.lengthFrames) == [254_400])
        #expect(abs(stream.accountedNanoseconds - stream.elapsedNanoseconds) < 1000)
    }

    @Test func `from run to run tell what had found no room before from what was not rendered`() {
        var stream = GapStream()
        stream.cycles(100)
        for _ in 0..<10 { stream.cycle(isDropped: true) }
        stream.begin(TapRun(sampleRate: 48000, cause: .reset), after: 1e9)
        stream.cycles(20)
        #expect(stream.gaps.map(\.cause) == [.dropped, .reset])
        #expect(stream.gaps.map(\.lengthFrames) == [640, 48_000])
    }

    @Test func `from run to run are a pause as a whole where there was one`() {
        var stream = GapStream()
        stream.cycles(100)
        for _ in 0..<10 { stream.pausedCycle() }
        stream.begin(TapRun(sampleRate: 48000, cause: .reset), after: 1e9)
        for _ in 0..<10 { stream.pausedCycle() }
        stream.cycles(20)
        expect(stream, [(.pause, 1e9 + 20 * stream.periodNanoseconds, 120 * 64)])
    }

    @Test func `settle with the run what was late before its end`() {
        var stream = GapStream()
        stream.cycles(100)
        stream.stall(nanoseconds: 20_000_000)
        stream.cycles(3)
        stream.begin(TapRun(sampleRate: 48000, cause: .reset), after: 1e9)
        stream.cycles(3)
        expect(stream, [(.late, 20_000_000, 6400), (.reset, 1e9, 6592)])
        #expect(stream.blocks.count == 106)
    }

    /// Everything at random: each gap is where and as long as the model says, and all adds up to the time that went by.
    @Test(arguments: [16, 64, 1024], [false, true])
    func `and the blocks add up to the time that went by, whatever happens`(periodFrames: Int, skipsFrames: Bool) {
        for seed in 0..<20 {
            var generator = SeededGenerator(seed: 1600 + UInt64(seed))
            var stream = GapStream(periodFrames: periodFrames)
            let jitter = -0.1 * stream.periodNanoseconds...0.1 * stream.periodNanoseconds
            func lateness() -> Double { Double.random(in: jitter, using: &generator) }
            var wanted: [(Gap.Cause, Double, UInt64)] = []
            for _ in 0..<25 { stream.cycle(lateBy: lateness()) }
            for _ in 0..<60 {
                let periods = Int.random(in: 1...30, using: &generator)
                let length = Double(periods) * stream.periodNanoseconds
                let due = stream.dueNanoseconds
                let cause: Gap.Cause
                switch Int.random(in: 0..<4, using: &generator) {
                case 0:
                    cause = .dropped
                    for _ in 0..<periods { stream.cycle(isDropped: true) }
                case 1:
                    cause = .pause
                    for _ in 0..<periods { stream.pausedCycle() }
                case 2:
                    cause = .reset
                    stream.begin(TapRun(sampleRate: 48000, cause: .reset), after: length)
                default:
                    cause = skipsFrames ? .skipped : .late
                    stream.stall(nanoseconds: length, skipsFrames: skipsFrames)
                }
                wanted.append((cause, stream.dueNanoseconds - due, stream.block.position))
                for _ in 0..<Int.random(in: 20...60, using: &generator) { stream.cycle(lateBy: lateness()) }
            }
            stream.finish()
            #expect(stream.gaps.map(\.cause) == wanted.map(\.0), "seed \(seed)")
            #expect(stream.gaps.map(\.endPosition) == wanted.map(\.2), "seed \(seed)")
            for (gap, wanted) in zip(stream.gaps, wanted) {
                #expect(abs(Double(gap.lengthNanoseconds) - wanted.1) <= 0.5 * stream.periodNanoseconds)
            }
            #expect(stream.blocks.map(\.position) == stream.blocks.map(\.position).sorted())
            // Each gap that is measured by the wall has the jitter of one or two cycles in it.
            let measured = Double(wanted.count { $0.0 == .late || $0.0 == .reset })
            let error = abs(stream.accountedNanoseconds - stream.elapsedNanoseconds)
            #expect(error <= (0.2 * measured + 0.5) * stream.periodNanoseconds, "seed \(seed)")
            #expect(error <= 2 * stream.periodNanoseconds, "seed \(seed): jitter does not add up")
        }
    }

    @Test func `are none where the server changes its rate without a pause, and what the change takes where it does`() {
        var stream = GapStream()
        stream.cycles(100)
        stream.begin(TapRun(sampleRate: 44100, cause: .rateChange), after: 0)
        stream.cycles(100)
        stream.begin(TapRun(sampleRate: 96000, cause: .rateChange), after: 40e6)
        stream.cycles(100)
        stream.finish()
        #expect(stream.blocks.count == 300)
        #expect(stream.gaps.map(\.cause) == [.late] && stream.gaps.map(\.endPosition) == [12800])
        #expect(stream.gaps.map(\.lengthFrames) == [1764], "in frames of the rate before it")
    }

    @Test func `are none of a stretch that runs faster than real time`() {
        var stream = GapStream()
        stream.cycles(100)
        for _ in 0..<1000 {
            stream.cycle()
            stream.dueNanoseconds -= 0.95 * stream.periodNanoseconds
        }
        stream.cycles(100)
        #expect(stream.gaps.isEmpty)
    }
}
