import AudioDSP

@testable import AudioVoice

/// A chain or a bare library on two whole signals.
enum VoiceRuns {
    /// What a chain makes of them, in pieces of `period` frames, aligned with the near end.
    ///
    /// - Parameter look: called after each piece with the frames so far and the figures.
    static func chain(
        _ engine: VoiceEngine, _ options: VoiceOptions = VoiceOptions(), near: [[Float]], far: [[Float]],
        sampleRate: Int = 48_000, period: Int = 480, look: (Int, VoiceFigures) -> Void = { _, _ in }
    ) -> (clean: [[Float]], figures: VoiceFigures) {
        let chain = VoiceChain(
            engine, options, sampleRate: sampleRate, nearChannels: near.count, farChannels: far.count)
        let delay = VoiceChain.delayFrames(engine, options, sampleRate: sampleRate)
        return run(chain, near: near, far: far, period: period, delay: delay, look: look)
    }

    /// - Parameter delay: of the chain; by default that of one whose library has none, at its own rate.
    static func run(
        _ chain: VoiceChain, near: [[Float]], far: [[Float]], period: Int = 480,
        delay: Int = VariableResampler.delayFrames(step: 1), look: (Int, VoiceFigures) -> Void = { _, _ in }
    ) -> (clean: [[Float]], figures: VoiceFigures) {
        var output = [[Float]](repeating: [], count: near.count)
        for start in stride(from: 0, to: near[0].count, by: period) {
            let range = start..<min(start + period, near[0].count)
            chain.process(near: near.map { Array($0[range]) }, far: far.map { Array($0[range]) }, into: &output)
            look(range.upperBound, chain.figures)
        }
        return (output.map { Array($0.dropFirst(delay)) }, chain.figures)
    }

    /// What the library alone makes of them, whose delay is known.
    static func bare(
        _ engine: VoiceEngine, _ options: VoiceOptions = VoiceOptions(), near: [Float], far: [Float],
        sampleRate: Int = 48_000
    ) -> [Float] {
        let form = VoiceForm(sampleRate: sampleRate, nearChannels: 1, farChannels: 1)
        let canceller = engine.makeCanceller(form, options)
        var output: [Float] = []
        var clean = [Float](repeating: 0, count: form.frames)
        for start in stride(from: 0, through: near.count - form.frames, by: form.frames) {
            canceller.process(
                Array(near[start..<start + form.frames]), far: Array(far[start..<start + form.frames]), into: &clean)
            output += clean
        }
        return Array(output.dropFirst(Int(engine.delayFrames(sampleRate: sampleRate, options).rounded())))
    }
}
