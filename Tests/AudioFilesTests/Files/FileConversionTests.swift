import AudioDSP
import AudioFiles
import Foundation
import TestSupport
import Testing
import Threads

@Suite("A conversion of a file") struct FileConversionTests {
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    /// A file of 16-bit samples that a seed makes.
    private func write(
        _ name: String, frames: Int, rate: Int = 44_100, channels: Int = 2, peak: Int16 = .max,
        metadata: SoundFileMetadata = SoundFileMetadata(), markers: [Marker] = []
    ) throws -> String {
        var generator = SeededGenerator(seed: UInt64(frames))
        let samples = (0..<frames * channels).map { _ in Int16.random(in: -peak...peak, using: &generator) }
        let writer = try SoundFileWriter(
            path: folder(name), format: SoundFileFormat(.wav, .pcm16), sampleRate: rate, channels: channels,
            metadata: metadata)
        try writer.write(PCMBuffer(writer.exactFormat, samples))
        try writer.close(marking: markers)
        return folder(name)
    }

    private func samples(_ path: String) throws -> [Int16] {
        let reader = try SoundFileReader(path: path)
        let format = StreamFormat(sampleRate: reader.sampleRate, channels: reader.channels, sampleFormat: .int16)
        var buffer = PCMBuffer(format, capacityFrames: reader.frames ?? 0)
        _ = try reader.read(into: &buffer)
        return buffer.samples(of: Int16.self)
    }

    @discardableResult
    private func convert(
        _ input: String, _ name: String, _ set: (inout FileConversion) -> Void = { _ in },
        progress: (FileConversion.Progress) -> Bool = { _ in true }
    ) throws -> FileConversion.Outcome {
        var conversion = FileConversion()
        set(&conversion)
        return try conversion.convert(try SoundFileReader(path: input), to: folder(name), progress: progress)
    }

    @Test(arguments: ["b.wav", "b.flac", "b.w64", "b.caf", "b.aiff", "b.au", "b.rf64"])
    func `into another lossless kind keeps each bit, and the width of samples`(name: String) throws {
        let path = try write("a.wav", frames: 10_001)
        let outcome = try convert(path, name)
        #expect(outcome.outputFormat.encoding == .pcm16 && outcome.outputFrames == 10_001 && outcome.isComplete)
        #expect(try samples(folder(name)) == samples(path))
    }

    @Test func `takes a part, to the frame`() throws {
        let path = try write("a.wav", frames: 44_100)
        try convert(path, "b.flac") {
            $0.startSeconds = 0.25
            $0.endSeconds = 0.75
        }
        let whole = try samples(path)
        #expect(try samples(folder("b.flac")) == Array(whole[11_025 * 2..<33_075 * 2]))
        for start in [1.0, 5] {
            #expect(throws: SoundFileError.self) { try convert(path, "c.flac") { $0.startSeconds = start } }
        }
        #expect(!folder.names.contains("c.flac"))
    }

    @Test(arguments: [(44_100, 48_000), (44_100, 16_000), (8000, 44_100)])
    func `to another rate has its exact length`(_ rate: Int, _ wanted: Int) throws {
        let path = try write("a.wav", frames: 20_011, rate: rate, channels: 1)
        let outcome = try convert(path, "b.wav") { $0.sampleRate = wanted }
        #expect(outcome.outputFrames == Int((20_011 * Double(wanted) / Double(rate)).rounded()))
        let reader = try SoundFileReader(path: folder("b.wav"))
        #expect(reader.sampleRate == wanted && reader.frames == outcome.outputFrames)
    }

    @Test func `goes to the nearest rate that a kind of file has, unless one was asked for`() throws {
        let path = try write("a.wav", frames: 44_100)
        let outcome = try convert(path, "b.opus")
        #expect(outcome.outputRate == 48_000 && outcome.outputFrames == 48_000)
        #expect(throws: SoundFileError.self) { try convert(path, "c.opus") { $0.sampleRate = 44_100 } }
        #expect(!FileManager.default.fileExists(atPath: folder("c.opus")))
    }

    @Test func `brings the largest sample to the level that is asked for, and a gain does what it says`() throws {
        let path = try write("a.wav", frames: 5000, peak: 8000)
        let outcome = try convert(path, "b.wav") {
            $0.peakDecibels = -1
            $0.encoding = .float
        }
        func peak(_ name: String) throws -> Double {
            let reader = try SoundFileReader(path: folder(name))
            var block = [Float](repeating: 0, count: 10_000)
            _ = try reader.read(5000, into: &block)
            return Double(block.map(abs).max() ?? 0)
        }
        #expect(abs(20 * log10(try peak("b.wav")) + 1) < 1e-5)
        let loudest = Double(try samples(path).map(abs).max() ?? 0) / 32_768
        #expect(abs(outcome.gainDecibels + 20 * log10(loudest) + 1) < 1e-4)
        try convert(path, "c.wav") {
            $0.gainDecibels = -6
            $0.encoding = .float
        }
        let ratio = try peak("b.wav") / peak("c.wav")
        #expect(abs(20 * log10(ratio) - outcome.gainDecibels - 6) < 1e-4)
        // Too loud: limited, and counted.
        let loud = try convert(path, "d.wav") { $0.gainDecibels = 40 }
        #expect(loud.clippedSamples > 1000)
    }

    @Test func `makes what is hardly a sound louder by a gain that is a number`() throws {
        let writer = try SoundFileWriter(
            path: folder("a.wav"), format: SoundFileFormat(.wav, .double), sampleRate: 48_000, channels: 1)
        let least = Double.leastNonzeroMagnitude
        try writer.write(PCMBuffer(writer.exactFormat, [least, -least]))
        try writer.close()
        let outcome = try convert(folder("a.wav"), "b.wav") { $0.peakDecibels = -1 }
        #expect(abs(outcome.gainDecibels - 6000) < 1e-6 && outcome.outputFrames == 2)
    }

    @Test func `keeps title and markers, at their new frames`() throws {
        var broadcast = BroadcastInfo()
        broadcast.timeReferenceFrames = 88_200
        let path = try write(
            "a.wav", frames: 44_100, metadata: SoundFileMetadata([.title: "Night"], broadcast: broadcast),
            markers: [Marker(frame: 100, label: "early"), Marker(frame: 22_050, label: "half")])
        try convert(path, "b.wav") {
            $0.sampleRate = 48_000
            $0.startSeconds = 0.25
        }
        let reader = try SoundFileReader(path: folder("b.wav"))
        #expect(reader.metadata[.title] == "Night")
        #expect(reader.metadata.broadcast?.timeReferenceFrames == 108_000)
        #expect(reader.markers == [Marker(frame: 12_000, label: "half")])
    }

    @Test func `keeps a time reference to the frame, and drops and tells one that is no count`() throws {
        func converted(_ frames: UInt64, rate: Int? = nil) throws -> (outcome: FileConversion.Outcome, BroadcastInfo?) {
            var broadcast = BroadcastInfo()
            broadcast.description = "A scene"
            broadcast.timeReferenceFrames = frames
            let writer = try SoundFileWriter(
                path: folder("a.wav"), format: SoundFileFormat(.wav, .pcm16), sampleRate: 44_100, channels: 1,
                metadata: SoundFileMetadata(broadcast: broadcast), replacing: true)
            try writer.write(PCMBuffer(writer.exactFormat, (0..<1000).map { Int16($0) }))
            try writer.close()
            let outcome = try convert(folder("a.wav"), "b.wav") {
                $0.sampleRate = rate
                $0.replaces = true
            }
            return (outcome, try SoundFileReader(path: folder("b.wav")).metadata.broadcast)
        }
        let (kept, time) = try converted(1 << 53 | 1)
        #expect(time?.timeReferenceFrames == 1 << 53 | 1 && kept.warnings.isEmpty)
        for (frames, rate) in [(UInt64.max, nil), (1 << 63 - 1, 48_000), (.max, 96_000)] {
            let (outcome, time) = try converted(frames, rate: rate)
            #expect(time?.timeReferenceFrames == 0 && time?.description == "A scene")
            #expect(outcome.warnings.count == 1 && outcome.warnings[0].contains("time reference"))
            if rate == nil { #expect(try samples(folder("b.wav")) == samples(folder("a.wav"))) }
        }
    }

    @Test(arguments: ["a.wav", "a.caf", "a.aiff"])
    func `drops and tells markers and loops beyond the end of a file`(name: String) throws {
        // CAF has floating numbers: this frame at a higher rate is beyond all that can be counted.
        let far = name == "a.caf" ? Int.max - 1023 : Int(UInt32.max)
        let here = Marker(frame: 441, label: "here")
        let loop = SoundFileLoop(startFrame: 10, endFrame: 20)
        let writer = try SoundFileWriter(path: folder(name), sampleRate: 44_100, channels: 1)
        try writer.write(chord(frames: 44_100, channels: 1, sampleRate: 44_100))
        try writer.close(
            marking: [Marker(frame: far, label: "far"), here, Marker(frame: 44_101, label: "just beyond")],
            looping: name == "a.caf" ? [] : [loop, SoundFileLoop(startFrame: 44_000, endFrame: 44_101)])
        let reader = try SoundFileReader(path: folder(name))
        #expect(reader.markers == [here] && reader.loops == (name == "a.caf" ? [] : [loop]))
        let outcome = try convert(folder(name), "b.\(name)") { $0.sampleRate = 48_000 }
        #expect(outcome.outputFrames == 48_000)
        #expect(try SoundFileReader(path: folder("b.\(name)")).markers == [Marker(frame: 480, label: "here")])
        let count = name == "a.caf" ? 2 : 3
        #expect(outcome.warnings == ["\(count) markers or loops lie beyond its end, and are left out"])
    }

    @Test func `that fails on the way leaves a finished file, with its markers up to there`() throws {
        let path = try write(
            "a.wav", frames: 100_000,
            markers: [Marker(frame: 100, label: "early"), Marker(frame: 90_000, label: "late")])
        let whole = try samples(path)
        #expect(throws: SoundFileError.self) {
            try convert(path, "b.wav", progress: { _ in truncate(path, 200_000) == 0 })
        }
        // One that is not finished would be refused here.
        let reader = try SoundFileReader(path: folder("b.wav"))
        #expect(reader.markers == [Marker(frame: 100, label: "early")])
        let kept = try samples(folder("b.wav"))
        #expect((40_000..<100_000).contains(kept.count) && kept.elementsEqual(whole.prefix(kept.count)))
    }

    @Test func `keeps a sampler's loops, at their new frames, and says where a kind of file has none`() throws {
        let writer = try SoundFileWriter(path: folder("a.wav"), sampleRate: 48_000, channels: 1)
        try writer.write(chord(frames: 48_000, channels: 1, sampleRate: 48_000))
        try writer.close(
            looping: [SoundFileLoop(startFrame: 12_000, endFrame: 36_000), SoundFileLoop(startFrame: 0, endFrame: 9)],
            baseNote: 33)
        try convert(folder("a.wav"), "b.wav") {
            $0.sampleRate = 24_000
            $0.startSeconds = 0.125
        }
        let reader = try SoundFileReader(path: folder("b.wav"))
        #expect(reader.loops == [SoundFileLoop(startFrame: 3000, endFrame: 15_000)] && reader.baseNote == 33)
        let outcome = try convert(folder("a.wav"), "c.flac")
        #expect(outcome.warnings.contains("flac float has no loops, which are left out") == false)
        #expect(outcome.warnings.contains { $0.hasSuffix("has no loops, which are left out") }, "\(outcome.warnings)")
    }

    /// Writes a second of sound with places in it.
    private func writePlaces(
        marking markers: [Marker] = [], looping loops: [SoundFileLoop] = [], baseNote: Int = 60
    ) throws -> String {
        let writer = try SoundFileWriter(path: folder("a.wav"), sampleRate: 48_000, channels: 1)
        try writer.write(chord(frames: 48_000, channels: 1, sampleRate: 48_000))
        try writer.close(marking: markers, looping: loops, baseNote: baseNote)
        return folder("a.wav")
    }

    @Test func `says how many loops it has not read`() throws {
        let loops = (0..<20).map { SoundFileLoop(startFrame: $0, endFrame: $0 + 100) }
        let outcome = try convert(writePlaces(looping: loops), "b.wav")
        #expect(try SoundFileReader(path: folder("b.wav")).loops == Array(loops.prefix(16)))
        #expect(outcome.warnings.contains { $0.contains("20 loops") }, "\(outcome.warnings)")
    }

    @Test func `says that AIFF's loops do not end, and that it has no room for all markers`() throws {
        let loops = [SoundFileLoop(startFrame: 0, endFrame: 100, repetitions: 3)]
        let path = try writePlaces(marking: (0..<32_764).map { Marker(frame: $0, label: "") }, looping: loops)
        let outcome = try convert(path, "b.aiff")
        #expect(try SoundFileReader(path: folder("b.aiff")).markers.count == 32_763)
        #expect(outcome.warnings.contains { $0.contains("repetition counts") }, "\(outcome.warnings)")
        #expect(outcome.warnings.contains { $0.contains("more than 32763 markers") }, "\(outcome.warnings)")
    }

    @Test func `keeps the base note of a sound without loops`() throws {
        let path = try writePlaces(baseNote: 33)
        for name in ["b.wav", "b.aiff", "b.rf64"] {
            #expect(try convert(path, name).warnings.isEmpty)
            #expect(try SoundFileReader(path: folder(name)).baseNote == 33, "\(name)")
        }
        let outcome = try convert(path, "b.flac")
        #expect(outcome.warnings.contains { $0.contains("no base notes") }, "\(outcome.warnings)")
    }

    @Test func `says which chunks that describe the sound are left out`() throws {
        let chunks: [WaveBytes.Chunk] = [.format(), .data(200), .init("iXML", Array("<BWFXML/>".utf8))]
        try put(WaveBytes(chunks: chunks).bytes, at: folder("a.wav"))
        let outcome = try convert(folder("a.wav"), "b.wav")
        #expect(outcome.warnings == ["left out of its description: the chunk iXML"])
        #expect(try convert(folder("b.wav"), "c.wav").warnings.isEmpty)
    }

    @Test func `that is interrupted leaves what it has made, whole`() throws {
        let path = try write("a.wav", frames: 100_000)
        let outcome = try convert(path, "b.wav", progress: { ($0.share ?? 0) < 0.5 })
        #expect(!outcome.isComplete && outcome.outputFrames > 40_000 && outcome.outputFrames < 60_000)
        let made = try samples(folder("b.wav"))
        let whole = try samples(path)
        #expect(made.count == outcome.outputFrames * 2 && made == Array(whole.prefix(made.count)))
    }

    @Test func `never writes over its input, by another name either, nor over what is there`() throws {
        let path = try write("a.wav", frames: 1000)
        let before = try samples(path)
        try FileManager.default.createSymbolicLink(atPath: folder("link.wav"), withDestinationPath: path)
        try FileManager.default.linkItem(atPath: path, toPath: folder("hard.wav"))
        for name in ["a.wav", "link.wav", "hard.wav"] {
            #expect(throws: SoundFileError.self) { try convert(path, name) { $0.replaces = true } }
        }
        let other = try write("b.wav", frames: 500)
        #expect(throws: SoundFileError.self) { try convert(path, "b.wav") }
        #expect(try samples(path) == before)
        #expect(try samples(other).count == 1000)
        try convert(path, "b.wav") { $0.replaces = true }
        #expect(try samples(other) == before)
    }

    /// Noise with a peak of ½, and silence that is none quite at both ends, and within.
    private func quietEnds(_ name: String, rate: Int = 8000) throws -> (path: String, sound: Range<Int>) {
        var generator = SeededGenerator(seed: 4)
        let frames = 5 * rate
        let sound = 1234..<(frames - 2345)
        let samples = (0..<frames).map { frame -> Int16 in
            let isLoud = sound.contains(frame) && !(2 * rate..<3 * rate).contains(frame)
            return isLoud ? (frame % 2 == 0 ? 16_384 : -16_384) : Int16.random(in: -10...10, using: &generator)
        }
        let writer = try SoundFileWriter(
            path: folder(name), format: SoundFileFormat(.wav, .pcm16), sampleRate: rate, channels: 1)
        try writer.write(PCMBuffer(writer.exactFormat, samples))
        try writer.close(marking: [Marker(frame: 100, label: "out"), Marker(frame: 2234, label: "in")])
        return (folder(name), sound)
    }

    @Test func `leaves out the silence at both ends, and none within`() throws {
        let (path, sound) = try quietEnds("a.wav")
        let whole = try samples(path)
        let outcome = try convert(path, "b.wav") { $0.trimDecibels = -60 }
        #expect(try samples(folder("b.wav")) == Array(whole[sound]))
        #expect(outcome.inputFrames == sound.count && outcome.warnings.isEmpty)
        #expect(try SoundFileReader(path: folder("b.wav")).markers == [Marker(frame: 1000, label: "in")])
        try convert(path, "c.wav") {
            $0.trimDecibels = -60
            $0.startSeconds = 0.5
            $0.endSeconds = 2.5
        }
        #expect(try samples(folder("c.wav")) == Array(whole[4000..<16_000]))
        #expect(throws: SoundFileError.self) { try convert(path, "d.wav") { $0.trimDecibels = -3 } }
        #expect(!folder.names.contains("d.wav"))
    }

    @Test func `of a pipe holds the silence back that may be its end, and says where it cannot`() throws {
        let (path, sound) = try quietEnds("a.wav")
        let whole = try samples(path)
        func pipe(_ bytes: [UInt8], _ name: String) throws -> FileConversion.Outcome {
            var conversion = FileConversion()
            conversion.trimDecibels = -60
            let ends = try #require(PipeEnds())
            defer { close(ends.reading) }
            let feeder = try Worker("iounit-feeder") {
                _ = WholeWrite.write(bytes, to: ends.writing)
                close(ends.writing)
            }
            defer { feeder.join() }
            return try conversion.convert(SoundFileReader(descriptor: ends.reading, name: "a pipe"), to: folder(name))
        }
        let outcome = try pipe(try bytes(of: path), "b.wav")
        #expect(try samples(folder("b.wav")) == Array(whole[sound]) && outcome.warnings.isEmpty)
        // A minute is held back: of 61 s one stays.
        var sounds = [Int16](repeating: 20_000, count: 4000)
        sounds += [Int16](repeating: 1, count: 61 * 8000)
        let writer = try SoundFileWriter(
            path: folder("long.wav"), format: SoundFileFormat(.wav, .pcm16), sampleRate: 8000, channels: 1)
        try writer.write(PCMBuffer(writer.exactFormat, sounds))
        try writer.close()
        let long = try pipe(try bytes(of: folder("long.wav")), "c.wav")
        #expect((12_000...12_160).contains(long.outputFrames), "\(long.outputFrames)")
        #expect(long.warnings.contains { $0.contains("1.0 s are left") }, "\(long.warnings)")
    }

    @Test(arguments: [Antialiasing.off, .adaa, .twofold, .fourfold, .adaaTwofold, .best])
    func `puts sound through a curve with each frame at its time`(antialiasing: Antialiasing) throws {
        let sound = chord(frames: 5001, channels: 2, sampleRate: 48_000)
        try writeFile(folder("a.wav"), sound, channels: 2)
        let outcome = try convert(folder("a.wav"), "b.wav") {
            // Straight up to full scale.
            $0.shaping = FileShaping(.hard, antialiasing: antialiasing)
        }
        #expect(outcome.outputFrames == 5001)
        let made = try floats(SoundFileReader(path: folder("b.wav")))
        // But for half a frame that ADAA has beyond whole ones, and the ends of a sound that begins at once.
        let isHalf = Shaping(.hard, antialiasing).latencyFrames.truncatingRemainder(dividingBy: 1) != 0
        let worst = zip(sound, made).dropFirst(400).dropLast(400).map { abs($0 - $1) }.max() ?? 1
        #expect(worst < (isHalf ? 0.02 : 1e-4), "\(worst)")
        // Shorter than the delay.
        try writeFile(folder("short.wav"), [0.5, 0.25, 0.1])
        let short = try convert(folder("short.wav"), "c.wav") {
            $0.shaping = FileShaping(.tanh, antialiasing: antialiasing)
        }
        #expect(short.outputFrames == 3)
    }

    private struct Meter: LoudnessMeasuring {
        var sum = 0.0
        var count = 0
        mutating func add(_ frames: Int, of block: [Float]) {
            for sample in block.prefix(frames) { sum += Double(sample * sample) }
            count += frames
        }
        var integratedLUFS: Double? { sum > 0 ? 10 * log10(sum / Double(count)) : nil }
        var truePeakDecibels: Double { -2 }
    }

    @Test func `brings a loudness about that a meter of the caller's measures`() throws {
        let path = try write("a.wav", frames: 5000, channels: 1, peak: 8000)
        let goal = LoudnessGoal(integratedLUFS: -14) { rate, channels in
            #expect(rate == 48_000 && channels == 1)
            return Meter()
        }
        let outcome = try convert(path, "b.wav") {
            $0.loudness = goal
            $0.sampleRate = 48_000
            $0.encoding = .float
        }
        var meter = Meter()
        let made = try floats(SoundFileReader(path: folder("b.wav")))
        meter.add(made.count, of: made)
        #expect(abs((meter.integratedLUFS ?? 0) + 14) < 1e-3)
        #expect(abs((outcome.measuredLUFS ?? 0) + outcome.gainDecibels + 14) < 1e-9)
        #expect(outcome.warnings.contains { $0.contains("true peak") } == (outcome.gainDecibels > 1))
        try writeFile(folder("silent.wav"), [Float](repeating: 0, count: 100), sampleRate: 48_000)
        let silent = try convert(folder("silent.wav"), "c.wav") { $0.loudness = goal }
        #expect(silent.gainDecibels == 0 && silent.warnings.contains { $0.contains("has no loudness") })
    }
}
