import Foundation
import Testing
import VoiceTestSupport

@testable import AudioIO
@testable import AudioVoice

/// What nobody means to feed it, and what may happen all the same.
@Suite struct BadInputTests {
    @Test(arguments: VoiceEngine.allCases)
    func `Samples that are no numbers are silence, and are counted`(engine: VoiceEngine) {
        var far = VoiceSignals.speech(seconds: 3, seed: 21)
        var near = VoiceSignals.microphone(VoiceSignals.echo(of: far))
        near[48_000] = .nan
        near[48_001] = .infinity
        near[50_000] = -1e30
        far[60_000] = .nan
        let (clean, figures) = VoiceRuns.chain(engine, near: [near], far: [far])
        #expect(!clean[0].contains { !$0.isFinite })
        #expect(figures.nonFiniteSamples == 4)
        #expect(VoiceSignals.power(clean[0].suffix(24_000)) > 0)
        #expect(VoiceSignals.power(clean[0].suffix(24_000)) < VoiceSignals.power(near.suffix(24_000)))
    }

    @Test(arguments: VoiceEngine.allCases)
    func `Eight channels are processed each for itself, with a far end of three`(engine: VoiceEngine) {
        let far = VoiceSignals.speech(seconds: 2.5, seed: 22)
        let near = (0..<8).map { VoiceSignals.microphone(VoiceSignals.echo(of: far, seed: UInt64($0 + 1))) }
        let (clean, _) = VoiceRuns.chain(engine, near: near, far: [far, far, far])
        for channel in 0..<8 {
            #expect(VoiceSignals.reduction(near[channel], clean[channel], seconds: 1.6...2.4) > 6)
        }
    }

    @Test func `A canceller that makes the sound louder is told of, and begins again`() {
        let form = VoiceForm(sampleRate: 48_000, nearChannels: 1, farChannels: 1)
        let broken = DivergingCanceller(form)
        let chain = VoiceChain(broken, form, VoiceOptions(), sampleRate: 48_000)
        let far = VoiceSignals.speech(seconds: 3, seed: 23)
        let (clean, figures) = VoiceRuns.run(chain, near: [far], far: [far])
        #expect(figures.divergences == 1)
        #expect(broken.resets == 1)
        #expect(VoiceSignals.power(clean[0].suffix(48_000)) < 2 * VoiceSignals.power(far.suffix(48_000)))
    }

    @Test func `A canceller that gives no numbers is silent, told of, and begins again`() {
        let form = VoiceForm(sampleRate: 48_000, nearChannels: 1, farChannels: 1)
        let broken = DivergingCanceller(form, factor: .nan)
        let chain = VoiceChain(broken, form, VoiceOptions(), sampleRate: 48_000)
        let far = VoiceSignals.speech(seconds: 2, seed: 24)
        let (clean, figures) = VoiceRuns.run(chain, near: [far], far: [far])
        #expect(figures.divergences == 1)
        #expect(!clean[0].contains { !$0.isFinite })
    }

    /// An hour takes a minute in an optimised build: by hand, with VOICE_HOUR=1.
    @Test(arguments: VoiceEngine.allCases)
    func `A silent microphone stays silent, and is there when somebody speaks`(engine: VoiceEngine) {
        let seconds = ProcessInfo.processInfo.environment["VOICE_HOUR"] == nil ? 4 : 3600
        let chain = VoiceChain(
            engine, VoiceOptions("echo,noise,gain,highpass") ?? VoiceOptions(), sampleRate: 48_000, nearChannels: 1,
            farChannels: 1)
        let second = [Float](repeating: 0, count: 48_000)
        let far = VoiceSignals.speech(seconds: 1, seed: 25)
        var worst: Float = 0
        for _ in 0..<seconds {
            var output: [[Float]] = [[]]
            chain.process(near: [second], far: [far], into: &output)
            worst = output[0].reduce(worst) { max($0, abs($1)) }
        }
        #expect(worst < 1e-3)
        #expect(chain.figures.divergences == 0)
        var output: [[Float]] = [[]]
        let voice = VoiceSignals.speech(seconds: 3, seed: 26)
        chain.process(near: [voice], far: [[Float](repeating: 0, count: voice.count)], into: &output)
        #expect(VoiceSignals.power(output[0]) > VoiceSignals.power(voice) / 10)
    }

    @Test(arguments: VoiceEngine.allCases, [999, 384_001, 768_000])
    func `A sample rate that cannot be converted is refused in one sentence`(
        library: VoiceEngine, sampleRate: Int
    ) throws {
        let engine = try Engine(offline: sampleRate, inputs: 1, outputs: 1)
        defer { engine.close() }
        let voice = try engine.attach(VoiceProcessor(library))
        let refusal = UnitError.invalidConfiguration(
            "the voice processor works at sample rates of 1000 to 384000 Hz, and not at \(sampleRate) Hz; choose one of these, "
                + "or take the voice processor away")
        #expect(throws: refusal) { try engine.prepare() }
        #expect(throws: refusal) { try engine.start() }
        #expect(engine.state == .ready)
        engine.detach(voice)
        try engine.start()
        // Attached to what runs, it cannot be refused.
        engine.attach(voice)
        try engine.connect(engine.input, to: voice)
        try engine.connect(voice, to: engine.output)
        let output = try engine.render(9000, input: [[Float](repeating: 0.5, count: 9000)])
        #expect(output[0].allSatisfy { $0 == 0 })
    }

    @Test func `A sample rate that the server changes to is told, and where it cannot be converted that too`() throws {
        let graph = EngineGraph(inputs: 1, outputs: 1, rampMilliseconds: 0)
        graph.attach(try VoiceProcessor(.speex))
        let news = graph.news(of: [44_100, 768_000])
        #expect(news.count == 3, "\(news)")
        #expect(news.prefix(2) == [.sampleRateChanged(hertz: 44_100), .sampleRateChanged(hertz: 768_000)])
        #expect(
            news.last?.description.hasPrefix("the voice processor works at sample rates of 1000 to 384000 Hz") == true)
    }

    @Test(arguments: [1000, 384_000])
    func `The least and the greatest sample rate are converted`(sampleRate: Int) throws {
        let engine = try Engine(offline: sampleRate, inputs: 1, outputs: 1)
        defer { engine.close() }
        let voice = try engine.attach(VoiceProcessor(.speex))
        try engine.connect(engine.input, to: voice)
        try engine.connect(voice, to: engine.output)
        try engine.start()
        _ = try engine.render(sampleRate / 4, input: [[Float](repeating: 0.5, count: sampleRate / 4)])
        #expect(voice.figures.frames > 0)
    }

    @Test func `Words are understood, or not`() throws {
        let options = try #require(VoiceOptions("echo,noise=high,gain,highpass"))
        #expect(options.words == "echo,noise=high,gain,highpass")
        #expect(options.noise == .high && options.echo == .moderate && options.controlsGain && options.hasHighPass)
        for words in ["", "echo,", "noise=most", "gain=high", "reverb"] { #expect(VoiceOptions(words) == nil) }
    }
}

/// Passes the sound on, and louder and louder from the first second on, until it is reset.
private final class DivergingCanceller: VoiceCanceller {
    private let frames: Int
    private let factor: Float
    private var count = 0
    private(set) var resets = 0
    let speechProbability: Double? = nil
    let gainDecibels: Double? = nil

    init(_ form: VoiceForm, factor: Float = 4) {
        frames = form.frames
        self.factor = factor
    }

    func process(_ near: [Float], far: [Float], into clean: inout [Float]) {
        count += 1
        clean = count > 100 && resets == 0 ? near.map { $0 * factor } : near
    }

    func reset() { resets += 1 }
}
