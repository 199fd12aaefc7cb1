import AudioDSP
import AudioRealtime
import TestSupport
import Testing

@Suite("A player on the audio thread") struct PlayerStateTests {
    private func silence(_ count: Int) -> [Float] { [Float](repeating: 0, count: count) }

    @Test(arguments: [1, 7, 64, 100, 333])
    func `begins at its frame and plays what was delivered, however the time is cut into blocks`(length: Int) {
        let rig = PlayerRig(channels: 2)
        let signals = [numbered(0..<150), numbered(1000..<1150)]
        rig.cue(rig.feed(signals), at: 100)
        let lengths = [Int](repeating: length, count: 333 / length) + [333 % length]
        let heard = rig.play(lengths)
        for channel in 0..<2 { #expect(heard[channel] == silence(100) + signals[channel] + silence(83)) }
        #expect(rig.start == 100 && rig.end == 250 && rig.played == 150 && rig.underrunFrames == 0)
    }

    @Test func `begins at once where its frame is over, or it has none`() {
        let rig = PlayerRig()
        #expect(rig.play(50) == [silence(50)])
        #expect(rig.start == -1 && rig.end == -1)
        rig.cue(rig.feed([numbered(0..<10)]), at: 20)
        #expect(rig.play(20) == [numbered(0..<10) + silence(10)])
        #expect(rig.start == 50 && rig.end == 60)
        rig.cue(rig.feed([numbered(0..<10)]))
        #expect(rig.play(20) == [numbered(0..<10) + silence(10)])
    }

    @Test func `tells an end that falls on the end of a block, and of nothing at all`() {
        let rig = PlayerRig()
        let first = rig.cue(rig.feed([numbered(0..<64)]))
        _ = rig.play(64)
        #expect(rig.end == 64 && first.pointer.pointee.isDone)
        let second = rig.cue(rig.feed([[]]))
        #expect(rig.play(64) == [silence(64)])
        #expect(rig.end == 64 && second.pointer.pointee.isDone, "it ended where it would have begun")
        #expect(rig.underrunFrames == 0)
    }

    @Test func `goes over to what follows without a gap, at any frame of a block`() {
        let rig = PlayerRig()
        let feeds = [3, 40, 1, 1, 25].map { count in rig.feed([numbered(0..<count)]) }
        for (feed, next) in zip(feeds, feeds.dropFirst()) {
            #expect(feed.follow(with: next))
        }
        let cue = rig.cue(feeds[0], at: 5)
        let expected =
            silence(5) + numbered(0..<3) + numbered(0..<40) + numbered(0..<1) + numbered(0..<1) + numbered(0..<25)
        #expect(rig.play(16, 16, 16, 16, 16) == [expected + silence(5)])
        #expect(feeds.map(\.isSpent) == [true, true, true, true, false] && cue.pointer.pointee.isDone)
        #expect(rig.start == 50 && rig.end == 75, "of what began last")
        #expect(rig.played == 70 && rig.underrunFrames == 0)
    }

    @Test func `lets nothing follow once it has come to the end`() {
        let rig = PlayerRig()
        let (feed, next) = (rig.feed([numbered(0..<10)]), rig.feed([numbered(0..<10)]))
        rig.cue(feed)
        _ = rig.play(10)
        #expect(!feed.follow(with: next))
        #expect(rig.play(10) == [silence(10)])
    }

    @Test func `counts the silence that it plays because the worker is late, and goes on with the next frame`() {
        let rig = PlayerRig()
        let feed = rig.feed()
        rig.cue(feed)
        #expect(rig.play(64) == [silence(64)])
        #expect(rig.underrunFrames == 64 && rig.start == -1)
        feed.deliver([numbered(0..<100)])
        #expect(rig.play(64, 64) == [numbered(0..<100) + silence(28)])
        #expect(rig.underrunFrames == 64 + 28 && rig.start == 64 && rig.end == -1)
        feed.deliver([numbered(100..<120)])
        feed.end()
        #expect(rig.play(64) == [numbered(100..<120) + silence(44)])
        #expect(rig.underrunFrames == 92 && rig.end == 212)
    }

    @Test func `plays one channel to all of its own, and leaves those silent that nothing is for`() {
        let rig = PlayerRig(channels: 3)
        rig.cue(rig.feed([numbered(0..<20)]))
        #expect(rig.play(20) == [[Float]](repeating: numbered(0..<20), count: 3))
        rig.cue(rig.feed([numbered(0..<20), numbered(50..<70)]))
        #expect(rig.play(20) == [numbered(0..<20), numbered(50..<70), silence(20)])
    }

    @Test func `ends at a frame, and leaves out what was to begin there or later`() {
        let rig = PlayerRig()
        let first = rig.cue(rig.feed([numbered(0..<200)]))
        let later = rig.cue(rig.feed([numbered(0..<10)]), at: 90)
        rig.tell(.cancel(from: 50))
        rig.cue(nil, at: 50)
        rig.cue(rig.feed([numbered(300..<310)]), at: 70)
        #expect(rig.play(30, 70) == [numbered(0..<50) + silence(20) + numbered(300..<310) + silence(20)])
        #expect(first.pointer.pointee.isDone && later.pointer.pointee.isDone)
        #expect(rig.start == 70 && rig.end == 80)
    }

    @Test(arguments: 0..<20)
    func `plays any schedule as a reference does that knows neither blocks nor rings`(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(4000 + seed))
        func random(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }
        let rampFrames = [0, 1, 30][random(3)]
        let rig = PlayerRig(rampFrames: rampFrames)
        var cues: [(frame: UInt64, signals: [[Float]])] = []
        for _ in 0..<12 {
            let frame = UInt64(random(1000))
            var signals: [[Float]] = []
            for _ in 0..<random(4) {
                let count = random(200)
                signals.append(generator.signal(count: count))
            }
            cues.append((frame, signals))
            let feeds = signals.map { rig.feed([$0]) }
            for (feed, next) in zip(feeds, feeds.dropFirst()) { #expect(feed.follow(with: next)) }
            rig.cue(feeds.first, at: frame)
        }
        var lengths: [Int] = []
        while lengths.reduce(0, +) < 1500 { lengths.append(random(100)) }
        let heard = rig.play(lengths)[0]
        #expect(heard == reference(cues, rampFrames: rampFrames, count: heard.count))
    }

    private func reference(
        _ cues: [(frame: UInt64, signals: [[Float]])], rampFrames: Int, count: Int
    ) -> [Float] {
        struct Voice {
            var samples: ArraySlice<Float>
            var level = Ramp(1)
            var isLeaving = false
        }
        var voices: [Voice] = []
        return (0..<count).map { frame in
            for cue in cues where Int(cue.frame) == frame {
                for index in voices.indices where !voices[index].isLeaving {
                    voices[index].isLeaving = true
                    voices[index].level.move(to: 0, over: rampFrames)
                }
                voices.removeAll { $0.isLeaving && $0.level.remaining == 0 }
                if !cue.signals.isEmpty { voices.append(Voice(samples: ArraySlice(cue.signals.joined()))) }
            }
            voices.removeAll { $0.samples.isEmpty || ($0.isLeaving && $0.level.remaining == 0) }
            var sum: Float = 0
            for index in voices.indices {
                sum += (voices[index].samples.popFirst() ?? 0) * voices[index].level.value
                voices[index].level.advance(by: 1)
            }
            return sum
        }
    }

    @Test func `fades out what something else takes the place of, which is heard as it is`() {
        let rig = PlayerRig(rampFrames: 50)
        rig.cue(rig.feed([[Float](repeating: 1, count: 500)]))
        rig.cue(rig.feed([[Float](repeating: 0.25, count: 300)]), at: 100)
        let heard = rig.play(64, 64, 64, 64)[0]
        #expect(heard[..<100].allSatisfy { $0 == 1 })
        #expect(heard[100] == 1.25 && heard[150...].allSatisfy { $0 == 0.25 })
        let steps: [Float] = zip(heard[100...], heard[101...]).map { $0 - $1 }
        #expect(steps.allSatisfy { $0 >= 0 && $0 < 0.0201 })
    }

    @Test func `does not begin what was ended before any of it came`() {
        let rig = PlayerRig(rampFrames: 50)
        let feed = rig.feed()
        rig.cue(feed)
        rig.cue(nil, at: 20)
        _ = rig.play(32)
        feed.deliver([numbered(0..<100)])
        _ = rig.play(64)
        #expect(rig.start == -1 && rig.end == 20)
    }

    @Test func `cuts what has faded the longest where too much fades at once`() {
        let rig = PlayerRig(rampFrames: 1000)
        let cues = (0..<40).map { rig.cue(rig.feed([[Float](repeating: 1, count: 2000)]), at: $0) }
        _ = rig.play(100)
        #expect(cues.filter { $0.pointer.pointee.isDone }.count == 24)
        #expect(cues[..<24].allSatisfy { $0.pointer.pointee.isDone })
    }

    @Test func `plays silence at another rate than its feed has, keeps its place, and goes on with the next feed`() {
        let rig = PlayerRig()
        let feed = rig.feed([numbered(0..<100)])
        let cue = rig.cue(feed)
        #expect(rig.play(10) == [numbered(0..<10)])
        rig.changeRate(to: 44_100)
        #expect(rig.play(10) == [silence(10)])
        #expect(feed.played == 10 && rig.underrunFrames == 0)
        let other = rig.feed([numbered(500..<520)], sampleRate: 44_100, continues: true)
        rig.move(cue, to: other)
        #expect(rig.play(15) == [numbered(500..<515)])
        #expect(cue.pointer.pointee.moveCount == 1 && rig.start == 0, "it is the same sound")
        rig.changeRate(to: 48_000)
        #expect(rig.play(10) == [silence(10)])
        rig.changeRate(to: 44_100)
        #expect(rig.play(10) == [numbered(515..<520) + silence(5)])
        #expect(rig.end == 50)
        rig.move(cue, to: feed)
        #expect(rig.play(10) == [silence(10)], "what is done is not moved")
        #expect(cue.pointer.pointee.moveCount == 1)
    }

    @Test func `is ready for a cycle where its feeds have enough for it and a reserve, or no more comes`() {
        let rig = PlayerRig()
        #expect(rig.isReady(for: 64))
        let feed = rig.feed()
        rig.cue(feed, at: 100)
        #expect(rig.isReady(for: 100), "it begins later")
        #expect(!rig.isReady(for: 101))
        feed.deliver([numbered(0..<64)])
        #expect(rig.isReady(for: 64) && !rig.isReady(for: 164))
        _ = rig.play(100)
        #expect(rig.isReady(for: 64) && !rig.isReady(for: 65))
        #expect(rig.isReady(for: 14, reserve: 50) && !rig.isReady(for: 15, reserve: 50))
        let next = rig.feed()
        #expect(feed.follow(with: next))
        feed.end()
        #expect(!rig.isReady(for: 65), "what follows has nothing yet")
        next.deliver([numbered(0..<10)])
        #expect(rig.isReady(for: 74) && !rig.isReady(for: 75))
        next.end()
        #expect(rig.isReady(for: 75), "nothing more is to come")
    }

    @Test func `is ready where nobody would deliver, and not while there are cues that it does not have`() {
        let rig = PlayerRig()
        rig.cue(rig.feed())
        #expect(!rig.isReady(for: 64))
        rig.changeRate(to: 44_100)
        #expect(rig.isReady(for: 64), "it waits for another feed")
        rig.changeRate(to: 48_000)
        rig.counters.pointer.pointee.isAbandoned.store(true, ordering: .relaxed)
        #expect(rig.isReady(for: 64))
        rig.counters.pointer.pointee.isAbandoned.store(false, ordering: .relaxed)
        rig.cue(nil)
        _ = rig.play(10)
        #expect(rig.isReady(for: 64))
        rig.counters.pointer.pointee.horizon.store(74, ordering: .relaxed)
        #expect(rig.isReady(for: 64) && !rig.isReady(for: 65))
    }

    @Test func `takes as many cues as it has room for, and keeps them in the order of their frames`() {
        let rig = PlayerRig()
        for place in (0..<PlayerState.capacity).reversed() {
            rig.cue(rig.feed([[Float(place + 1)]]), at: UInt64(place * 3))
        }
        let heard = rig.play(50, 50, 100)[0]
        var expected = silence(200)
        for place in 0..<PlayerState.capacity { expected[place * 3] = Float(place + 1) }
        #expect(heard == expected)
    }

    @Test(arguments: [1, 7, 64, 333])
    func `fades out into a pause and in again, however the time is cut into blocks`(length: Int) {
        let rig = PlayerRig(rampFrames: 4)
        let ones = [[Float](repeating: 1, count: 1000)]
        rig.cue(rig.feed(ones))
        #expect(rig.play(10)[0] == ones[0][..<10].map { $0 })
        rig.pause(true)
        let heard = rig.play([Int](repeating: length, count: 333 / length) + [333 % length])[0]
        #expect(heard == [1, 0.75, 0.5, 0.25] + silence(329))
        #expect(rig.played == 14 && rig.end == -1 && rig.underrunFrames == 0)
        #expect(rig.isReady(for: 8192), "a freewheeling server need not wait for what is not played")
        rig.pause(false)
        #expect(rig.play(3, 5)[0] == [0, 0.25, 0.5, 0.75, 1, 1, 1, 1])
        #expect(rig.played == 22)
    }

    @Test func `drops in a pause what faded out, and holds what begins until its end`() {
        let rig = PlayerRig(rampFrames: 100)
        let old = rig.cue(rig.feed([numbered(0..<500)]))
        _ = rig.play(50)
        let new = rig.cue(rig.feed([numbered(500..<800)]))
        _ = rig.play(10)
        rig.pause(true)
        _ = rig.play(100)
        #expect(rig.play(64)[0] == silence(64))
        let isDone = (old.pointer.pointee.isDone, new.pointer.pointee.isDone)
        #expect(isDone.0 && !isDone.1)
        let last = rig.cue(rig.feed([numbered(700..<800)]))
        #expect(rig.play(64)[0] == silence(64))
        let isOver = new.pointer.pointee.isDone
        #expect(isOver)
        rig.pause(false)
        #expect(rig.play(100)[0] == numbered(700..<800), "nothing of it was heard before, so nothing fades in")
        let hasEnded = last.pointer.pointee.isDone
        #expect(hasEnded)
    }

    @Test func `fades in what begins in the middle of a sound`() {
        let rig = PlayerRig(rampFrames: 4)
        let ones = [[Float](repeating: 1, count: 1000)]
        rig.cue(rig.feed(ones), fadesIn: true)
        #expect(rig.play(6)[0] == [0, 0.25, 0.5, 0.75, 1, 1])
        rig.cue(rig.feed(ones), fadesIn: true)
        #expect(rig.play(6)[0] == [Float](repeating: 1, count: 6), "one fades in as the other fades out")
    }
}
