import Testing

@testable import AudioMetering

@Suite("Loudness that begins again") struct LoudnessSpansTests {
    private func play(_ decibels: Double, seconds: Double, to spans: LoudnessSpans) {
        Programme.play([decibels, decibels], seconds: seconds, to: spans)
    }

    @Test func `is of what came since, while the whole goes on`() throws {
        let spans = try LoudnessSpans(sampleRate: Programme.sampleRate, channels: 2)
        play(-13, seconds: 4, to: spans)
        #expect(spans.recentReading == spans.reading, "nobody began again")
        #expect(spans.restart())
        #expect(spans.recentReading.integratedLUFS == -.infinity && spans.recentReading.rangeLU == nil)
        #expect(spans.recentReading.truePeakDecibels == [-.infinity, -.infinity])
        #expect(abs(spans.recentReading.shortTermLUFS + 13) <= 0.1, "the last 3 s are the last 3 s")
        play(-33, seconds: 4, to: spans)
        #expect(abs(spans.recentReading.integratedLUFS + 33) <= 0.1, "\(spans.recentReading)")
        #expect(abs(spans.recentReading.maximumShortTermLUFS + 33) <= 0.1)
        // The quieter half lies more than 10 LU below the rest.
        #expect(abs(spans.reading.integratedLUFS + 13) <= 0.3, "\(spans.reading)")
        #expect(spans.reading.truePeakDecibels.allSatisfy { abs($0 + 13) <= 0.1 })
    }

    @Test func `is silence before the first block, whose sample rate may be another than was said`() throws {
        let spans = try LoudnessSpans(sampleRate: 44_100, channels: 2)
        #expect(spans.reading.truePeakDecibels == [-.infinity, -.infinity] && spans.recentReading == spans.reading)
        #expect(spans.reading.integratedLUFS == -.infinity)
        #expect(!spans.change(sampleRate: 1), "no rate that is measured")
        #expect(spans.change(sampleRate: Programme.sampleRate))
        play(-23, seconds: 4, to: spans)
        #expect(abs(spans.reading.integratedLUFS + 23) <= 0.1, "\(spans.reading)")
        #expect(throws: LoudnessError.sampleRate(1)) { try LoudnessSpans(sampleRate: 1, channels: 2) }
        #expect(throws: LoudnessError.channels(65)) { try LoudnessSpans(sampleRate: 48000, channels: 65) }
    }

    @Test func `follows the sample rate in both`() throws {
        let spans = try LoudnessSpans(sampleRate: 44_100, channels: 2)
        #expect(spans.restart() && spans.change(sampleRate: Programme.sampleRate) && !spans.change(sampleRate: 1))
        play(-23, seconds: 4, to: spans)
        for reading in [spans.reading, spans.recentReading] {
            #expect(abs(reading.integratedLUFS + 23) <= 0.1, "\(reading)")
        }
    }
}
