import AudioRealtime
import Testing

@testable import AudioVoice

@Suite struct VoiceWorkTests {
    /// A worker slower than the sound never finds the tap empty, and `figures` needs its lock.
    @Test func `One step works off one block, however many wait`() {
        let tap = Tap(channels: 1, capacity: 1 << 13)
        let ring = FrameRing(channels: 1, capacity: 1 << 13)
        let work = VoiceWork(.webrtc, VoiceOptions(), tap.reader(capacity: 1 << 13), ring.producer)
        work.prepare(sampleRate: 48_000)
        let planes = Planes(channels: 1, capacity: 480)
        var block = TapBlock(run: TapRun(sampleRate: 48_000))
        block.frames = 480
        let writer = tap.writer
        for _ in 0..<4 {
            let fits = writer.pointer.pointee.write(block, planes, planes.all)
            #expect(fits)
            block.position += 480
            block.frameTime &+= 480
        }
        #expect((0..<5).map { _ in work.step(nil) } == [true, true, true, true, false])
    }
}
