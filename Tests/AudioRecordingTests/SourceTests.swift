import AudioFiles
import AudioRecording
import CSndFile
import Glibc
import TestSupport
import Testing

@Suite struct SourceTests {
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    func source(_ name: String, rate: Int = 48000, channels: Int = 2, loop: Bool = false) throws -> Source {
        try Source(.file(path: folder(name)), sampleRate: rate, channels: channels, loop: loop)
    }

    /// What a source yields, up to a number of frames, in odd pieces.
    func read(_ source: Source, at rate: Int = 48000, limit: Int = .max) throws -> [Float] {
        var signal: any Signal = try source.open(sampleRate: rate, channels: max(1, source.ports))
        var block = [Float](repeating: 0, count: 997 * signal.channels)
        var samples: [Float] = []
        while samples.count / signal.channels < limit {
            let frames = try signal.read(min(997, limit - samples.count / signal.channels), into: &block)
            if frames == 0 { break }
            samples += block.prefix(frames * signal.channels)
        }
        return samples
    }

    func expectRefusal(_ name: String, _ kind: SoundFileError.Kind, _ words: String, loop: Bool = false) {
        let error = #expect(throws: SoundFileError.self) { try source(name, loop: loop) }
        #expect(error?.kind == kind)
        #expect(error?.path == folder(name))
        #expect(error?.description.contains(words) == true, "\(String(describing: error))")
    }

    // What the words mean.

    @Test func aWordNamesAToneNoiseSilenceOrAPath() throws {
        #expect(try SourceKind(word: "tone") == .tone(hertz: 440))
        #expect(try SourceKind(word: "tone:880.5") == .tone(hertz: 880.5))
        #expect(try SourceKind(word: "noise") == .noise)
        #expect(try SourceKind(word: "silence") == .silence)
        #expect(try SourceKind(word: "./tone") == .file(path: "./tone"))
        #expect(try SourceKind(word: "tones.wav") == .file(path: "tones.wav"))
    }

    @Test(arguments: ["tone:", "tone:a", "tone:nan", "tone:inf", "tone:0x10", "tone:440Hz"])
    func aToneWithoutANumberIsRefused(word: String) {
        let error = #expect(throws: SoundFileError.self) { try SourceKind(word: word) }
        #expect(error?.kind == .badInput)
    }

    @Test func aSourcesNameIsItsWord() throws {
        for word in ["tone:440", "tone:880.5", "noise", "silence", "a/b.wav"] {
            #expect(try SourceKind(word: word).name == word)
        }
        #expect(try SourceKind(word: "tone:1e300").name == "tone:1e+300")
    }

    // What is generated.

    @Test(arguments: [19.9, 24000.1, -440, 0])
    func aToneOutOfRangeIsRefused(hertz: Double) {
        let error = #expect(throws: SoundFileError.self) {
            try Source(.tone(hertz: hertz), sampleRate: 48000, channels: 2)
        }
        #expect(error?.kind == .badInput)
        #expect(error?.reason.contains("20 to 24000") == true)
    }

    @Test func aToneIsASineThatDoesNotDrift() throws {
        let tone = try Source(.tone(hertz: 1000), sampleRate: 48000, channels: 2)
        #expect(tone.channels == 1 && tone.sampleRate == 48000 && tone.isEndless && tone.name == "tone:1000")
        let samples = try read(tone, limit: 480_000)
        #expect(samples[0] == 0)
        #expect(samples[12] == 0.25)
        // Ten seconds are 10 000 whole turns of 48 frames: each is the first again, to the bit.
        for frame in 48..<samples.count where samples[frame] != samples[frame - 48] {
            Issue.record("frame \(frame) is \(samples[frame]) and a turn before \(samples[frame - 48])")
            break
        }
    }

    @Test func noiseIsWhiteEnoughAndTheSameEachTime() throws {
        let noise = try Source(.noise, sampleRate: 48000, channels: 2)
        let samples = try read(noise, limit: 48000)
        #expect(try read(noise, limit: 48000) == samples)
        #expect(samples.allSatisfy { abs($0) <= 0.25 })
        let power = samples.reduce(0.0) { $0 + Double($1) * Double($1) } / 48000
        // Of a uniform distribution within ±0.25: 0.25² / 3. Its standard error is 0.5 %.
        #expect(abs(power / (0.0625 / 3) - 1) < 0.03)
        let neighbours = zip(samples, samples.dropFirst()).reduce(0.0) { $0 + Double($1.0) * Double($1.1) } / 48000
        #expect(abs(neighbours / power) < 0.03)
    }

    @Test func silenceIsSilent() throws {
        let samples = try read(Source(.silence, sampleRate: 48000, channels: 2), limit: 5000)
        #expect(samples == [Float](repeating: 0, count: 5000))
    }

    // What is read from files.

    @Test(arguments: [1, 2, 5])
    func aFileOfTheServersRateComesOutToTheBit(channels: Int) throws {
        var sound = Sound.numbered(frames: 10_007, channels: channels)
        sound.samples[3] = .infinity
        sound.samples[7] = 3.5
        try sound.write(to: folder("a.wav"))
        let file = try source("a.wav", channels: max(2, channels))
        #expect(file.channels == channels && file.sampleRate == 48000 && !file.isEndless)
        #expect(file.name == folder("a.wav"))
        #expect(try read(file) == sound.samples)
    }

    @Test(arguments: [
        SF_FORMAT_FLAC | SF_FORMAT_PCM_24, SF_FORMAT_AIFF | SF_FORMAT_PCM_24, SF_FORMAT_CAF | SF_FORMAT_FLOAT,
        SF_FORMAT_W64 | SF_FORMAT_FLOAT, SF_FORMAT_RF64 | SF_FORMAT_PCM_32, SF_FORMAT_AU | SF_FORMAT_FLOAT,
    ])
    func otherFormatsComeOutToTheBitToo(format: Int) throws {
        let sound = Sound.numbered(frames: 10_007, channels: 2)
        try sound.write(to: folder("a"), format: format)
        #expect(try read(source("a")) == sound.samples)
    }

    @Test(arguments: [
        SF_FORMAT_OGG | SF_FORMAT_VORBIS, SF_FORMAT_OGG | SF_FORMAT_OPUS, SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III,
    ])
    func lossyFormatsAreRead(format: Int) throws {
        let sound = Sound.sine(hertz: 440, frames: 48000, sampleRate: 48000)
        try sound.write(to: folder("a"), format: format)
        let samples = try read(source("a"))
        // Encoders add a frame of their own before and after.
        #expect((48000...52000).contains(samples.count))
        let peak = samples.map(abs).max() ?? 0
        #expect((0.3...0.8).contains(peak))
    }

    @Test func aLoopHasNoSeam() throws {
        let sound = Sound.numbered(frames: 1234, channels: 2)
        try sound.write(to: folder("a.wav"))
        let file = try source("a.wav", loop: true)
        #expect(file.isEndless)
        let samples = try read(file, limit: 1234 * 5)
        #expect(samples == [[Float]](repeating: sound.samples, count: 5).flatMap { $0 })
    }

    @Test func aLoopOfOneFrameIsALevel() throws {
        try Sound(samples: [0.5]).write(to: folder("a.wav"))
        #expect(try read(source("a.wav", loop: true), limit: 3000) == [Float](repeating: 0.5, count: 3000))
    }

    // Rates.

    @Test(arguments: [(44100, 48000), (48000, 44100), (96000, 48000), (8000, 48000), (44101, 48000), (192_000, 22050)])
    func anotherRateIsConvertedInFullAndWithoutDelay(rates: (file: Int, server: Int)) throws {
        let frames = rates.file / 2 + 13
        let sound = Sound.sine(hertz: 997, frames: frames, sampleRate: rates.file)
        try sound.write(to: folder("a.wav"))
        let samples = try read(source("a.wav", rate: rates.server), at: rates.server)
        let expected = Double(frames) * Double(rates.server) / Double(rates.file)
        #expect(abs(Double(samples.count) - expected) <= 1, "\(samples.count) frames, \(expected) expected")
        // Away from the ends, where the filter sees the silence around the file.
        let ideal = Sound.sine(hertz: 997, frames: samples.count, sampleRate: rates.server).samples
        let margin = samples.count / 10
        var worst: Float = 0
        for frame in margin..<(samples.count - margin) { worst = max(worst, abs(samples[frame] - ideal[frame])) }
        #expect(worst < 1e-5, "off by \(worst)")
    }

    @Test func theConverterRunsAcrossTheSeam() throws {
        // 441 frames at 44100 hertz are 10 turns of 1000 hertz, so that the loop is an endless sine.
        try Sound.sine(hertz: 1000, frames: 441, sampleRate: 44100).write(to: folder("a.wav"))
        let samples = try read(source("a.wav", loop: true), limit: 48000)
        try #require(samples.count == 48000)
        let ideal = Sound.sine(hertz: 1000, frames: 48000, sampleRate: 48000).samples
        var worst: Float = 0
        for frame in 1000..<48000 { worst = max(worst, abs(samples[frame] - ideal[frame])) }
        #expect(worst < 1e-5, "off by \(worst)")
    }

    /// Lengths of CD tracks, of which a frame becomes a frame; and others, which begin up to half a frame beside their place.
    @Test(arguments: [
        (lengths: [588 * 20, 588 * 11, 588], limit: 1e-6), (lengths: [10_000, 12_345, 7001], limit: 0.03),
    ])
    func theConverterRunsAcrossTheSeamOfFiles(lengths: [Int], limit: Double) throws {
        let total = lengths.reduce(0, +)
        let whole = Sound.sine(hertz: 997, frames: total, sampleRate: 44100)
        try whole.write(to: folder("whole.wav"))
        var start = 0
        for (index, length) in lengths.enumerated() {
            let part = Sound(sampleRate: 44100, samples: Array(whole.samples[start..<(start + length)]))
            try part.write(to: folder("\(index).wav"))
            start += length
        }
        let parts = try lengths.indices.map { try source("\($0).wav", channels: 1) }
        func played(knowing: Bool) throws -> [Float] {
            try parts.indices.flatMap { index in
                try read(
                    parts[index].between(
                        knowing && index > 0 ? parts[index - 1] : nil,
                        knowing && index + 1 < parts.count ? parts[index + 1] : nil))
            }
        }
        let expected = try read(source("whole.wav", channels: 1))
        func worst(_ samples: [Float]) throws -> Double {
            try #require(abs(samples.count - expected.count) <= 1)
            return Double(zip(samples, expected).map { abs($0 - $1) }.max() ?? 0)
        }
        let known = try worst(played(knowing: true))
        #expect(known < limit)
        #expect(try worst(played(knowing: false)) > 3 * known)
    }

    @Test func aNeighbourThatWasChangedIsSilenceAtTheSeam() throws {
        for name in ["0.wav", "1.wav", "2.wav"] {
            try Sound.numbered(frames: 10_000, channels: 1, sampleRate: 44100).write(to: folder(name))
        }
        let sources = try (0..<3).map { try source("\($0).wav", channels: 1) }
        let alone = try read(sources[1])
        for name in ["0.wav", "2.wav"] {
            try Sound.numbered(frames: 20_000, channels: 3, sampleRate: 44100).write(to: folder(name))
        }
        #expect(try read(sources[1].between(sources[0], sources[2])) == alone)
    }

    @Test(arguments: [UInt32(187), 12_288_001, 2_000_000_000, 1])
    func anAbsurdRateIsRefused(rate: UInt32) throws {
        try put(wavBytes(riffSize: 4036, dataSize: 4000, dataBytes: 4000, sampleRate: rate), at: folder("a.wav"))
        expectRefusal("a.wav", .badInput, "sample rate")
    }

    @Test(arguments: [UInt32(188), 12_288_000])
    func aRateWithinTheConvertersRangeIsTaken(rate: UInt32) throws {
        try put(wavBytes(riffSize: 4036, dataSize: 4000, dataBytes: 4000, sampleRate: rate), at: folder("a.wav"))
        _ = try source("a.wav")
    }

    // Channels.

    @Test func upToSixtyFourChannelsArePlayedAndMoreWhereTheUnitHasThem() throws {
        try Sound.numbered(frames: 10, channels: 64).write(to: folder("64.wav"))
        try Sound.numbered(frames: 10, channels: 65).write(to: folder("65.wav"))
        #expect(try source("64.wav").channels == 64)
        #expect(try source("65.wav", channels: 65).channels == 65)
        expectRefusal("65.wav", .badInput, "--channels")
    }

    // What cannot be played.

    @Test func whatIsNotThereIsNoInput() throws {
        expectRefusal("missing.wav", .noInput, "no such file")
        try put([1], at: folder("file"))
        expectRefusal("file/a.wav", .noInput, "no such file")
        expectRefusal("", .noInput, "directory")
        mkfifo(folder("pipe"), 0o600)
        expectRefusal("pipe", .noInput, "regular")
    }

    @Test func whatIsNoSoundIsBadInput() throws {
        try put([], at: folder("empty.wav"))
        expectRefusal("empty.wav", .badInput, "empty")
        try put(Array("Dear diary, today I wrote a file that is no sound at all.".utf8), at: folder("text.wav"))
        expectRefusal("text.wav", .badInput, "no sound file")
        try put(Array(wavBytes(riffSize: 36, dataSize: 0, dataBytes: 0).prefix(20)), at: folder("stub.wav"))
        expectRefusal("stub.wav", .badInput, "no sound file")
    }

    @Test(arguments: [false, true])
    func aFileWithoutFramesIsBadInput(loop: Bool) throws {
        try Sound(channels: 2).write(to: folder("a.wav"))
        expectRefusal("a.wav", .badInput, "no frames", loop: loop)
        try put(wavBytes(riffSize: 36, dataSize: 0, dataBytes: 400), at: folder("b.wav"))
        expectRefusal("b.wav", .badInput, "no frames", loop: loop)
    }

    @Test(arguments: [
        SF_FORMAT_WAV | SF_FORMAT_PCM_16, SF_FORMAT_WAV | SF_FORMAT_FLOAT, SF_FORMAT_AIFF | SF_FORMAT_PCM_16,
        SF_FORMAT_AU | SF_FORMAT_FLOAT, SF_FORMAT_W64 | SF_FORMAT_FLOAT, SF_FORMAT_RF64 | SF_FORMAT_FLOAT,
        SF_FORMAT_CAF | SF_FORMAT_FLOAT, SF_FORMAT_FLAC | SF_FORMAT_PCM_16,
    ])
    func aFileThatWasCutOffIsRefused(format: Int) throws {
        try Sound.numbered(frames: 48000, channels: 2).write(to: folder("a"), format: format)
        let whole = try bytes(of: folder("a"))
        for kept in [whole.count / 2, whole.count - 16] {
            try put(Array(whole.prefix(kept)), at: folder("a"))
            let error = #expect(throws: SoundFileError.self, "\(kept) of \(whole.count) bytes") { try source("a") }
            #expect(error?.kind == .badInput)
        }
    }

    @Test(arguments: [UInt32(0xffff_ffff), 0x7fff_f000, 0x7fff_ffff, 0x8000_0000, 0xffff_ffdb])
    func aFileThatWasWrittenToAPipeIsPlayed(size: UInt32) throws {
        try put(wavBytes(riffSize: size, dataSize: size, dataBytes: 4000), at: folder("a.wav"))
        #expect(try read(source("a.wav")).count == 2000)
    }

    @Test func aPromiseIsBrokenOnlyWhereSamplesAreMissing() {
        #expect(BrokenPromise(log: "RIFF : 100 (should be 50)\nfmt : 16\ndata : 64\n") == nil)
        #expect(BrokenPromise(log: "Bytes/sec : 96000 (should be 0)\n  data : 10 (should be 20)\n") == nil)
        let promise = BrokenPromise(log: "RIFF : 100 (should be 50)\n  data : 64 (should be 14)\n")
        #expect(promise?.promisedBytes == 64 && promise?.presentBytes == 14)
        // A field of 32 bits cannot hold this one; of 64 bits, none can hold the last.
        #expect(BrokenPromise(log: "riff : 5368709120 (should be 1000)\n")?.promisedBytes == 5 << 30)
        #expect(BrokenPromise(log: "  Riff size : 4294967296 (should be 1000)\n") != nil)
        #expect(BrokenPromise(log: "riff : 9223372036854775807 (should be 1000)\n") == nil)
    }

    @Test func aFileThatShrinksUnderUsFailsAndSaysWhere() throws {
        try Sound.numbered(frames: 20_000).write(to: folder("a.wav"))
        var signal: any Signal = try source("a.wav").open(sampleRate: 48000, channels: 2)
        var block = [Float](repeating: 0, count: 1000)
        #expect(try signal.read(1000, into: &block) == 1000)
        truncate(folder("a.wav"), 20_000)
        let error = #expect(throws: SoundFileError.self) {
            while try signal.read(1000, into: &block) > 0 {}
        }
        #expect(error?.kind == .io)
        #expect(error?.reason.contains("of 20000") == true)
    }
}
