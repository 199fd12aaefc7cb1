import AudioFiles
import CommandTestSupport
import Foundation
import TestSupport
import Testing

/// `iounit info`, on files of which it is known what is in them: it needs no server.
@Suite("iounit info") struct InfoTests {
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private func sox(_ words: String...) throws {
        let run = try CommandRun(words, program: "/usr/bin/sox")
        #expect(try run.end() == 0, "\(run.err)")
    }

    private func run(_ words: [String], input: FileHandle = .nullDevice) throws -> (
        code: Int32, out: String, err: String
    ) {
        let run = try CommandRun(["info"] + words, input: input)
        return (try run.end(), run.out, run.err)
    }

    /// What `--json` says of each file.
    private func files(_ out: String) throws -> [[String: Any]] {
        let report = try object(out)
        #expect(report["schema"] as? String == "iounit.info/1")
        return try #require(report["files"] as? [[String: Any]])
    }

    private func facts(_ words: String...) throws -> [String: Any] {
        let run = try run(words + ["--json"])
        #expect(run.code == 0 && run.err.isEmpty, "\(run.err)")
        return try #require(try files(run.out).first)
    }

    /// What `--peaks` says of each channel.
    private func peaks(_ path: String) throws -> [[String: Any]] {
        let peaks = try #require(try facts(path, "--peaks")["peaks"] as? [String: Any])
        return try #require(peaks["channels"] as? [[String: Any]])
    }

    /// Writes samples of the same kind to each channel.
    @discardableResult
    private func write(
        _ name: String, _ samples: [Float], channels: Int = 1, as format: SoundFileFormat? = nil,
        metadata: SoundFileMetadata = SoundFileMetadata(), marking markers: [Marker] = []
    ) throws -> String {
        let writer = try SoundFileWriter(
            path: folder(name), format: format, sampleRate: 48000, channels: channels, metadata: metadata)
        try writer.write(samples.flatMap { Array(repeating: $0, count: channels) })
        try writer.close(marking: markers)
        return folder(name)
    }

    private func sine(seconds: Double, peakDecibels: Double) -> [Float] {
        TestSupport.sine(997, amplitude: pow(10, peakDecibels / 20), frames: Int(seconds * 48000))
    }

    @Test func `shows what the header says, in words and in JSON`() throws {
        try sox("-n", "-D", "-r", "44100", "-c", "2", "-b", "16", folder("a.wav"), "synth", "1.5", "sine", "997")
        let run = try run([folder("a.wav")])
        #expect(run.code == 0 && run.err.isEmpty)
        let lines = run.out.split(separator: "\n").map(String.init)
        #expect(lines.first == folder("a.wav"))
        #expect(lines.contains { $0.contains("format") && $0.contains("Signed 16 bit PCM (wav pcm16)") }, "\(run.out)")
        #expect(lines.contains { $0.contains("sound") && $0.contains("44100 Hz, 2 channels") }, "\(run.out)")
        #expect(lines.contains { $0.contains("length") && $0.contains("00:00:01.500 (66150 frames)") }, "\(run.out)")
        #expect(!run.out.contains("WARNING") && !run.out.contains("gaps"))
        let facts = try facts(folder("a.wav"))
        let bytes = try #require(facts["bytes"] as? Int)
        #expect(facts["frames"] as? Int == 66150 && facts["seconds"] as? Double == 1.5)
        #expect(bytes > 66150 * 4 && facts["bitsPerSecond"] as? Double == Double(bytes) * 8 / 1.5)
        #expect(facts["readFrames"] is NSNull && facts["peaks"] is NSNull && facts["loudness"] is NSNull)
        #expect(facts["recording"] is NSNull && facts["error"] is NSNull)
    }

    @Test func `shows metadata, the time reference in hours, minutes and seconds, and markers`() throws {
        var broadcast = BroadcastInfo()
        broadcast.description = "Scene 7"
        broadcast.originator = "Truck 2"
        // 14:09:15.5 at 48 kHz.
        let second = 14 * 3600 + 9 * 60 + 15
        broadcast.timeReferenceFrames = UInt64(second) * 48000 + 24000
        var metadata = SoundFileMetadata([.title: "Rain\u{1b}[31m", .artist: "Nobody"], broadcast: broadcast)
        metadata[.comment] = "two\nlines"
        let path = try write(
            "a.wav", sine(seconds: 1, peakDecibels: -6), metadata: metadata,
            marking: [Marker(frame: 4800, label: "in"), Marker(frame: 24000, label: "out")])
        let text = try run([path]).out
        for words in [
            "Nobody", "Scene 7", "Truck 2", "time ref.     14:09:15.500 (2445864000 frames)", "markers       2 ",
        ] {
            #expect(text.contains(words), "\(words) in \(text)")
        }
        #expect(!text.contains("\u{1b}"), "a terminal obeys nothing of it")
        let facts = try facts(path)
        let found = try #require(facts["broadcast"] as? [String: Any])
        #expect(found["timeReference"] as? String == "14:09:15.500")
        #expect((facts["metadata"] as? [String: String])?["comment"] == "two\nlines")
        let markers = try #require(facts["markers"] as? [[String: Any]])
        #expect(markers.map { $0["label"] as? String } == ["in", "out"])
        #expect(markers.map { $0["seconds"] as? Double } == [0.1, 0.5])
    }

    @Test func `markers beyond the end are left out, and a warning says so`() throws {
        let path = try write(
            "a.wav", [0.5, 0.25], marking: [Marker(frame: 1, label: "in"), Marker(frame: 3, label: "")])
        let facts = try facts(path)
        #expect((facts["markers"] as? [[String: Any]])?.count == 1)
        #expect((facts["warnings"] as? [String])?.contains { $0.contains("beyond its end") } == true)
    }

    @Test func `a time reference beyond all time is shown and traps nothing`() throws {
        var broadcast = BroadcastInfo()
        broadcast.timeReferenceFrames = .max
        let path = try write("a.wav", [0.5, 0.25], metadata: SoundFileMetadata(broadcast: broadcast))
        #expect(try run([path]).out.contains("\(UInt64.max) frames"))
    }

    /// BS.1770-4: the loudness is −0.691 + 10 log₁₀ Σ z, z the weighted mean square of each channel. The weighting's gain
    /// at 997 Hz is +0.691 dB, so that of n channels L = p − 3.01 + 10 log₁₀ n for a sine whose peak is p dBFS.
    @Test(arguments: [1, 2]) func `measures a sine of 997 Hz as the formula has it`(_ channels: Int) throws {
        let expected = -23 - 10 * log10(2) + 10 * log10(Double(channels))
        let path = try write("a.wav", sine(seconds: 10, peakDecibels: -23), channels: channels)
        let facts = try facts(path, "--loudness", "--peaks")
        let loudness = try #require(facts["loudness"] as? [String: Any])
        let integrated = try #require(loudness["integratedLUFS"] as? Double)
        // EBU Tech 3341 permits 0.1 LU.
        #expect(abs(integrated - expected) <= 0.1, "\(integrated) LUFS, and not \(expected)")
        #expect(try #require(loudness["rangeLU"] as? Double) < 0.1)
        let levels = try #require((facts["peaks"] as? [String: Any])?["channels"] as? [[String: Any]])
        #expect(levels.count == channels && facts["readFrames"] as? Int == 480_000)
        for level in levels {
            #expect(abs(try #require(level["peakDecibels"] as? Double) + 23) < 0.01)
            // EBU Tech 3341: +0.2, −0.4 dB.
            #expect((-23.4 ... -22.8).contains(try #require(level["truePeakDecibels"] as? Double)))
            #expect(level["clippedSamples"] as? Int == 0)
            #expect(abs(try #require(level["offset"] as? Double)) < 1e-4)
        }
        let words = try run([path, "--loudness"]).out
        let shown = channels == 1 ? "-26.0" : "-23.0"
        #expect(words.contains("\(shown) LUFS integrated, range 0.0 LU, true peak -23.0 dBTP"), "\(words)")
    }

    /// How much each channel counts in dB; `nil` for low frequencies, which do not count. BS.1770-4, tables 3 and 4: side surrounds
    /// (60 to 120° from the front) 1.41 times, all others once.
    @Test(
        arguments: [
            [0, 0, 0, nil, 1.5, 1.5], [0, 0, 0, nil, 0, 1.5, 1.5], [0, 0, 0, nil, 0, 0, 1.5, 1.5],
        ] as [[Double?]])
    func `each loudspeaker counts as BS.1770 has it, up to 7.1`(_ weights: [Double?]) throws {
        let (tone, silence) = (sine(seconds: 1, peakDecibels: -23), [Float](repeating: 0, count: 48000))
        for (number, weight) in weights.enumerated() {
            let path = folder("\(number).wav")
            let channels = weights.indices.map { $0 == number ? tone : silence }
            try SoundFile(sampleRate: 48000, channels: channels).write(path)
            let loudness = try #require(try facts(path, "--loudness")["loudness"] as? [String: Any])
            let integrated = loudness["integratedLUFS"] as? Double
            let isRight = weight.map { abs((integrated ?? 0) - (-26 + $0)) <= 0.1 } ?? (integrated == nil)
            #expect(isRight, "channel \(number + 1): \(integrated as Any)")
        }
    }

    /// 50.8 % of it is loud, and the rest e = 10^(−12.76 / 10) times as strong: the relative gate lies 10 LU below the mean of both, which is
    /// 10 + 10 log₁₀(1 / (0.508 + 0.492 e)) = 12.73 LU below the loud part, and 0.03 LU above the soft one. In steps of 0.1
    /// LU the soft part would seem 12.7 LU softer, count, and bring the loudness down by 2.7 LU.
    @Test func `a sound that lies just below the relative gate does not count`() throws {
        let (loud, soft) = (-20.01, -20.01 - 12.76)
        let path = try write("a.wav", sine(seconds: 50.8, peakDecibels: loud) + sine(seconds: 49.2, peakDecibels: soft))
        let loudness = try #require(try facts(path, "--loudness")["loudness"] as? [String: Any])
        let integrated = try #require(loudness["integratedLUFS"] as? Double)
        let expected = loud - 10 * log10(2)
        #expect(abs(integrated - expected) <= 0.1, "\(integrated) LUFS, and not \(expected)")
    }

    @Test func `silence has neither loudness nor peak`() throws {
        let path = try write("a.wav", [Float](repeating: 0, count: 240_000))
        let facts = try facts(path, "--loudness", "--peaks")
        let loudness = try #require(facts["loudness"] as? [String: Any])
        #expect(loudness["integratedLUFS"] is NSNull && loudness["rangeLU"] is NSNull)
        #expect((loudness["truePeakDecibels"] as? [Any])?.first is NSNull)
        let text = try run([path, "--loudness", "--peaks"]).out
        #expect(text.contains("– LUFS integrated, range – LU, true peak – dBTP") && text.contains("silent"), "\(text)")
    }

    @Test func `the true peak lies between the samples`() throws {
        // A quarter of the sample rate, which the samples meet 45° beside its peaks: 3.01 dB above them. It begins and ends
        // gently, so that no step rings.
        let samples = (0..<48000).map { frame in
            let fade = min(1, Double(min(frame, 47999 - frame)) / 4800)
            return Float(fade * 0.5 * sin(.pi / 2 * Double(frame) + .pi / 4))
        }
        let level = try #require(try peaks(write("a.wav", samples)).first)
        let (peak, truePeak) = (
            try #require(level["peakDecibels"] as? Double), try #require(level["truePeakDecibels"] as? Double)
        )
        #expect(abs(peak - 20 * log10(0.5 * 0.5.squareRoot())) < 0.01)
        #expect((-6.42 ... -5.82).contains(truePeak), "\(truePeak), and not -6.02")
    }

    @Test(arguments: [SoundFileFormat.Encoding.pcm16, .pcm24, .float])
    func `samples are clipped in runs of three and more at full scale, of one sign`(
        _ encoding: SoundFileFormat.Encoding
    ) throws {
        let runs: [[Float]] = [
            [1, 1], [0.5], [1, 1, 1], [0], [-1, -1, -1, -1], [0.9, 1], [-1, 1, -1, 1], [0.2], [1, 1, -1, -1], [0.25],
        ]
        let format = try #require(SoundFileFormat(.wav, encoding))
        let level = try #require(try peaks(write("a.wav", runs.flatMap(\.self), as: format)).first)
        #expect(level["clippedSamples"] as? Int == 7 && level["clippedRuns"] as? Int == 2, "\(level)")
    }

    @Test func `samples of FLAC with 12 bits are clipped at 2047`() throws {
        // WAV for flac: 12 bits that count of each 16 (WAVEFORMATEXTENSIBLE).
        let fields: [UInt16] = [0xfffe, 1, 48000, 0, 30464, 1, 2, 16, 22, 12, 4, 0, 1, 0, 0, 16]
        var file = [UInt8]("RIFF".utf8) + [150, 0, 0, 0]
        file += Array("WAVEfmt ".utf8) + [40, 0, 0, 0]
        for field in fields { file += [UInt8(field & 255), UInt8(field >> 8)] }
        file += [128, 0, 0, 170, 0, 56, 155, 113]
        let samples = [Int16](repeating: 1600, count: 40) + Array(repeating: 2047 << 4, count: 5)
        file += Array("data".utf8) + [90, 0, 0, 0]
        for sample in samples { file += [UInt8(sample & 255), UInt8(sample >> 8)] }
        try put(file, at: folder("a.wav"))
        let made = try CommandRun.tool("flac", "-s", "-o", folder("a.flac"), folder("a.wav"))
        #expect(made.code == 0, "\(made.err)")
        let level = try #require(try peaks(folder("a.flac")).first)
        #expect(level["clippedSamples"] as? Int == 5, "\(level)")
    }

    @Test func `the offset is the mean, and samples that are not finite are counted and left out`() throws {
        var samples = (0..<48000).map { $0 % 2 == 0 ? Float(0.35) : -0.15 }
        let level = try #require(try peaks(write("a.wav", samples, channels: 2)).last)
        #expect(abs(try #require(level["offset"] as? Double) - 0.1) < 1e-6)
        samples[100] = .nan
        samples[101] = .infinity
        try SoundFile(sampleRate: 48000, channels: [samples]).write(folder("b.wav"))
        let found = try #require(try facts(folder("b.wav"), "--peaks")["peaks"] as? [String: Any])
        #expect(found["nonFiniteSamples"] as? Int == 2)
        #expect(try run([folder("b.wav"), "--peaks"]).out.contains("not finite    2 samples"))
    }

    @Test func `the result does not depend on where blocks end`() throws {
        // The run of four lies across the end of the first block of 16384 samples.
        var samples = [Float](repeating: 0.1, count: 40_000)
        for index in 16382..<16386 { samples[index] = 1 }
        let level = try #require(try peaks(write("a.wav", samples)).first)
        #expect(level["clippedSamples"] as? Int == 4 && level["clippedRuns"] as? Int == 1)
    }

    @Test func `shows the gaps that the list beside a recording has, and no other file's`() throws {
        let path = try write("take.wav", [0.5, 0.25])
        func gap(_ cause: String, _ nanoseconds: Int, at start: Int = 5) -> String {
            #"{"cause":"\#(cause)","filledFrames":0,"frame":1,"lengthFrames":1,"lengthNanoseconds":\#(nanoseconds),"#
                + #""monotonicNanoseconds":\#(start),"segment":1,"wallTime":"2026-11-22T14:09:15.000000Z"}"#
        }
        let gaps = [gap("reset", 250_000_000), gap("late", 100_500_000), gap("pause", 2_000_000_000, at: 400_000_000)]
        let list =
            #"{"freewheels":[],"gapFill":"silence","omittedFreewheels":0,"omittedGaps":0,"onRateChange":"split","#
            + #""schema":"iounit.recording/1","segments":[{"channels":1,"frames":2,"path":"take.wav","sampleRate":48000}],"#
            + #""start":{"monotonicNanoseconds":1,"wallTime":"2026-11-22T14:09:00.000000Z"},"gaps":["#
        try (list + gaps.joined(separator: ",\n") + "]}\n").write(
            toFile: path + ".json", atomically: true, encoding: .utf8)
        #expect(
            try run([path]).out.contains("gaps          2 gaps, 0.351 s lost, 1 pause of 2.000 s, see \(path).json"))
        let recording = try #require(try facts(path)["recording"] as? [String: Any])
        #expect(recording["gaps"] as? Int == 2 && recording["pauses"] as? Int == 1)
        #expect(abs(try #require(recording["lostSeconds"] as? Double) - 0.3505) < 1e-9)

        try #"{"schema":"iounit.recording/1","gaps":7}"#.write(
            toFile: path + ".json", atomically: true, encoding: .utf8)
        let broken = try run([path])
        #expect(broken.code == 0 && broken.out.contains("WARNING") && broken.out.contains("take.wav.json"))
        for other in [#"{"schema":"somebody.else/1","gaps":[]}"#, "[7]"] {
            try other.write(toFile: path + ".json", atomically: true, encoding: .utf8)
            let facts = try facts(path)
            #expect(facts["recording"] is NSNull && (facts["warnings"] as? [String])?.isEmpty == true)
        }
    }

    @Test func `a list of gaps that cannot be read, or that cannot be, is no sign that nothing is missing`() throws {
        let path = try write("take.wav", [0.5, 0.25])
        func list(_ gaps: String, version: Int = 1) -> String {
            #"{"gapFill":"silence","omittedGaps":0,"schema":"iounit.recording/\#(version)","segments":[{"path":"take.wav"}],"#
                + #""start":{"monotonicNanoseconds":1,"wallTime":"2026-11-22T14:09:00.000000Z"},"gaps":[\#(gaps)]}"#
        }
        func gap(segment: Int = 1, frame: Int = 0) -> String {
            #"{"cause":"late","filledFrames":48000,"frame":\#(frame),"lengthNanoseconds":1000000000,"#
                + #""monotonicNanoseconds":5000000000,"segment":\#(segment)}"#
        }
        try list(gap()).write(toFile: path + ".json", atomically: true, encoding: .utf8)
        #expect(try run([path]).out.contains("gaps          1 gap, 1.000 s lost"))
        // What was wanted lasts as many frames as went by, which a freewheeling server has in no time.
        let wanted = ["pause", "silence"].map {
            gap().replacing("late", with: $0).replacing("1000000000,", with: "60000000000,")
        }
        try list(wanted.joined(separator: ",")).write(toFile: path + ".json", atomically: true, encoding: .utf8)
        #expect(try run([path]).out.contains("2 pauses of 120.000 s"))
        let twoHundred = [String](repeating: gap(), count: 200).joined(separator: ",")
        for (content, encoding, words) in [
            ("", String.Encoding.utf8, "it is empty"), ("no JSON", .utf8, "it is no JSON"),
            ("[[[[", .utf8, "it is no JSON"),
            (list(""), .utf16, "it is no JSON"), (list("", version: 2), .utf8, "of another version of iounit"),
            (list(gap(segment: 9)), .utf8, "a gap in file 9 of 1"),
            (list(gap(frame: -5)), .utf8, "begins before its file"),
            (list(twoHundred), .utf8, "its gaps last 200.000 s, and only 6.000 s passed"),
        ] {
            try content.write(toFile: path + ".json", atomically: true, encoding: encoding)
            let facts = try facts(path)
            let warning = try #require((facts["warnings"] as? [String])?.first, "\(words)")
            #expect(warning.contains(words) && warning.hasSuffix("gaps are not known"), "\(warning)")
            #expect(facts["recording"] is NSNull)
        }
    }

    @Test func `a list of gaps lies beside a file of the same kind, and is no longer than one can be`() throws {
        let path = try write("take-2.wav", [0.5, 0.25])
        let list =
            #"{"gapFill":"silence","omittedGaps":0,"schema":"iounit.recording/1","#
            + #""segments":[{"path":"take.wav"},{"path":"take-2.wav"}],"#
            + #""start":{"wallTime":"2026-11-22T14:09:00.000000Z"},"gaps":[]}"#
        // Not beside a sound file of its kind.
        for name in ["notes.json", "take.flac.json"] {
            try list.write(toFile: folder(name), atomically: true, encoding: .utf8)
        }
        #expect(try facts(path)["recording"] is NSNull)
        try list.write(toFile: folder("take.wav.json"), atomically: true, encoding: .utf8)
        #expect((try facts(path)["recording"] as? [String: Any])?["path"] as? String == folder("take.wav.json"))
        // What is broken may be of this one, by its name, or is not.
        for (name, isOfIt) in [("other.wav.json", false), ("take.wav.json", true)] {
            try "".write(toFile: folder(name), atomically: true, encoding: .utf8)
            let facts = try facts(path)
            let isWarned = (facts["warnings"] as? [String])?.isEmpty == false
            #expect(facts["recording"] is NSNull == isOfIt && isWarned == isOfIt, "\(name)")
        }
        // 33 MB, with spaces behind it.
        let long = list + String(repeating: " ", count: 33 << 20)
        for name in ["take.wav.json", "take-2.wav.json"] {
            try long.write(toFile: folder(name), atomically: true, encoding: .utf8)
            #expect(try facts(path)["recording"] is NSNull)
        }
    }

    /// The longer comment fills libsndfile's log, which otherwise says that the file is cut off.
    @Test(arguments: [[], ["--peaks"]], [0, 1900])
    func `a file that is cut off is shown as far as it goes, with a warning`(
        _ options: [String], commentBytes: Int
    ) throws {
        let metadata = SoundFileMetadata([.comment: String(repeating: "c", count: commentBytes)])
        let whole = try write("whole.wav", sine(seconds: 1, peakDecibels: -6), metadata: metadata)
        #expect(try !self.run([whole]).out.contains("WARNING"))
        let bytes = try Data(contentsOf: URL(fileURLWithPath: whole))
        try bytes.prefix(bytes.count / 2).write(to: URL(fileURLWithPath: folder("cut.wav")))
        let run = try run([folder("cut.wav")] + options)
        #expect(run.code == 0 && run.err.isEmpty, "\(run.err)")
        #expect(run.out.contains("WARNING       it is cut off: its header promises 192000 bytes"), "\(run.out)")
        #expect(run.out.contains("48000 Hz, 1 channel\n"), "\(run.out)")
    }

    @Test func `the length of a FLAC file that is cut off is its header's until its frames are counted`() throws {
        let whole = try write("whole.flac", sine(seconds: 2, peakDecibels: -6))
        let bytes = try Data(contentsOf: URL(fileURLWithPath: whole))
        let cut = folder("cut.flac")
        try bytes.prefix(bytes.count / 2).write(to: URL(fileURLWithPath: cut))
        #expect(try run([whole]).out.contains("00:00:02.000 (96000 frames)\n"))
        let promised = try run([cut]).out
        #expect(promised.contains("00:00:02.000 (96000 frames by its header)\n"), "\(promised)")
        let counted = try run([cut, "--peaks"]).out
        #expect(counted.contains(" frames, of 96000 that the header promises)\n"), "\(counted)")
        #expect(try facts(cut)["frames"] as? Int == 96000)
        // Of WAV what is there is counted.
        let wave = try Data(contentsOf: URL(fileURLWithPath: write("a.wav", sine(seconds: 2, peakDecibels: -6))))
        try wave.dropLast(4000).write(to: URL(fileURLWithPath: folder("cut.wav")))
        let present = try run([folder("cut.wav")]).out
        #expect(present.contains("WARNING") && present.contains(" frames)\n"), "\(present)")
    }

    @Test func `of an MP3 file that is cut off the bit rate is known when its frames are counted`() throws {
        let whole = try write("whole.mp3", sine(seconds: 4, peakDecibels: -6))
        let bytes = try Data(contentsOf: URL(fileURLWithPath: whole))
        let cut = folder("cut.mp3")
        try bytes.prefix(bytes.count / 2).write(to: URL(fileURLWithPath: cut))
        func facts(_ words: String...) throws -> [String: Any] {
            try #require(try files(try run(words + ["--json"]).out).first)
        }
        let promised = try facts(cut)
        #expect((promised["warnings"] as? [String])?.contains { $0.contains("it is cut off") } == true)
        #expect(promised["bitsPerSecond"] is NSNull, "\(promised)")
        let rate = try #require(try facts(whole)["bitsPerSecond"] as? Double)
        let counted = try #require(try facts(cut, "--peaks")["bitsPerSecond"] as? Double)
        #expect((rate * 0.6...rate * 1.6).contains(counted), "\(counted) of \(rate)")
    }

    /// libmpg123 would, over the page of a terminal.
    @Test func `no library writes what it thinks of a damaged MP3 file`() throws {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: write("whole.mp3", sine(seconds: 2, peakDecibels: -6))))
        let noise = Data((0..<2000).map { UInt8(truncatingIfNeeded: $0 * 7919 >> 3) })
        let half = bytes.count / 2
        try (bytes.prefix(half) + noise + bytes.suffix(half)).write(to: URL(fileURLWithPath: folder("bad.mp3")))
        let run = try run([folder("bad.mp3"), "--peaks"])
        #expect(run.err.isEmpty, "\(run.err)")
        #expect(run.out.contains("WARNING"), "\(run.out)")
    }

    @Test func `goes on where a file cannot be read, and exits as the first failure`() throws {
        let good = try write("a.wav", [0.5, 0.25])
        try Data("no sound at all".utf8).write(to: URL(fileURLWithPath: folder("bad.wav")))
        let run = try run([folder("none.wav"), good, folder("bad.wav"), good])
        #expect(run.code == 66)
        let errors = run.err.split(separator: "\n")
        #expect(errors.count == 2 && errors[0].contains("none.wav") && errors[1].contains("bad.wav"), "\(run.err)")
        #expect(run.out.components(separatedBy: "\n\n").count == 2, "two blocks: \(run.out)")
        let json = try self.run([folder("bad.wav"), good, folder("none.wav"), "--json"])
        #expect(json.code == 65 && json.err.split(separator: "\n").count == 2)
        let files = try files(json.out)
        #expect(files.map { $0["error"] is NSNull } == [false, true, false])
        // A script reads it too where none of several can be read.
        let none = try self.run([folder("none.wav"), folder("bad.wav"), "--json"])
        #expect(none.code == 66 && none.err.split(separator: "\n").count == 2, "\(none.err)")
        #expect(try self.files(none.out).map { $0["error"] is String } == [true, true])
    }

    @Test(arguments: [
        ([], 64, "FILE..."), (["-", "-"], 64, "once"), (["a.wav", "--peak"], 64, "--peaks"),
        (["none.wav"], 66, "none.wav"),
        (["bad.wav", "--json"], 65, "bad.wav"), (["bad.wav"], 65, "if it is sound of another kind, convert it"),
        (["empty.wav"], 65, "empty"), (["."], 66, "directory"),
        (["none.wav", "bad.wav"], 66, "none.wav"),
    ])
    func `says in a sentence what is wrong, and nothing on stdout`(
        _ words: [String], _ code: Int, _ hint: String
    ) throws {
        try Data("no sound at all".utf8).write(to: URL(fileURLWithPath: folder("bad.wav")))
        try Data().write(to: URL(fileURLWithPath: folder("empty.wav")))
        let run = try run(words.map { $0.hasPrefix("-") ? $0 : folder($0) })
        let count = words.count { !$0.hasPrefix("-") }
        #expect(run.code == code && run.out.isEmpty && run.err.contains(hint), "\(run.err)")
        #expect(run.err.split(separator: "\n").count == max(1, code == 64 ? 1 : count), "\(run.err)")
    }

    @Test func `reads a pipe, and counts its frames where its header does not know`() throws {
        let path = try write("a.wav", sine(seconds: 2, peakDecibels: -6))
        let pipe = Pipe()
        // sox does not know the length of what it writes to a pipe.
        let source = try CommandRun(
            ["-c", "sox '\(path)' -t wav - >&2 2>/dev/null"], program: "/bin/sh", errors: pipe.fileHandleForWriting)
        try pipe.fileHandleForWriting.close()
        let run = try run(["-", "--peaks", "--json"], input: pipe.fileHandleForReading)
        #expect(try run.code == 0 && source.end() == 0, "\(run.err)")
        let facts = try #require(try files(run.out).first)
        #expect(facts["path"] as? String == "-" && facts["readFrames"] as? Int == 96000)
        #expect(facts["bytes"] is NSNull && facts["bitsPerSecond"] is NSNull && facts["seconds"] as? Double == 2)
    }

    @Test func `how far it has come is one line of a terminal, however long the path is`() throws {
        let path = folder("\(String(repeating: "long", count: 50)).au")
        // AU of floats without a length. It takes long to read, and as one hole no disk.
        let header: [UInt8] = [
            46, 115, 110, 100, 0, 0, 0, 24, 255, 255, 255, 255, 0, 0, 0, 6, 0, 0, 187, 128, 0, 0, 0, 2,
        ]
        try Data(header).write(to: URL(fileURLWithPath: path))
        try #require(truncate(path, 16 << 30) == 0)
        let run = try TerminalRun(["info", "--peaks", path])
        try run.wait(until: " read")
        try run.send(SIGINT)
        #expect(try run.end() == 130)
        let lines = run.screen.split(separator: "\r").filter { $0.contains(" read") }
        #expect(!lines.isEmpty)
        for line in lines {
            #expect(line.prefix { $0 != "\u{1b}" }.count < 80 && line.contains(".au: "), "\(line)")
        }
    }

    @Test func `a header that claims too much for the meter takes no memory, and says so`() throws {
        // 64 channels at 2.8 MHz: the last 3 s of it would be 4 GB.
        var info = [UInt8]("RIFF".utf8) + [0x2c, 0x10, 0, 0] + Array("WAVEfmt ".utf8) + [16, 0, 0, 0, 3, 0, 64, 0]
        let rate = UInt32(2_822_400)
        func little(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } }
        info += little(rate) + little(rate * 256) + [0, 1, 32, 0]
        info += Array("data".utf8) + little(4096) + [UInt8](repeating: 0, count: 4096)
        try Data(info).write(to: URL(fileURLWithPath: folder("a.wav")))
        let facts = try facts(folder("a.wav"), "--peaks", "--loudness")
        #expect(facts["channels"] as? Int == 64 && facts["loudness"] is NSNull && facts["peaks"] is [String: Any])
        let warnings = try #require(facts["warnings"] as? [String])
        #expect(warnings.contains { $0.contains("samples a second") }, "\(warnings)")
    }
}
