import AudioFigures
import AudioIO
import AudioRealtime
import TestSupport
import Testing

@testable import AudioMeasurement

@Suite("Blame") struct BlameJudgeTests {
    private static let millisecond = 1_000_000.0

    private func count(own: UInt64 = 0, upstream: UInt64 = 0, wakeup: UInt64 = 0, unknown: UInt64 = 0) -> BlameCount {
        var count = BlameCount()
        (count.own, count.upstream, count.wakeup, count.unknown) = (own, upstream, wakeup, unknown)
        return count
    }

    @Test func `is nobody's where no cycle is late`() {
        var scene = BlameScene()
        scene.cycles(1000)
        #expect(scene.judge.counts == BlameCount())
        #expect(scene.judge.events.isEmpty)
    }

    @Test(arguments: [16000, 192_000])
    func `goes by the period that the server's present sample rate makes`(_ rate: Int) {
        var scene = BlameScene()
        scene.cycles(50)
        scene.sampleRate = rate
        scene.cycles(50)
        #expect(scene.judge.counts == BlameCount(), "no cycle is late, however long it is now")
        scene.cycle(late: 0.7 * scene.periodNanoseconds)
        scene.cycles(50)
        #expect(scene.judge.counts == count(wakeup: 1))
        #expect(scene.judge.events.map { Double($0.lateNanoseconds) / scene.periodNanoseconds }.allSatisfy { $0 < 1 })
    }

    @Test(arguments: [16, 64, 256], [true, false])
    func `is our own where our callback runs past its period`(periodFrames: Int, isSync: Bool) {
        var scene = BlameScene(periodFrames: periodFrames)
        scene.cycles(50)
        scene.ownStall(nanoseconds: 20 * Self.millisecond, isSync: isSync)
        scene.cycles(50)
        #expect(scene.judge.counts == count(own: 1))
    }

    @Test(arguments: [16, 64, 256], [true, false])
    func `is upstream where the cycle begins in time and we do not`(periodFrames: Int, isSync: Bool) {
        var scene = BlameScene(periodFrames: periodFrames)
        scene.cycles(50)
        scene.upstreamStall(nanoseconds: 20 * Self.millisecond, isSync: isSync)
        scene.cycles(50)
        #expect(scene.judge.counts == count(upstream: 1))
    }

    @Test(arguments: [16, 64, 256])
    func `is the wake-up's where the sentinel is as late as we are`(periodFrames: Int) {
        var scene = BlameScene(periodFrames: periodFrames)
        scene.cycles(50)
        scene.serverStall(nanoseconds: 20 * Self.millisecond)
        scene.cycles(50)
        #expect(scene.judge.counts == count(wakeup: 1))
    }

    @Test func `is each one's own where stalls follow one another closely`() {
        var scene = BlameScene()
        scene.cycles(50)
        for _ in 0..<10 {
            for isSync in [true, false] {
                scene.ownStall(nanoseconds: 5 * Self.millisecond, isSync: isSync)
                scene.cycle()
                scene.upstreamStall(nanoseconds: 6 * Self.millisecond, isSync: isSync)
                scene.cycle()
                scene.serverStall(nanoseconds: 7 * Self.millisecond)
            }
        }
        scene.cycles(50)
        let counts = scene.judge.counts
        #expect(counts.own == 20)
        #expect(counts.upstream == 20)
        #expect(counts.wakeup == 20)
        #expect(counts.unknown == 0)
    }

    @Test func `is the wake-up's where a client before us is slow as always and the cycle begins late`() {
        var scene = BlameScene()
        scene.wakeUpOffsetNanoseconds = 0.6 * scene.periodNanoseconds
        scene.cycles(50)
        scene.cycle(late: 0.55 * scene.periodNanoseconds)
        scene.cycles(50)
        #expect(scene.judge.counts == count(wakeup: 1))
    }

    @Test func `is upstream where a client before us is slower than it was`() {
        var scene = BlameScene()
        scene.wakeUpOffsetNanoseconds = 0.1 * scene.periodNanoseconds
        scene.cycles(50)
        scene.cycle(wakeUpOffset: 0.7 * scene.periodNanoseconds)
        scene.cycles(50)
        #expect(scene.judge.counts == count(upstream: 1))
    }

    @Test func `is ours where we explain at least half, and the other's where it does`() {
        for (share, expected) in [(0.51, count(own: 1)), (0.49, count(wakeup: 1))] {
            var scene = BlameScene()
            scene.cycles(50)
            let late = 4 * Self.millisecond
            scene.cycle(work: scene.periodNanoseconds + share * late)
            scene.cycle(late: late)
            #expect(scene.judge.counts == expected)
        }
    }

    @Test func `is unknown where three share it and none has half`() {
        var scene = BlameScene()
        scene.cycles(50)
        let late = 4 * Self.millisecond
        scene.cycle(work: scene.periodNanoseconds + 0.34 * late)
        scene.cycle(late: 0.67 * late, wakeUpOffset: scene.wakeUpOffsetNanoseconds + 0.33 * late)
        #expect(scene.judge.counts == count(unknown: 1))
    }

    @Test func `is unknown where nobody compares, but for our own`() {
        var scene = BlameScene()
        scene.cycles(50)
        scene.ownStall(nanoseconds: 5 * Self.millisecond, isSync: true)
        scene.cycles(10)
        scene.serverStall(nanoseconds: 5 * Self.millisecond)
        scene.cycles(10)
        scene.upstreamStall(nanoseconds: 5 * Self.millisecond, isSync: true)
        scene.cycles(10)
        var judge = BlameJudge(sampleRate: 48000)
        judge.add(own: scene.own)
        #expect(judge.counts == count(own: 1, unknown: 2))
    }

    @Test func `is unknown where the sentinel's record of the cycle is lost`() {
        var scene = BlameScene()
        scene.cycles(50)
        scene.cycle(late: 5 * Self.millisecond, sentinelIsSeen: false)
        scene.wait(nanoseconds: 5 * Self.millisecond)
        scene.cycles(50)
        #expect(scene.judge.counts == count(unknown: 1))
    }

    @Test func `is found again after records of the sentinel were lost`() {
        var scene = BlameScene()
        scene.cycles(50)
        for _ in 0..<5 { scene.cycle(sentinelIsSeen: false) }
        scene.cycles(1)
        scene.upstreamStall(nanoseconds: 5 * Self.millisecond, isSync: true)
        scene.cycles(50)
        #expect(scene.judge.counts == count(upstream: 1))
    }

    @Test func `is unknown where records of ours are lost in the late interval`() {
        var scene = BlameScene()
        scene.cycles(50)
        scene.cycle(late: 5 * Self.millisecond, ownIsSeen: false)
        scene.wait(nanoseconds: 5 * Self.millisecond)
        scene.cycles(50)
        #expect(scene.judge.counts == count(unknown: 1))
    }

    @Test func `is never upstream where nobody is before us`() {
        var scene = BlameScene()
        scene.cycles(50)
        for isSync in [true, false] {
            scene.upstreamStall(nanoseconds: 5 * Self.millisecond, isSync: isSync)
            scene.cycles(50)
            scene.ownStall(nanoseconds: 5 * Self.millisecond, isSync: isSync)
            scene.cycles(50)
        }
        #expect(scene.judge(hasUpstream: false).counts == count(own: 2, wakeup: 2))
    }

    @Test func `is the wake-up's where the server catches up so fast that we read a later cycle's frame time`() {
        var scene = BlameScene()
        scene.cycles(50)
        scene.cycle(late: 20 * Self.millisecond, frameTimeRead: scene.frameTime &+ 64)
        scene.wait(nanoseconds: 20 * Self.millisecond - scene.periodNanoseconds + 100_000)
        scene.cycle()
        scene.cycles(50)
        #expect(scene.judge.counts == count(wakeup: 1))
    }

    @Test func `is right before and after a change of the period, which is nobody's fault`() {
        var scene = BlameScene()
        for frames in [64, 1024, 16, 256] {
            scene.periodFrames = frames
            scene.cycles(50)
        }
        #expect(scene.judge.counts == BlameCount())
        for frames in [64, 1024, 16, 256] {
            scene.periodFrames = frames
            scene.cycles(50)
            scene.ownStall(nanoseconds: 50 * Self.millisecond, isSync: true)
            scene.cycles(50)
            scene.upstreamStall(nanoseconds: 50 * Self.millisecond, isSync: true)
            scene.cycles(50)
            scene.serverStall(nanoseconds: 50 * Self.millisecond)
            scene.cycles(50)
        }
        #expect(scene.judge.counts == count(own: 4, upstream: 4, wakeup: 4))
    }

    @Test func `survives clocks that run backwards`() {
        var scene = BlameScene()
        scene.cycles(50)
        scene.dueNanoseconds -= 100 * Self.millisecond
        scene.cycles(50)
        scene.frameTime &-= 10_000
        scene.cycles(50)
        scene.serverStall(nanoseconds: 5 * Self.millisecond)
        scene.cycles(50)
        #expect(scene.judge.counts == count(wakeup: 1), "a step back is late for nobody")
    }

    @Test func `survives times that no clock has`() {
        func record(_ number: UInt32, entry: UInt64) -> CycleRecord {
            var record = CycleRecord()
            (record.frames, record.frameTime, record.position) = (64, 64 * number, UInt64(64 * number))
            (record.entryNanoseconds, record.exitNanoseconds) = (entry, entry)
            return record
        }
        var judge = BlameJudge(sampleRate: 48000)
        // We begin after the sentinel, as we usually do, and then it begins when no more time can be added.
        judge.add(sentinel: [record(0, entry: 0), record(1, entry: 1_000_000), record(2, entry: .max)])
        judge.add(own: [record(0, entry: 0), record(1, entry: 1_300_000), record(2, entry: 1 << 62)])
        #expect(judge.counts.total == 1)
    }

    private func account(of scene: BlameScene) -> CycleAccount {
        var account = CycleAccount(sampleRate: 48000)
        for record in scene.own { account.add(record) }
        return account
    }

    /// Some of everything, with jitter.
    private func randomScene(seed: UInt64, frameTime: UInt32 = 1000) -> BlameScene {
        var generator = SeededGenerator(seed: seed)
        var scene = BlameScene(frameTime: frameTime)
        for _ in 0..<400 {
            let jitter = Double.random(in: 0...0.7, using: &generator) * scene.periodNanoseconds
            let isSync = Bool.random(using: &generator)
            switch Int.random(in: 0..<20, using: &generator) {
            case 0: scene.ownStall(nanoseconds: 4 * Self.millisecond + jitter, isSync: isSync)
            case 1: scene.upstreamStall(nanoseconds: 4 * Self.millisecond + jitter, isSync: isSync)
            case 2: scene.serverStall(nanoseconds: 4 * Self.millisecond + jitter)
            case 3: scene.cycle(sentinelIsSeen: false)
            case 4: scene.cycle(ownIsSeen: false)
            case 5: scene.periodFrames = [32, 64, 128].randomElement(using: &generator) ?? 64
            case 6: scene.cycle(wakeUpOffset: jitter)
            case 7: scene.cycle(late: jitter)
            default: scene.cycles(5)
            }
        }
        return scene
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `is the same however the streams are cut, and whichever comes first`(seed: UInt64) {
        let scene = randomScene(seed: seed)
        let whole = scene.judge
        #expect(whole.counts.own > 0 && whole.counts.upstream > 0 && whole.counts.wakeup > 0)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            var judge = BlameJudge(sampleRate: 48000)
            var own = scene.own[...]
            var sentinel = scene.sentinel[...]
            while !own.isEmpty || !sentinel.isEmpty {
                let count = Int.random(in: 0...60, using: &generator)
                if Bool.random(using: &generator) {
                    judge.add(own: Array(own.prefix(count)))
                    own = own.dropFirst(count)
                } else {
                    judge.add(sentinel: Array(sentinel.prefix(count)))
                    sentinel = sentinel.dropFirst(count)
                }
            }
            #expect(judge.counts == whole.counts)
            #expect(judge.events == whole.events)
        }
        var sentinelFirst = BlameJudge(sampleRate: 48000)
        sentinelFirst.add(sentinel: scene.sentinel)
        sentinelFirst.add(own: scene.own)
        #expect(sentinelFirst.events == whole.events)
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `is the same where the frame clock wraps`(seed: UInt64) {
        let events = randomScene(seed: seed).judge.events
        for start: UInt32 in [0xFFFF_D000, 0x7FFF_D000] {
            #expect(randomScene(seed: seed, frameTime: start).judge.events == events)
        }
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `is given as many times as the account of cycles has late ones`(seed: UInt64) {
        let scene = randomScene(seed: seed)
        let counts = scene.judge.counts
        #expect(counts.own + counts.upstream + counts.wakeup + counts.unknown == account(of: scene).lateCycles)
        #expect(scene.judge.events.count == Int(account(of: scene).lateCycles))
    }

    @Test func `comes with the time since the first cycle, and with how late it was`() throws {
        var scene = BlameScene()
        scene.cycles(100)
        scene.serverStall(nanoseconds: 5 * Self.millisecond)
        scene.cycles(10)
        let event = try #require(scene.judge.events.first)
        #expect(scene.judge.events.count == 1)
        let expected = 100 * scene.periodNanoseconds + 5 * Self.millisecond
        #expect(abs(Double(event.nanoseconds) - expected) <= 2)
        #expect(abs(Double(event.lateNanoseconds) - 5 * Self.millisecond) <= 3)
        #expect(event.blame == .wakeup)
    }

    @Test func `is counted on when there are more events than are kept`() {
        var scene = BlameScene()
        for _ in 0..<5000 {
            scene.serverStall(nanoseconds: 2 * Self.millisecond)
            scene.cycles(2)
        }
        #expect(scene.judge.counts.wakeup == 4999, "all but the first cycle's, which has none before it")
        #expect(scene.judge.events.count <= CallbackAnalysis.eventCapacity)
        #expect(
            scene.judge.events.last.map { $0.nanoseconds > 9900 * Int64(Self.millisecond) } == true, "of all of the run"
        )
        var judge = BlameJudge(sampleRate: 48000, eventCapacity: 4999)
        judge.add(own: scene.own)
        judge.add(sentinel: scene.sentinel)
        #expect(judge.events.count == 4999, "or of more, where it is told to keep them")
    }

    @Test(arguments: [Int.min, -1, 0]) func `takes a rate that is none for the lowest`(_ rate: Int) {
        var judge = BlameJudge(sampleRate: rate)
        var (first, second) = (CycleRecord(), CycleRecord())
        (first.frames, second.frames) = (64, 64)
        (second.position, second.entryNanoseconds) = (64, 1_000_000_000)
        judge.add(own: [first, second])
        // At one hertz the frames between the two last longer.
        #expect(judge.counts == BlameCount())
    }

    @Test func `is settled without a sentinel when too many cycles wait for one`() {
        var scene = BlameScene()
        scene.serverStall(nanoseconds: 0)
        scene.serverStall(nanoseconds: 5 * Self.millisecond)
        scene.cycles(70_000)
        var judge = BlameJudge(sampleRate: 48000)
        judge.add(own: scene.own)
        judge.add(sentinel: scene.sentinel)
        #expect(judge.counts == count(unknown: 1))
    }
}
