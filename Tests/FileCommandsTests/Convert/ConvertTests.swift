import AudioFiles
import CommandTestSupport
import Foundation
import TestSupport
import Testing

/// `iounit convert`, on files that sox makes and checks: it needs no server.
@Suite("iounit convert") struct ConvertTests {
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private func sox(_ words: String...) throws -> String {
        let run = try CommandRun(words, program: "/usr/bin/sox")
        #expect(try run.end() == 0, "\(run.err)")
        return run.out + run.err
    }

    private func tone(_ name: String, rate: Int = 44_100, seconds: Double = 2) throws -> String {
        _ = try sox(
            "-n", "-D", "-r", "\(rate)", "-c", "2", "-b", "16", folder(name), "synth", "\(seconds)", "sine", "997",
            "gain",
            "-6")
        return folder(name)
    }

    private func run(_ words: String...) throws -> (code: Int32, out: String, err: String) {
        let run = try CommandRun(["convert"] + words)
        let code = try run.end()
        return (code, run.out, run.err)
    }

    @Test func `makes a file that other programs read, and says what it made`() throws {
        let tone = try tone("a.wav")
        let made = try run(
            tone, folder("b.wav"), "--file-rate", "48k", "--channels", "1", "--bits", "24", "--normalise", "-3dB")
        #expect(made.code == 0 && made.err.isEmpty, "\(made.err)")
        #expect(made.out.contains("pcm24, 48000 Hz (from 44100), 1 channel (from 2), 00:00:02.000"), "\(made.out)")
        let facts = try sox("--info", folder("b.wav"))
        #expect(facts.contains("96000 samples") && facts.contains("48000") && facts.contains("24-bit"), "\(facts)")
        let level = try sox(folder("b.wav"), "-n", "stats")
        #expect(level.contains("Pk lev dB      -3.00"), "\(level)")
    }

    @Test func `keeps all of a FLAC file whose header names a wrong length, and ends with 65`() throws {
        _ = try tone("a.wav", seconds: 0.5)
        #expect(try run(folder("a.wav"), folder("a.flac")).code == 0)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: folder("a.flac")))
        // The last 16 of the 36 bits of the number of frames.
        (bytes[24], bytes[25]) = (0, 99)
        try bytes.write(to: URL(fileURLWithPath: folder("a.flac")))
        let made = try run(folder("a.flac"), folder("b.wav"))
        #expect(made.code == 65 && made.err.contains("its header promises 99 frames and there are more"), "\(made.err)")
        #expect(made.out.contains("b.wav: wav pcm16, 44100 Hz"), "\(made.out)")
        #expect(try sox("--info", folder("b.wav")).contains("22050 samples"))
    }

    @Test func `makes what there is of a file that is cut off behind a long text, and ends with 65`() throws {
        let metadata = SoundFileMetadata([.comment: String(repeating: "c", count: 1900)])
        let writer = try SoundFileWriter(path: folder("a.wav"), sampleRate: 48000, channels: 1, metadata: metadata)
        try writer.write([Float](repeating: 0.5, count: 48000))
        try writer.close()
        let whole = try bytes(of: folder("a.wav"))
        let kept = try run(folder("a.wav"), folder("b.wav"))
        #expect(kept.code == 0 && kept.err.isEmpty, "\(kept.err)")
        try put(Array(whole.prefix(whole.count / 2)), at: folder("a.wav"))
        let made = try run(folder("a.wav"), folder("c.wav"))
        #expect(made.code == 65 && made.err.contains("it is cut off: its header promises"), "\(made.err)")
    }

    @Test func `makes many files in a folder, of one kind, and tells of each in JSON`() throws {
        let inputs = try (1...5).map { try tone("\($0).wav", seconds: 0.5) }
        try FileManager.default.createDirectory(atPath: folder("out"), withIntermediateDirectories: true)
        let run = try CommandRun(["convert"] + inputs + [folder("out"), "--format", "flac", "--jobs", "2", "--json"])
        #expect(try run.end() == 0, "\(run.err)")
        let object = try #require(JSONSerialization.jsonObject(with: Data(run.out.utf8)) as? [String: Any])
        let files = try #require(object["files"] as? [[String: Any]])
        #expect(object["schema"] as? String == "iounit.convert/1" && object["isComplete"] as? Bool == true)
        #expect(files.map { $0["input"] as? String } == inputs)
        for number in 1...5 {
            // sox compares nothing: the difference of the two must be silence.
            let rest = try sox(
                "-m", "-v", "1", folder("\(number).wav"), "-v", "-1", folder("out/\(number).flac"), "-n", "stat")
            #expect(rest.contains("Maximum amplitude:     0.000000"), "\(rest)")
        }
    }

    @Test func `counts the frames that were written, which a last block may exceed, as the field says`() throws {
        let made = try run(try tone("a.wav", seconds: 0.5), folder("b.wav"), "--bits", "ima-adpcm", "--json")
        let file = try #require((try object(made.out)["files"] as? [[String: Any]])?.first)
        #expect(file["outputFrames"] as? Int == 22050)
        let info = try object(CommandRun.run("info", folder("b.wav"), "--json").out)
        let frames = try #require((info["files"] as? [[String: Any]])?.first?["frames"] as? Int)
        #expect(frames > 22050)
        #expect(try CommandRun.run("help", "--schema", "convert").out.contains("fill their last block with silence"))
    }

    @Test func `counts the pictures and texts of FLAC that it leaves out`() throws {
        _ = try tone("a.wav", seconds: 0.2)
        // Type 3, a front cover; the rest describes it, so that it need not be a picture.
        try Data("no picture".utf8).write(to: URL(fileURLWithPath: folder("p.png")))
        let made = try CommandRun.tool(
            "flac", "-s", "-o", folder("a.flac"), "-T", "TITLE=a", "-T", "ARTIST=b", "-T", "ARTIST=c", "-T",
            "ALBUMARTIST=d", "--picture=3|image/png||1x1x24|\(folder("p.png"))", folder("a.wav"))
        #expect(made.code == 0, "\(made.err)")
        for name in ["b.flac", "b.wav"] {
            let run = try run(folder("a.flac"), folder(name))
            #expect(run.code == 0 && run.err.contains("left out of its description: a picture, 2 texts"), "\(run.err)")
        }
        let again = try run(folder("b.flac"), folder("c.flac"))
        #expect(again.code == 0 && !again.err.contains("left out"), "\(again.err)")
    }

    @Test func `goes on with the other files where one cannot be made, and says so at the end`() throws {
        let good = try tone("a.wav", seconds: 0.2)
        _ = FileManager.default.createFile(atPath: folder("bad.wav"), contents: Data("no sound".utf8))
        let made = try run(folder("bad.wav"), good, folder("none.wav"), folder.path + "/out/", "--json")
        #expect(made.code == 73, "the folder is not there: \(made.err)")
        try FileManager.default.createDirectory(atPath: folder("out"), withIntermediateDirectories: true)
        let rest = try run(folder("bad.wav"), good, folder("none.wav"), folder("out"))
        #expect(rest.code == 65, "of the first that failed")
        #expect(
            rest.err.contains("bad.wav") && rest.err.contains("none.wav") && rest.out.contains("out/a.wav: wav pcm16"))
        #expect(FileManager.default.fileExists(atPath: folder("out/a.wav")))
    }

    @Test func `tells which texts it cuts`() throws {
        let text = String(repeating: "c", count: 3000)
        _ = try sox(
            "-n", "-r", "48000", "--add-comment", "COMMENT=\(text)", "--add-comment", "DATE=2024-05-17",
            folder("a.flac"),
            "synth", "0.1", "sine", "997")
        let cut = try run(folder("a.flac"), folder("b.wav"))
        #expect(
            cut.code == 0 && cut.err.contains("its comment has more than 2000 bytes, and is cut there"), "\(cut.err)")
        #expect(!cut.err.contains("date"), "\(cut.err)")
        let year = try run(folder("a.flac"), folder("b.mp3"))
        #expect(year.code == 0 && year.err.contains("of its date the year alone is kept"), "\(year.err)")
    }

    @Test func `prints nothing between the sound of a pipe that goes by a name`() throws {
        let tone = try tone("a.wav", seconds: 0.5)
        let line = "'\(CommandRun.program)' convert '\(tone)' /dev/stdout --format raw | cat > '\(folder("out"))'"
        let run = try CommandRun(["-c", line], program: "/bin/sh")
        #expect(try run.end() == 0 && run.err.contains("/dev/stdout: raw"), "\(run.err)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder("out"))).count == 22050 * 4)
        let json = try CommandRun(["-c", line.replacing("--format", with: "--json --format")], program: "/bin/sh")
        _ = try json.end()
        #expect(json.err.contains("--json prints on the standard output"), "\(json.err)")
    }

    @Test func `reads from a pipe`() throws {
        let tone = try tone("a.wav", seconds: 1)
        let pipe = Pipe()
        let source = try CommandRun(["-c", "cat '\(tone)' >&2"], program: "/bin/sh", errors: pipe.fileHandleForWriting)
        try pipe.fileHandleForWriting.close()
        let run = try CommandRun(["convert", "-", folder("b.flac")], input: pipe.fileHandleForReading)
        #expect(try run.end() == 0 && source.end() == 0, "\(run.err)")
        #expect(run.out.contains("flac pcm16, 44100 Hz, 2 channels, 00:00:01"), "\(run.out)")
    }

    @Test func `of several files each takes the settings that it has, and a dither without integers is told`() throws {
        let inputs = [try tone("a.wav", seconds: 0.2), folder("b.flac")]
        #expect(try run(inputs[0], inputs[1]).code == 0)
        try FileManager.default.createDirectory(atPath: folder("out"), withIntermediateDirectories: true)
        let made = try CommandRun(
            ["convert"] + inputs + [folder("out"), "--compression", "1", "--dither", "shaped", "--gain", "-1"])
        #expect(try made.end() == 0 && made.err.isEmpty, "\(made.err)")
        let single = try run(inputs[0], folder("f.wav"), "--bits", "float")
        #expect(single.code == 0 && single.err.isEmpty, "\(single.err)")
        let float = try run(folder("f.wav"), folder("g.wav"), "--dither", "shaped")
        #expect(float.code == 0 && float.err.contains("--dither has no effect: the file is wav float"), "\(float.err)")
    }

    @Test func `that is interrupted leaves whole files and ends by the signal`() throws {
        let tone = try tone("a.wav", seconds: 600)
        let run = try CommandRun(["convert", tone, folder("b.wav"), "--file-rate", "48001", "--json"])
        try run.wait(until: "something is written") {
            bytesOnDisk(folder("b.wav")) > 100_000
        }
        run.send(SIGINT)
        #expect(try run.end() == -SIGINT, "\(run.err)")
        let object = try #require(JSONSerialization.jsonObject(with: Data(run.out.utf8)) as? [String: Any])
        let file = try #require((object["files"] as? [[String: Any]])?.first)
        let frames = try #require(file["outputFrames"] as? Int)
        #expect(object["isComplete"] as? Bool == false && frames > 0)
        #expect(try sox("--info", "-s", folder("b.wav")).contains("\(frames)"))
    }

    @Test(arguments: [
        (["a.wav"], 64, "IN... OUT"), (["none.wav", "b.wav"], 66, "there is no such file"),
        (["a.wav", "b.xyz"], 64, ".wav"), (["a.wav", "a.wav"], 73, "the input itself"),
        (["a.wav", "b.opus", "--file-rate", "44100"], 64, "48000"),
        (["a.wav", "b.wav", "--file-rate", "fast"], 64, "44.1k"),
        (["a.wav", "b.wav", "--start", "1:75"], 64, "1:30"),
        (["a.wav", "b.wav", "--end", "5", "--start", "6"], 64, "--end"),
        (["a.wav", "b.wav", "--gain", "3", "--normalise", "-1"], 64, "exclude each other"),
        (["a.wav", "b.wav", "--map", "1,3"], 64, "the map takes channel 3"),
        (["a.wav", "b.wav", "--map", "1,x"], 64, "no sum of channels"),
        (["a.wav", "b.wav", "--map", "1", "--channels", "2"], 64, "leave --channels out"),
        (["a.wav", "b.wav", "--shape", "off", "--drive", "3"], 64, "--shape tanh"),
        (["a.wav", "b.wav", "--shape", "table"], 64, "--shape-table FILE"),
        (["a.wav", "b.wav", "--normalise", "loud"], 64, "lufs=-16"),
        (["a.wav", "b.wav", "--trim=2"], 64, "--trim"),
        (["a.wav", "b.wav", "--trim", "-1dB"], 65, "trim below a lower"),
        (["a.wav", "b.wav", "--trim", "0"], 65, "trim below a lower"),
        (["a.wav", "--trim", "0dB", "b.wav"], 65, "trim below a lower"),
        (["a.wav", "b.wav", "--bits", "12"], 64, "--bits"), (["a.wav", "-", "--json"], 64, "leave it out"),
        (["a.wav", "-", "--format", "aiff"], 64, "which a pipe does not know"),
        (["a.wav", "b.wav", "-"], 64, "takes one input"),
        (["a.wav", "b.wav", "./b.wav", "./a.wav", "none/"], 64, "would both become none/a.wav: convert"),
        (["a.wav", "b.wav", "--quality", "1"], 64, "--quality is for files of Opus, Vorbis or MP3"),
        (["a.wav", "b.opus", "--compression", "1"], 64, "--compression is for FLAC files"),
        (["a.wav", "b.mp3", "--dither", "shaped"], 64, "--dither is for files of integers"),
        (["a.wav", "b.wav", "--bits", "float", "--dither", "shaped"], 64, "--dither is for files of integers"),
        (["a.wav", "b.opus", "--format", "opus", "--bits", "16"], 64, "--bits 16 is what none of the files can hold"),
        (["a.wav", "/dev/null", "--format", "wav"], 73, "no regular file"),
        (["a.wav", "none/b.wav"], 73, "none"), (["a.wav", "b.wav", "--frobnicate"], 64, "--frobnicate"),
    ])
    func `says in a sentence what is wrong, and leaves nothing behind`(
        _ words: [String], _ code: Int, _ hint: String
    ) throws {
        _ = try tone("a.wav", seconds: 0.1)
        let places = words.map { $0.contains(".") && !$0.hasPrefix("-") ? folder($0) : $0 }
        let run = try CommandRun(["convert"] + places)
        #expect(try run.end() == code, "\(run.err)")
        #expect(run.out.isEmpty && run.err.contains(hint) && run.err.split(separator: "\n").count == 1, "\(run.err)")
        #expect(folder.names == ["a.wav"])
    }

    @Test func `brings speech to a loudness that another program measures alike, and warns of its true peak`() throws {
        let speech = folder("a.wav")
        let spoken = try CommandRun.tool(
            "espeak-ng", "-w", speech, "The quick brown fox jumps over the lazy dog, and then it has a rest.")
        try #require(spoken.code == 0, "\(spoken.err)")
        for (goal, isLoud) in [("lufs=-23", false), ("lufs=-14", true)] {
            let made = try run(speech, folder("b.wav"), "--normalise", goal, "--bits", "float", "--force")
            #expect(made.code == 0 && made.err.contains("EBU R 128 permits -1") == isLoud, "\(made.err)")
            let measured = try CommandRun.tool(
                "ffmpeg", "-nostdin", "-i", folder("b.wav"), "-af", "ebur128", "-f", "null", "-")
            let line = try #require(measured.err.split(separator: "\n").last { $0.contains("I:") })
            let lufs = try #require(line.split(separator: " ").compactMap { Double($0) }.first)
            #expect(abs(lufs - Double(goal.dropFirst(5))!) <= 0.1, "\(line)")
        }
        let pipe = try CommandRun.tool(
            "bash", "-c",
            "cat '\(speech)' | '\(CommandRun.program)' convert - '\(folder("c.wav"))' --normalise lufs=-23")
        #expect(pipe.code == 64 && pipe.err.contains("takes two passes"), "\(pipe.err)")
    }

    @Test func `measures no loudness where a header claims too much for the meter, and makes no file`() throws {
        // The last 3 s of it would be 4 GB.
        let silence = [[Float]](repeating: [Float](repeating: 0, count: 16), count: 64)
        try FloatFile.write(silence, to: folder("a.wav"), sampleRate: 2_822_400)
        let refused = try run(folder("a.wav"), folder("b.wav"), "--normalise", "lufs=-23")
        #expect(refused.code == 64 && refused.err.contains("samples a second"), "\(refused.err)")
        #expect(folder.names == ["a.wav"])
    }

    @Test func `trims what sox has padded, of a file and of a pipe, to the frame`() throws {
        let tone = try tone("a.wav", seconds: 1)
        _ = try sox(tone, folder("padded.wav"), "pad", "0.5", "0.75")
        let made = try run(folder("padded.wav"), folder("b.wav"), "--trim")
        #expect(made.code == 0 && made.err.isEmpty, "\(made.err)")
        let piped = try CommandRun.tool(
            "bash", "-c",
            "cat '\(folder("padded.wav"))' | '\(CommandRun.program)' convert - '\(folder("c.wav"))' --trim -60dB")
        #expect(piped.code == 0, "\(piped.err)")
        #expect(
            try Data(contentsOf: URL(fileURLWithPath: folder("b.wav")))
                == Data(contentsOf: URL(fileURLWithPath: folder("c.wav"))))
        // The sine begins and ends near zero.
        let frames = try #require(Int(sox("--info", "-s", folder("b.wav")).trimmingCharacters(in: .newlines)))
        #expect((44_090...44_100).contains(frames))
        let rest = try sox("-m", "-v", "1", tone, "-v", "-1", "|sox '\(folder("b.wav"))' -p pad 1s", "-n", "stat")
        #expect(rest.contains("Maximum amplitude:     0.0"), "\(rest)")
    }

    @Test func `maps channels as sox does`() throws {
        let tone = folder("a.wav")
        _ = try sox(
            "-n", "-D", "-r", "48000", "-c", "2", "-b", "16", tone, "synth", "1", "sine", "440", "sine", "1000", "gain",
            "-9")
        for (map, remix) in [
            ("2,1", ["2", "1"]), ("1,1", ["1", "1"]), ("1+2", ["1v1,2v1"]), ("0,1-2", ["0", "1v1,2v-1"]),
        ] {
            let made = try run(tone, folder("b.wav"), "--map", map, "--force")
            #expect(made.code == 0, "\(made.err)")
            let mixed = try CommandRun(["-D", tone, folder("c.wav"), "remix"] + remix, program: "/usr/bin/sox")
            #expect(try mixed.end() == 0, "\(mixed.err)")
            let rest = try sox("-m", "-v", "1", folder("b.wav"), "-v", "-1", folder("c.wav"), "-n", "stat")
            #expect(rest.contains("Maximum amplitude:     0.000000"), "\(map): \(rest)")
        }
    }

    @Test func `puts sound through a curve, with its length and time as they were`() throws {
        let tone = try tone("a.wav", seconds: 0.5)
        let made = try run(
            tone, folder("b.wav"), "--shape", "hard", "--drive", "0dB", "--antialias", "4x", "--bits", "24")
        #expect(made.code == 0, "\(made.err)")
        #expect(try sox("--info", "-s", folder("b.wav")) == "22050\n")
        // At half of full scale the curve is straight.
        let rest = try sox("-m", "-v", "1", tone, "-v", "-1", folder("b.wav"), "-n", "trim", "200s", "-400s", "stats")
        let level = try #require(rest.split(separator: "\n").first { $0.hasPrefix("Pk lev dB") })
        #expect(try #require(level.split(separator: " ").dropFirst(3).compactMap { Double($0) }.first) < -50, "\(rest)")
        _ = try run(tone, folder("c.wav"), "--shape", "hard", "--drive", "20", "--normalise", "peak=-3dB")
        #expect(try sox(folder("c.wav"), "-n", "stats").contains("Pk lev dB      -3.00"))
    }
}
