import AudioIO
import Foundation
import TestSupport
import Testing
import VoiceTestSupport

@testable import AudioVoice

/// What is declared is what is measured.
@Suite struct LatencyTests {
    private static let optionWords = ["echo", "echo,noise", "noise", "highpass", "gain", "echo,noise,gain,highpass"]

    @Test(arguments: VoiceEngine.allCases, VoiceForm.sampleRates)
    func `A library is as late as is known of it`(engine: VoiceEngine, sampleRate: Int) throws {
        let near = VoiceSignals.gusts(seconds: 1.3, seed: 9, sampleRate: sampleRate)
        let form = VoiceForm(sampleRate: sampleRate, nearChannels: 1, farChannels: 1)
        for words in Self.optionWords {
            let options = try #require(VoiceOptions(words))
            let canceller = engine.makeCanceller(form, options)
            var output: [Float] = []
            var clean = [Float](repeating: 0, count: form.frames)
            let far = clean
            for start in stride(from: 0, through: near.count - form.frames, by: form.frames) {
                canceller.process(Array(near[start..<start + form.frames]), far: far, into: &clean)
                output += clean
            }
            let lag = VoiceSignals.lag(of: output, behind: near)
            let delay = engine.delayFrames(sampleRate: sampleRate, options)
            #expect(abs(Double(lag) - delay) < 0.8, "\(engine) at \(sampleRate) Hz with \(words): \(lag)")
        }
    }

    @Test(arguments: [16, 64, 128, 256, 480, 1024])
    func `A node is as late as it declares, whatever the period is`(period: Int) throws {
        for engine in VoiceEngine.allCases { try measure(engine, VoiceOptions(), sampleRate: 48_000, period: period) }
    }

    @Test(arguments: [8000, 16_000, 22_050, 44_100, 96_000, 192_000])
    func `A node is as late as it declares, whatever the sample rate is`(sampleRate: Int) throws {
        for engine in VoiceEngine.allCases {
            try measure(engine, VoiceOptions(), sampleRate: sampleRate, period: 256)
        }
    }

    @Test func `A period that grows makes no underrun`() throws {
        let engine = try Engine(offline: 48_000, inputs: 1, outputs: 1, periodFrames: 2048)
        let voice = try engine.attach(VoiceProcessor(.webrtc, VoiceOptions()))
        try engine.connect(engine.input, to: voice)
        try engine.connect(voice, to: engine.output)
        try engine.start()
        defer { engine.close() }
        for frames in [256, 256, 256, 256, 256, 256, 256, 256, 1024, 256, 256, 2048, 2048, 256, 2048] {
            _ = try engine.render(frames, input: [[Float](repeating: 0.1, count: frames)])
            #expect(voice.figures.underrunFrames == 0, "\(frames) frames")
        }
    }

    private func measure(_ library: VoiceEngine, _ options: VoiceOptions, sampleRate: Int, period: Int) throws {
        let engine = try Engine(offline: sampleRate, inputs: 1, outputs: 1)
        let voice = try engine.attach(VoiceProcessor(library, options))
        try engine.connect(engine.input, to: voice)
        try engine.connect(voice, to: engine.output)
        try engine.start()
        let near = VoiceSignals.gusts(seconds: 0.4, seed: 11, sampleRate: sampleRate)
        var output: [Float] = []
        for start in stride(from: 0, to: near.count, by: period) {
            let piece = Array(near[start..<min(start + period, near.count)])
            output += try engine.render(piece.count, input: [piece])[0]
        }
        let lag = VoiceSignals.lag(of: output, behind: near)
        #expect(lag == engine.latencyFrames, "\(library) at \(sampleRate) Hz and \(period) frames")
        #expect(engine.latencyFrames == voice.latencyFrames)
        #expect(voice.figures.underrunFrames == 0)
        engine.close()
    }
}
