import CommandTestSupport
import Foundation
import TestSupport
import Testing

/// What `iounit convert` leaves on a disk that fills, on one of 192 KiB in a mount namespace of its own.
@Suite("iounit convert on a full disk") struct ConvertDiskTests {
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: ["wav", "flac", "ogg", "opus", "mp3", "w64", "aiff", "au", "caf"])
    func `says so, exits with 74, and leaves what was written readable`(kind: String) throws {
        let source = try CommandRun.tool(
            "sox", "-R", "-n", "-r", "48000", "-c", "2", "-b", "16", folder("a.wav"), "synth", "30", "pinknoise",
            "gain", "-6")
        try #require(source.code == 0, "\(source.err)")
        let line = """
            mkdir disk && mount -t tmpfs -o size=192k tmpfs disk || exit 99
            '\(CommandRun.program)' convert a.wav disk/b.\(kind); code=$?
            cp disk/b.\(kind) . && exit $code
            """
        let run = try CommandRun.tool("unshare", "-m", "sh", "-c", "cd '\(folder.path)'\n\(line)")
        #expect(run.code == 74, "\(run.err)")
        #expect(run.err.contains("is the disk full?; what was written until then is kept"), "\(run.err)")
        #expect(run.err.split(separator: "\n").count == 1, "\(run.err)")
        let heard = try CommandRun.tool("sh", "-c", "ffmpeg -v quiet -i '\(folder("b.\(kind)"))' -f s16le - | wc -c")
        let bytes = try #require(Int(heard.out.trimmingCharacters(in: .whitespacesAndNewlines)))
        // Samples of 16 bits, or fewer bits.
        #expect(bytes > 150_000, "\(bytes) bytes of sound")
        let again = try CommandRun.run("convert", folder("b.\(kind)"), folder("c.wav"))
        // In these formats a reader can see that the end is missing.
        #expect(again.code == (["flac", "ogg", "opus", "mp3"].contains(kind) ? 65 : 0), "\(again.err)")
    }

    @Test func `leaves the file that it was to replace, whether the disk is full or somebody ends it`() throws {
        let source = try CommandRun.tool(
            "sox", "-R", "-n", "-r", "48000", "-c", "2", folder("a.wav"), "synth", "600", "sine", "440")
        try #require(source.code == 0, "\(source.err)")
        let line = """
            mkdir disk && mount -t tmpfs -o size=192k tmpfs disk && printf 'some sound' > disk/b.wav || exit 99
            '\(CommandRun.program)' convert a.wav disk/b.wav --force; code=$?
            ls -A disk >&2; cat disk/b.wav; exit $code
            """
        let full = try CommandRun.tool("unshare", "-m", "sh", "-c", "cd '\(folder.path)'\n\(line)")
        #expect(full.code == 74 && full.out == "some sound", "\(full.err)")
        #expect(full.err.contains("is the disk full?; the file that was to be replaced is as it was"), "\(full.err)")
        #expect(full.err.split(separator: "\n").dropFirst() == ["b.wav"], "\(full.err)")

        try put(Array("some sound".utf8), at: folder("b.mp3"))
        for signal in [SIGINT, SIGKILL] {
            let run = try CommandRun(["convert", folder("a.wav"), folder("b.mp3"), "--force"])
            try run.wait(until: "it writes") { run.hasDraft(in: folder.path) }
            run.send(signal)
            #expect(try run.end() != 0)
            #expect(try bytes(of: folder("b.mp3")) == Array("some sound".utf8))
            #expect(folder.names.sorted() == ["a.wav", "b.mp3", "disk"])
        }
    }

    /// libFLAC keeps the last block until it is closed: the disk lacks the last page of it, and only as long as the file that is
    /// to be replaced is there.
    @Test func `leaves the file that it was to replace where only the end does not fit`() throws {
        let source = try CommandRun.tool(
            "sox", "-R", "-n", "-r", "48000", "-c", "1", "-b", "16", folder("a.wav"), "synth", "40960s", "pinknoise",
            "gain", "-6")
        try #require(source.code == 0, "\(source.err)")
        let line = """
            '\(CommandRun.program)' convert a.wav whole.flac > /dev/null || exit 98
            pages=$((($(stat -c %s whole.flac) + 4095) / 4096))
            mkdir disk && mount -t tmpfs -o size=$((pages * 4))k tmpfs disk && printf 'some sound' > disk/b.flac || exit 99
            '\(CommandRun.program)' convert a.wav disk/b.flac --force; code=$?
            ls -A disk >&2; cat disk/b.flac; exit $code
            """
        let full = try CommandRun.tool("unshare", "-m", "sh", "-c", "cd '\(folder.path)'\n\(line)")
        #expect(full.code == 74 && full.out == "some sound", "\(full.err)")
        // While it writes there is room for all but the end.
        let words = "its header could not be finished; is the disk full?; the file that was to be replaced is as it was"
        #expect(full.err.contains(words), "\(full.err)")
        #expect(full.err.split(separator: "\n").dropFirst() == ["b.flac"], "\(full.err)")
    }

    @Test func `says so of the standard output too`() throws {
        let line = "sox -n -r 48000 -t wav - synth 1 2>/dev/null | '\(CommandRun.program)' convert - - > /dev/full"
        let run = try CommandRun.tool("bash", "-c", line)
        #expect(run.code == 74 && run.err.contains("the disk is full; free some space"), "\(run.err)")
        // Its last block goes to the file in part.
        let disk = """
            mkdir disk && mount -t tmpfs -o size=192k tmpfs disk || exit 99
            sox -n -r 48000 -t wav - synth 9 2>/dev/null | '\(CommandRun.program)' convert - - > disk/b.wav
            """
        let part = try CommandRun.tool("unshare", "-m", "bash", "-c", "cd '\(folder.path)'\n\(disk)")
        #expect(part.code == 74 && part.err.contains("the disk is full; free some space"), "\(part.err)")
    }
}
