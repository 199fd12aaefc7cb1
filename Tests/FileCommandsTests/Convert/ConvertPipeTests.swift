import CommandTestSupport
import FileCommands
import Foundation
import TestSupport
import Testing
import Threads

/// `iounit convert` between pipes, with programs that are not ours at the other ends.
@Suite("iounit convert between pipes") struct ConvertPipeTests {
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    /// Runs a line of the shell, in which `$I` is the command, and `$D` a folder.
    private func shell(_ line: String) throws -> (code: Int32, out: String, err: String) {
        let run = try CommandRun(
            ["-c", "set -o pipefail; cd '\(folder.path)'; \(line)"], program: "/bin/bash",
            environment: ["I": CommandRun.program])
        let code = try run.end()
        return (code, run.out, run.err)
    }

    private static let tone = "sox -D -n -r 44100 -c 2 -b 16 -t wav - synth 2 sine 997 gain -6 2>/dev/null"

    @Test func `writes what other programs read to its end, and nothing else on the standard output`() throws {
        let sox = try shell("\(Self.tone) | $I convert - - | sox -t wav - -n stat")
        #expect(sox.code == 0 && sox.err.contains("Length (seconds):      2.000000"), "\(sox.err)")
        #expect(sox.err.contains("iounit: standard output: wav pcm16, 44100 Hz, 2 channels, 00:00:02"), "\(sox.err)")
        let flac = try shell(
            "\(Self.tone) | $I convert - - --format flac --file-rate 48k | tee a.flac | flac -t - && ffprobe -v error "
                + "-show_entries stream=sample_rate,channels -of csv=p=0 a.flac")
        #expect(flac.code == 0 && flac.out.contains("48000,2"), "\(flac.out)\(flac.err)")
        let opus = try shell("\(Self.tone) | $I convert - - --format opus --file-rate 48k > a.opus; opusinfo a.opus")
        #expect(opus.code == 0 && opus.out.contains("Playback length: 0m:02.000s"), "\(opus.out)")
        let again = try shell("\(Self.tone) | $I convert - - | $I convert - - --format au | $I convert - b.wav")
        let once = try shell("\(Self.tone) | $I convert - c.wav && cmp b.wav c.wav")
        #expect(again.code == 0 && once.code == 0, "\(again.err)\(once.err)")
    }

    @Test func `reads what flac writes into a pipe, by itself and in Ogg, and an .oga file`() throws {
        _ = try shell("\(Self.tone) > a.wav; sox a.wav -t raw - > a.raw")
        for form in ["", "--ogg"] {
            let piped = try shell(
                "flac -s \(form) -c a.wav | $I convert - - --format raw > b.raw && cmp a.raw b.raw")
            #expect(
                piped.code == 0 && piped.err.contains("standard output: raw pcm16, 44100 Hz"), "\(form) \(piped.err)")
        }
        let file = try shell(
            "flac -s --ogg -f -o a.oga a.wav && $I convert a.oga c.raw && cmp a.raw c.raw && $I info a.oga")
        #expect(file.code == 0 && file.out.contains("Ogg FLAC"), "\(file.out)\(file.err)")
        let cut = try shell("head -c 20000 a.oga | $I convert - d.raw; code=$?; cmp a.raw d.raw; exit $code")
        #expect(cut.code == 65 && cut.err.contains("reading stopped at frame"), "\(cut.err)")
        #expect(cut.err.contains("cmp: EOF on d.raw"), "what is there is kept: \(cut.err)")
    }

    @Test func `writes into a named pipe, and into a file that the shell has opened`() throws {
        let named = try shell(
            "\(Self.tone) > a.wav; mkfifo pipe; $I convert a.wav pipe --format flac; "
                + "flac -t pipe & while ! $I convert a.wav pipe --format flac 2>>no; do sleep 0.02; done; wait $!; "
                + "head -1 no >&2")
        #expect(named.code == 0 && named.err.contains("nobody reads from it; start its reader first"), "\(named.err)")
        // Without an extension, as the standard output: WAV.
        let plain = try shell(
            "cat pipe > p.wav & while ! $I convert a.wav pipe 2>>no; do sleep 0.02; done; wait $!; soxi -t p.wav")
        #expect(plain.code == 0 && plain.out.hasSuffix("\nwav\n"), "\(plain.out)\(plain.err)")
        let file = try shell("$I convert a.wav - > b.wav; xxd -s 40 -l 4 -p b.wav; soxi -s b.wav")
        #expect(file.out == "20620500\n88200\n", "the header names the length: \(file.out)\(file.err)")
    }

    @Test func `ends quietly by SIGPIPE where nobody reads any more, and says so where it is a terminal`() throws {
        let gone = try shell("\(Self.tone) > a.wav; $I convert a.wav - | head -c 100 > part")
        #expect(gone.code == 128 + SIGPIPE && gone.err.isEmpty, "\(gone.code) \(gone.err)")
        // An error of another file is said all the same.
        let missing = try shell("$I convert none.wav - | true")
        #expect(missing.code == 66 && missing.err.contains("there is no such file"), "\(missing.err)")
        let terminal = try shell("script -qec \"$I convert a.wav -\" /dev/null < /dev/null")
        #expect(terminal.out.contains("it is a terminal, and sound is no text"), "\(terminal.out)")
    }

    /// WAV of a length that nobody knows, up to its samples.
    private static let head = [UInt8](
        "RIFF".utf8.map(\.self) + [255, 255, 255, 255] + "WAVEfmt ".utf8.map(\.self)
            + [16, 0, 0, 0, 1, 0, 2, 0, 0x80, 0xbb, 0, 0, 0, 0xee, 2, 0, 4, 0, 16, 0] + "data".utf8.map(\.self)
            + [255, 255, 255, 255])

    /// Feeds the command as a live source does, and keeps both ends open.
    private func live(
        _ arguments: [String], _ body: (CommandRun, _ input: FileHandle, _ output: FileHandle) throws -> Void
    ) throws {
        let (input, output) = (Pipe(), Pipe())
        let run = try CommandRun(
            ["convert"] + arguments, input: input.fileHandleForReading, output: output.fileHandleForWriting)
        try output.fileHandleForWriting.close()
        try input.fileHandleForReading.close()
        try input.fileHandleForWriting.write(contentsOf: Data(Self.head))
        try body(run, input.fileHandleForWriting, output.fileHandleForReading)
    }

    private func waiting(_ file: FileHandle) -> Int {
        var count: CInt = 0
        return ioctl(file.fileDescriptor, UInt(FIONREAD), &count) == 0 ? Int(count) : -1
    }

    @Test func `hands on what comes while its source is silent, and not only at its end`() throws {
        try live(["-", "-"]) { run, input, output in
            // Three blocks of 20 ms.
            try input.write(contentsOf: Data(repeating: 1, count: 3 * 3840))
            try run.wait(until: "three blocks") { waiting(output) >= 44 + 3 * 3840 }
            try input.write(contentsOf: Data(repeating: 1, count: 3840))
            try run.wait(until: "the fourth") { waiting(output) == 44 + 4 * 3840 }
            try input.close()
            #expect(try run.end() == 0, "\(run.err)")
        }
    }

    @Test func `ends by SIGINT while its source is silent, and what came is whole`() throws {
        try live(["-", folder("a.wav")]) { run, input, _ in
            try input.write(contentsOf: Data(repeating: 1, count: 3840))
            try run.wait(until: "the file is there") {
                bytesOnDisk(folder("a.wav")) > 3840
            }
            run.send(SIGINT)
            #expect(try run.end() == -SIGINT, "\(run.err)")
        }
        #expect(try CommandRun.tool("soxi", "-s", folder("a.wav")).out == "960\n")
        // Before its header came, too.
        let pipe = Pipe()
        let early = try CommandRun(["convert", "-", folder("b.wav")], input: pipe.fileHandleForReading)
        try early.wait(until: "it runs") {
            (try? String(contentsOfFile: "/proc/\(early.identifier)/status", encoding: .utf8))?
                .contains("Threads:\t3") == true
        }
        early.send(SIGINT)
        #expect(try early.end() == -SIGINT, "\(early.err)")
    }

    /// It is nowhere else.
    @Test(arguments: [SIGINT, SIGKILL])
    func `what came is kept where it replaces a file too, however the program ends`(_ signal: Int32) throws {
        try put(Array("some sound".utf8), at: folder("a.wav"))
        try live(["-", folder("a.wav"), "--force"]) { run, input, _ in
            try input.write(contentsOf: Data(repeating: 1, count: 3840))
            try run.wait(until: "the file is there") {
                bytesOnDisk(folder("a.wav")) > 3840
            }
            run.send(signal)
            #expect(try run.end() == -signal, "\(run.err)")
        }
        #expect(folder.names == ["a.wav"])
        #expect(try CommandRun.tool("soxi", "-s", folder("a.wav")).out == "960\n")
    }

    @Test func `ends by SIGINT while its reader takes nothing`() throws {
        try live(["-", "-"]) { run, input, output in
            // More than both pipes hold would keep this test waiting: a third program feeds it.
            let feeder = try CommandRun(
                ["-c", "cat /dev/zero >&2"], program: "/bin/sh", errors: input)
            try run.wait(until: "the pipe is full") { waiting(output) > 15 * 4096 }
            run.send(SIGINT)
            #expect(try run.end() == -SIGINT, "\(run.err)")
            // The signal finds it at the write that waits, or just before it: then all that it was given has been written.
            #expect(run.err.firstMatch(of: /standard output: (wav .*, )?interrupted/) != nil, "\(run.err)")
            feeder.send(SIGKILL)
            _ = try feeder.end()
        }
    }

    @Test func `ends by SIGINT while the reader of a named pipe takes nothing`() throws {
        let path = folder("pipe")
        try #require(mkfifo(path, 0o600) == 0)
        let reader = FileHandle(fileDescriptor: open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), closeOnDealloc: true)
        // More than a pipe holds.
        #expect(try shell("\(Self.tone) > a.wav").code == 0)
        let run = try CommandRun(["convert", folder("a.wav"), path])
        try run.wait(until: "the pipe is full") { waiting(reader) > 15 * 4096 }
        run.send(SIGINT)
        #expect(try run.end() == -SIGINT)
        #expect(!run.err.contains("cannot"), "\(run.err)")
        #expect(run.out.firstMatch(of: /pipe: (wav .*, )?interrupted/) != nil, "\(run.out)")
    }

    @Test func `takes no more memory for an endless stream`() throws {
        try live(["-", "-", "--format", "flac", "--file-rate", "44100"]) { run, input, output in
            let feeder = try CommandRun(["-c", "cat /dev/zero >&2"], program: "/bin/sh", errors: input)
            func resident() throws -> Int {
                let text = try String(contentsOfFile: "/proc/\(run.identifier)/statm", encoding: .utf8)
                return try #require(Int(text.split(separator: " ")[1])) * 4096
            }
            var taken = 0
            func take(_ bytes: Int) throws {
                while taken < bytes {
                    let count = output.availableData.count
                    try #require(count > 0, "it ended: \(run.err)")
                    taken += count
                }
            }
            // Silence as FLAC is small: a minute of it to begin with.
            try take(10_000)
            let before = try resident()
            try take(80_000)
            #expect(try resident() - before < 4 << 20)
            feeder.send(SIGKILL)
            run.send(SIGINT)
            _ = try feeder.end()
            #expect(try run.end() == -SIGINT, "\(run.err)")
        }
    }

    @Test func `a curve whose writer begins and does not end is not waited for without end`() throws {
        let path = folder("curve")
        #expect(mkfifo(path, 0o600) == 0)
        let pipe = open(path, O_RDWR)
        defer { close(pipe) }
        #expect("0 0\n".withCString { write(pipe, $0, 4) } == 4)
        #expect(throws: FileError.cannotRead(path: path, reason: "nobody has written all of it in time")) {
            _ = try ShapeTableFile(path, withinSeconds: 0.05)
        }
    }
}
