import AudioMetering
import Testing

@testable import LiveRuns

@Suite("The spectrum on the page") struct LiveSpectrumTests {
    @Test func `stands whatever samples come`() {
        let analyzer = SpectrumAnalyzer(frames: SoundScope.spectrumFrames)
        let loud = [Float](repeating: .greatestFiniteMagnitude, count: SoundScope.spectrumFrames)
        for samples in [loud, loud.enumerated().map { $0 % 2 == 0 ? $1 : -$1 }] {
            let levels = analyzer.lines(of: samples, sampleRate: 48000).highest(between: SoundScope.edges)
            #expect(LiveScene.Spectrum(levels).bands.allSatisfy { (-140...1000).contains($0) })
        }
        #expect(LiveScene.Spectrum([-140, -3.4, .infinity]).bands == [-140, -3, 1000])
    }
}
