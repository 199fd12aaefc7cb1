import AudioDSP
import Foundation
import Testing
import VoiceTestSupport

@testable import AudioVoice

/// The delay of the far end is found and followed, and so is the drift of two clocks.
@Suite struct DelayTests {
    private static let far = VoiceSignals.speech(seconds: 14, seed: 4)
    private static let rate = 48_000

    @Test(arguments: [0, 35, 250, 500])
    func `A delay is found within two seconds of sound`(milliseconds: Int) {
        let far = Array(Self.far.prefix(4 * Self.rate))
        let near = VoiceSignals.microphone(VoiceSignals.echo(of: far, delayFrames: milliseconds * Self.rate / 1000))
        var foundAt: Int?
        _ = VoiceRuns.chain(.speex, near: [near], far: [far]) { frames, figures in
            guard foundAt == nil, let found = figures.delayMilliseconds else { return }
            if abs(found - Double(milliseconds)) < 4 { foundAt = frames }
        }
        // Its echo is what has to be heard.
        let limit = Double(milliseconds) / 1000 + 2
        #expect(Double(foundAt ?? .max) / Double(Self.rate) <= limit)
    }

    @Test(arguments: VoiceEngine.allCases)
    func `A delay that changes in mid-run is found within two seconds, and the echo is taken away again`(
        engine: VoiceEngine
    ) {
        let change = 5 * Self.rate
        let early = VoiceSignals.echo(of: Self.far, delayFrames: 20 * Self.rate / 1000)
        let late = VoiceSignals.echo(of: Self.far, delayFrames: 310 * Self.rate / 1000)
        let near = VoiceSignals.microphone(Array(early[..<change] + late[change...]))
        var foundAt: Int?
        let (clean, figures) = VoiceRuns.chain(engine, near: [near], far: [Self.far]) { frames, figures in
            guard frames > change, foundAt == nil, let found = figures.delayMilliseconds else { return }
            if abs(found - 310) < 4 { foundAt = frames - change }
        }
        #expect(Double(foundAt ?? .max) / Double(Self.rate) <= 2)
        #expect(figures.delayChanges == 1)
        let before = VoiceSignals.reduction(near, clean[0], seconds: 3...5)
        let after = VoiceSignals.reduction(near, clean[0], seconds: 10...13.5)
        print("\(engine): found after \(Double(foundAt ?? 0) / 48) ms; \(before) dB before, \(after) dB after")
        #expect(after > 22)
    }

    /// At 16 kHz, to save time: the drift is measured at 8 kHz anyway.
    @Test(arguments: [100.0, -60])
    func `Clocks that drift cost no enhancement for long`(ppm: Double) {
        let seconds = 21.0
        let rate = 16_000
        let far = VoiceSignals.speech(seconds: seconds, seed: 5, sampleRate: rate)
        let echo = VoiceSignals.echo(of: far, delayFrames: rate / 10, sampleRate: rate)
        let near = VoiceSignals.microphone(stretched(echo, by: 1 + ppm * 1e-6))
        let (clean, figures) = VoiceRuns.chain(.speex, near: [near], far: [far], sampleRate: rate, period: 160)
        let last = VoiceSignals.reduction(near, clean[0], seconds: 14...20, sampleRate: rate)
        print("drift of \(ppm) ppm: \(last) dB, found \(figures.driftPPM) ppm")
        #expect(abs(figures.driftPPM - ppm) < 10)
        #expect(last > 20)
    }

    /// Read at another pace.
    private func stretched(_ signal: [Float], by ratio: Double) -> [Float] {
        var line = RateLine(channels: 1, step: 1 / ratio)
        let late = [Float](repeating: 0, count: VariableResampler.delayFrames(step: 1) + 64)
        line.append([signal + late])
        var output = [Float](repeating: 0, count: line.available)
        line.take(output.count, into: &output)
        return Array(output.dropFirst(VariableResampler.delayFrames(step: 1 / ratio)).prefix(signal.count))
    }
}
