import AudioFiles
import Testing

@Suite("A sample format") struct SampleFormatTests {
    @Test func `holds what has no more bits, and nothing that has`() {
        for (small, large) in [
            (SampleFormat.int8, SampleFormat.uint8), (.aLaw, .int16), (.muLaw, .int16), (.int16, .int24),
            (.int24, .float32), (.int24, .int32), (.int32, .float64), (.float32, .float64),
        ] {
            #expect(large.holds(small), "\(large) \(small)")
        }
        for (large, small) in [
            (SampleFormat.int16, SampleFormat.uint8), (.int16, .aLaw), (.int16, .muLaw), (.int24, .int16),
            (.float32, .int24), (.float32, .int32), (.int32, .float32), (.float64, .float32), (.float64, .int32),
            (.aLaw, .muLaw), (.muLaw, .aLaw),
        ] {
            #expect(!small.holds(large), "\(small) \(large)")
        }
        #expect(SampleFormat.allCases.allSatisfy { $0.holds($0) })
    }

    @Test func `knows the size of a frame`() {
        #expect(StreamFormat(sampleRate: 48_000, channels: 6, sampleFormat: .int24).bytesPerFrame == 18)
        #expect(StreamFormat(sampleRate: 8000, channels: 1, sampleFormat: .aLaw).bytesPerFrame == 1)
    }
}
