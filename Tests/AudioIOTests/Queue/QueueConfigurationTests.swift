import AudioIO
import AudioRealtime
import Testing

@Suite("The size of a queue") struct QueueConfigurationTests {
    private func error(_ change: (inout QueueUnderTest) -> Void) -> String {
        var configuration = QueueUnderTest(
            unit: UnitConfiguration(), buffers: QueueConfiguration(bufferFrames: 441))
        change(&configuration)
        do {
            _ = try QueuedUnit(configuration)
            return ""
        } catch {
            return error.description
        }
    }

    @Test func `is refused where it is out of range`() {
        #expect(error { $0.bufferCount = 0 } == "a number of buffers of 0 is out of range; use 2 to 64")
        #expect(error { $0.bufferCount = 1 }.contains("a number of buffers of 1"))
        #expect(error { $0.bufferCount = -3 }.contains("a number of buffers of -3"))
        #expect(error { $0.bufferCount = 65 }.contains("a number of buffers of 65"))
        #expect(error { $0.bufferFrames = 0 }.hasPrefix("a buffer in frames of 0 is out of range; use 1 to"))
        #expect(error { $0.bufferFrames = -1 }.contains("a buffer in frames of -1"))
        #expect(error { $0.bufferFrames = .max }.contains("a buffer in frames of"))
        #expect(error { $0.unit.channels = 0 }.contains("a number of channels of 0"))
        #expect(error { $0.bufferCount = 2 } == "")
        #expect(error { $0.bufferCount = 64 } == "")
        #expect(error { $0.bufferFrames = 1 } == "")
    }

    @Test func `is refused where it would take more than a gibibyte`() {
        let refusal = error {
            $0.bufferFrames = 480_000
            $0.bufferCount = 64
            $0.unit.channels = 256
        }
        #expect(refusal.hasPrefix("64 buffers of 480000 frames take") && refusal.hasSuffix("1024 MiB at the most"))
    }

    @Test func `is refused and not computed with where its numbers are none that a queue has`() {
        for number in [Int.min, -1, 0, 1 << 62, .max] {
            for (frames, count) in [(number, 3), (441, number), (number, number)] {
                var configuration = QueueConfiguration(bufferFrames: frames)
                configuration.bufferCount = count
                #expect(throws: UnitError.self) { try configuration.check(sampleRate: 48_000, periodFrames: 64) }
                #expect(throws: UnitError.self) { try configuration.check(channels: 1) }
                #expect((1...63 * 7_680_000).contains(configuration.latencyFrames))
            }
        }
        for channels in [Int.min, 0, 257, .max] {
            #expect(throws: UnitError.self) { try QueueConfiguration(bufferFrames: 441).check(channels: channels) }
        }
        #expect(QueueConfiguration(bufferFrames: 441).latencyFrames == 882)
        for (channels, bytes) in [(Int.min, 4), (0, 4), (1, 4), (256, 1024), (.max, 1024)] {
            #expect(QueueConfiguration.bytesPerFrame(channels: channels, format: .float) == bytes)
        }
    }

    @Test func `of more than ten seconds is refused at the rate at which it is that long`() throws {
        let configuration = QueueConfiguration(bufferFrames: 441_001)
        try configuration.check(sampleRate: 48_000, periodFrames: 64)
        #expect(throws: UnitError.self) { try configuration.check(sampleRate: 44_100, periodFrames: 64) }
        try QueueConfiguration(bufferFrames: 441_000).check(sampleRate: 44_100, periodFrames: 64)
    }

    /// Seed 004: time = bytes / (bytes per frame · rate); 8820 bytes of 16-bit mono are 0.1 s at 44.1 kHz.
    @Test func `in bytes is that of so many whole frames`() throws {
        #expect(try QueueConfiguration.frames(inBytes: 8820, channels: 1, format: .int16) == 4410)
        #expect(try QueueConfiguration.frames(inBytes: 8820, channels: 2, format: .int16) == 2205)
        #expect(try QueueConfiguration.frames(inBytes: 8820, channels: 1, format: .float) == 2205)
        #expect(QueueConfiguration(bufferFrames: 4410).bufferNanoseconds(sampleRate: 44_100) == 1e8)
        for bytes in [Int.min, -4, 0, 1, 3, 8821] {
            let refused = #expect(throws: UnitError.self) {
                try QueueConfiguration.frames(inBytes: bytes, channels: 2, format: .int16)
            }
            #expect(refused?.description.contains("use a multiple of 4 bytes") == true)
        }
        #expect(throws: UnitError.self) { try QueueConfiguration.frames(inBytes: 8, channels: 0, format: .int16) }
    }

    @Test func `in milliseconds is that of the nearest number of frames`() throws {
        #expect(try QueueConfiguration.frames(inMilliseconds: 100, sampleRate: 44_100) == 4410)
        #expect(try QueueConfiguration.frames(inMilliseconds: 1, sampleRate: 44_100) == 44)
        #expect(try QueueConfiguration.frames(inMilliseconds: 10_000, sampleRate: 48_000) == 480_000)
        for milliseconds in [0, -1, 0.01, 10_001, .nan, .infinity, -.infinity] {
            #expect(throws: UnitError.self, "\(milliseconds) ms") {
                try QueueConfiguration.frames(inMilliseconds: milliseconds, sampleRate: 48_000)
            }
        }
        #expect(throws: UnitError.self) { try QueueConfiguration.frames(inMilliseconds: 1, sampleRate: 0) }
    }
}
