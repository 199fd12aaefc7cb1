import AudioDSP
import AudioRealtime
import TestSupport
import Testing

@Suite("A player that goes with JACK's transport") struct PlayerTimelineTests {
    private func silence(_ count: Int) -> [Float] { [Float](repeating: 0, count: count) }

    private func rig(at frame: UInt32, isRolling: Bool = false, rampFrames: Int = 0) -> PlayerRig {
        let rig = PlayerRig(rampFrames: rampFrames)
        rig.transport = TapTransport(frame: frame, isRolling: isRolling)
        return rig
    }

    @Test func `asks for the frame where the transport stands, and begins there with its first rolling block`() {
        let rig = rig(at: 1000)
        #expect(rig.play(64) == [silence(64)] && rig.wanted == 1000)
        #expect(!rig.isReady(forTransportFrame: 1000))
        rig.cue(rig.feed([numbered(0..<200)]), transportFrame: 1000)
        #expect(rig.isReady(forTransportFrame: 1000) && !rig.isReady(forTransportFrame: 999))
        #expect(rig.play(64, 64) == [silence(128)] && rig.wanted == -1, "it waits for the transport")
        rig.transport?.isRolling = true
        #expect(rig.play(64, 64) == [numbered(0..<128)] && rig.wanted == -1)
    }

    @Test func `stops with the transport, and asks for the frame where that stopped`() {
        let rig = rig(at: 0, isRolling: true)
        rig.cue(rig.feed([numbered(0..<1000)]), transportFrame: 0)
        #expect(rig.play(100) == [numbered(0..<100)])
        rig.transport?.isRolling = false
        #expect(rig.play(50) == [silence(50)] && rig.wanted == 100)
    }

    @Test func `fades out what played when the transport stops`() {
        let rig = rig(at: 0, isRolling: true, rampFrames: 16)
        rig.cue(rig.feed([numbered(0..<1000)]), transportFrame: 0)
        _ = rig.play(100)
        rig.transport?.isRolling = false
        let heard = rig.play(50)[0]
        #expect(heard[..<15].allSatisfy { $0 != 0 } && heard[16...].allSatisfy { $0 == 0 })
        #expect(rig.play(50) == [silence(50)])
    }

    @Test func `fades out what played without the transport where what goes with it begins`() {
        let rig = rig(at: 0, rampFrames: 4)
        let without = rig.cue(rig.feed([[Float](repeating: 1, count: 1000)]))
        #expect(rig.play(10)[0] == [Float](repeating: 1, count: 10))
        // Silent, so that the other alone is heard.
        rig.cue(rig.feed([silence(1000)]), transportFrame: 0)
        rig.transport?.isRolling = true
        #expect(rig.play(64)[0] == [1, 0.75, 0.5, 0.25] + silence(60))
        let isDone = without.pointer.pointee.isDone
        #expect(isDone)
    }

    @Test func `leaves what played where the transport goes back, and plays the new place from its frame on`() {
        let rig = rig(at: 500, isRolling: true)
        rig.cue(rig.feed([numbered(500..<1500)]), transportFrame: 500)
        #expect(rig.play(100) == [numbered(500..<600)])
        rig.transport?.frame = 0
        #expect(rig.play(10) == [silence(10)] && rig.wanted == 0)
        // The worker is late by 10 frames, and its cue is for the frame that was wanted.
        rig.cue(rig.feed([numbered(0..<1000)]), transportFrame: 0)
        #expect(rig.play(50) == [numbered(10..<60)] && rig.wanted == -1)
    }

    @Test func `leaves out what the transport has passed while nobody called it`() {
        let rig = rig(at: 0, isRolling: true)
        let second = rig.feed([numbered(100..<300)])
        let first = rig.feed([numbered(0..<100)], ends: false)
        #expect(first.follow(with: second))
        first.end()
        rig.cue(first, transportFrame: 0)
        #expect(rig.play(64) == [numbered(0..<64)])
        rig.transport?.frame = 128
        #expect(rig.play(64) == [numbered(128..<192)], "beyond the end of one file and into the next")
        rig.transport?.frame = 100_000
        #expect(rig.end == -1)
        #expect(rig.play(64) == [silence(64)] && rig.wanted == -1, "behind the end is silence")
        #expect(rig.end == 128, "it has ended before the block")
    }

    @Test func `is in time again after the worker was late`() {
        let rig = rig(at: 0, isRolling: true)
        let feed = rig.feed([numbered(0..<100)], ends: false)
        rig.cue(feed, transportFrame: 0)
        #expect(rig.play(120) == [numbered(0..<100) + silence(20)] && rig.underrunFrames == 20)
        feed.deliver([numbered(100..<300)])
        #expect(rig.play(64) == [numbered(120..<184)])
    }

    @Test func `asks again where the worker's frames do not reach so far`() {
        let rig = rig(at: 0, isRolling: true)
        rig.cue(rig.feed([numbered(0..<100)], ends: false), transportFrame: 0)
        _ = rig.play(64)
        rig.transport?.frame = 5000
        #expect(rig.play(64) == [silence(64)] && rig.wanted == 5000)
    }

    @Test func `a cue that was never played is left when another comes, and all of them at another rate`() {
        let rig = rig(at: 7)
        let first = rig.cue(rig.feed([numbered(0..<10)]), transportFrame: 3)
        _ = rig.play(8)
        #expect(rig.wanted == 7 && !first.pointer.pointee.isDone)
        let second = rig.cue(rig.feed([numbered(0..<10)]), transportFrame: 7)
        _ = rig.play(8)
        #expect(rig.wanted == -1 && first.pointer.pointee.isDone && !second.pointer.pointee.isDone)
        rig.changeRate(to: 44_100)
        let isLeft = second.pointer.pointee.isDone
        #expect(isLeft)
        _ = rig.play(8)
        #expect(rig.wanted == 7)
    }

    @Test func `what played ends where the rate changes`() {
        let rig = rig(at: 0, isRolling: true)
        rig.cue(rig.feed([numbered(0..<1000)]), transportFrame: 0)
        #expect(rig.play(100) == [numbered(0..<100)] && rig.start == 0)
        rig.changeRate(to: 44_100)
        #expect(rig.end == 100)
    }

    @Test func `what was made ready at another rate is made ready again`() {
        let rig = rig(at: 600)
        rig.changeRate(to: 44_100)
        _ = rig.play(8)
        // The worker has not heard of the new rate yet, and puts the frame behind the end.
        rig.cue(nil, transportFrame: 600, sampleRate: 48_000)
        #expect(!rig.isReady(forTransportFrame: 600))
        #expect(rig.play(8) == [silence(8)] && rig.wanted == 600)
        rig.cue(rig.feed([numbered(600..<700)], sampleRate: 44_100), transportFrame: 600, sampleRate: 44_100)
        #expect(rig.isReady(forTransportFrame: 600))
        rig.transport?.isRolling = true
        #expect(rig.play(64) == [numbered(600..<664)] && rig.wanted == -1)
    }

    @Test func `a server that freewheels waits for what the transport wants`() {
        let rig = rig(at: 1000)
        #expect(rig.isReady(for: 64), "nothing is wanted yet")
        _ = rig.play(64)
        #expect(!rig.isReady(for: 64))
        rig.cue(rig.feed([numbered(0..<5000)], capacity: 8192), transportFrame: 500)
        #expect(!rig.isReady(for: 64), "another place")
        rig.cue(rig.feed([numbered(0..<5000)], capacity: 8192), transportFrame: 1000)
        #expect(rig.isReady(for: 64))
        rig.transport?.isRolling = true
        #expect(rig.play(64) == [numbered(0..<64)] && rig.isReady(for: 64) && rig.underrunFrames == 0)
        #expect(!rig.isReady(forTransportFrame: 7000))
        #expect(!rig.isReady(for: 64), "it is about to go elsewhere")
    }

    @Test func `a start before the worker is ready counts as an underrun`() {
        let rig = rig(at: 0, isRolling: true)
        #expect(rig.play(64) == [silence(64)] && rig.underrunFrames == 64)
        rig.cue(rig.feed([numbered(0..<200)]), transportFrame: 0)
        #expect(rig.play(64) == [numbered(64..<128)] && rig.underrunFrames == 64)
    }

    @Test func `a pause keeps the transport's time`() {
        let rig = rig(at: 0, isRolling: true)
        rig.cue(rig.feed([numbered(0..<1000)]), transportFrame: 0)
        #expect(rig.play(100) == [numbered(0..<100)])
        rig.pause(true)
        #expect(rig.play(50, 50) == [silence(100)])
        rig.pause(false)
        #expect(rig.play(50) == [numbered(200..<250)] && rig.underrunFrames == 0)
    }

    @Test func `a pause that lasts over a start keeps the transport's time`() {
        let rig = rig(at: 0)
        rig.pause(true)
        rig.cue(rig.feed([numbered(0..<1000)]), transportFrame: 0)
        _ = rig.play(10)
        rig.transport?.isRolling = true
        #expect(rig.play(64) == [silence(64)])
        rig.pause(false)
        #expect(rig.play(64) == [numbered(64..<128)] && rig.underrunFrames == 0)
    }

    @Test func `what plays fades out where the player follows the transport no more`() {
        let rig = rig(at: 0, isRolling: true)
        let playing = rig.cue(rig.feed([numbered(0..<1000)]), transportFrame: 0)
        _ = rig.play(64)
        let waiting = rig.cue(rig.feed([numbered(0..<10)]), transportFrame: 5000)
        rig.transport = nil
        #expect(rig.play(64) == [silence(64)])
        #expect(playing.pointer.pointee.isDone && waiting.pointer.pointee.isDone)
        #expect(rig.isReady(forTransportFrame: 9))
    }

    @Test func `a player that does not go with it is always ready`() {
        #expect(PlayerRig().isReady(forTransportFrame: 12))
    }
}
