import Foundation
import Testing
import VoiceTestSupport

@testable import AudioVoice

/// What is left of an echo, and of who speaks meanwhile.
@Suite struct EchoTests {
    private static let seconds = 16.0
    private static let far = VoiceSignals.speech(seconds: seconds, seed: 1)
    private static let near = VoiceSignals.microphone(VoiceSignals.echo(of: far, delayFrames: 480))

    @Test(arguments: [(VoiceEngine.webrtc, 34.0), (.speex, 23.0)])
    func `An echo is taken away as well as by the library alone`(engine: VoiceEngine, least: Double) {
        let (clean, figures) = VoiceRuns.chain(engine, near: [Self.near], far: [Self.far])
        let ours = VoiceSignals.reduction(Self.near, clean[0], seconds: 5...15)
        let bare = VoiceSignals.reduction(
            Self.near, VoiceRuns.bare(engine, near: Self.near, far: Self.far), seconds: 5...15)
        print("\(engine): \(ours) dB, the library alone \(bare) dB; \(figures)")
        #expect(ours >= least)
        #expect(ours >= bare - 1)
        #expect(figures.divergences == 0)
        #expect(abs((figures.delayMilliseconds ?? .nan) - 10) < 3)
    }

    @Test(arguments: VoiceEngine.allCases)
    func `Who speaks meanwhile is heard`(engine: VoiceEngine) {
        let voice = VoiceSignals.speech(seconds: Self.seconds, seed: 2, pitch: 190).map { $0 / 2 }
        let near = zip(Self.near, voice).enumerated().map { $0 < 6 * 48_000 ? $1.0 : $1.0 + $1.1 }
        let (clean, _) = VoiceRuns.chain(engine, near: [near], far: [Self.far])
        let loss = VoiceSignals.reduction(voice, clean[0], seconds: 8...15)
        print("\(engine): who speaks meanwhile loses \(loss) dB")
        // What the other one does is printed: it is made for meetings.
        if engine == .speex { #expect(abs(loss) < 3) }
    }

    /// Each loudspeaker has a way of its own to the microphone. WebRTC's module mixes the far end to one channel whatever it is
    /// given; SpeexDSP follows both ways.
    @Test(arguments: [(VoiceEngine.webrtc, 22.0), (.speex, 18.0)])
    func `The echo of two loudspeakers is taken away`(engine: VoiceEngine, least: Double) {
        let (near, far) = VoiceSignals.stereoEcho(seconds: Self.seconds)
        let mean = zip(far[0], far[1]).map { ($0 + $1) / 2 }
        func reduction(_ far: [[Float]]) -> Double {
            VoiceSignals.reduction(
                near, VoiceRuns.chain(engine, near: [near], far: far).clean[0], seconds: 5...15)
        }
        let (apart, together) = (reduction(far), reduction([mean]))
        print("\(engine): \(apart) dB of a stereo far end, \(together) dB with its mean")
        #expect(apart >= least)
        if engine == .speex { #expect(apart > together + 5) }
    }
}
