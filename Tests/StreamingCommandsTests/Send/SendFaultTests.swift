import CommandTestSupport
import Foundation
import TestSupport
import Testing

@Suite("What iounit send cannot do") struct SendFaultTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private func lines(_ text: String) -> Int { text.split(separator: "\n").count }

    @Test func `a name that stands for no address ends it, and is no reason to end the others`() throws {
        let alone = try CommandRun.run("send", "--dummy", "tcp://no.such.host.invalid:9")
        #expect(alone.code == 68 && alone.out.isEmpty, "\(alone.err)")
        #expect(alone.err.contains("the name no.such.host.invalid cannot be resolved"), "\(alone.err)")
        let path = folder("a.wav")
        let both = try CommandRun.run(
            "send", "--dummy", "--seconds", "1", "tcp://no.such.host.invalid:9", "file:\(path)")
        #expect(both.code == 68 && both.out.contains("NOT REACHED"), "\(both.err)")
        #expect(try SoundFile(reading: path).frames > 24_000)
    }

    @Test func `where nobody listens it goes on trying, and says so at the end`() throws {
        let run = try CommandRun.run("send", "--dummy", "--seconds", "1", "tcp://127.0.0.1:1")
        #expect(run.code == 69 && run.out.contains("NOT REACHED"), "\(run.err)")
        #expect(run.err.contains("nobody listens there; start the other end first; it is tried again"))
    }

    @Test func `a file that cannot be made has its sentence, and what exists is kept`() throws {
        try Data("mine".utf8).write(to: URL(fileURLWithPath: folder("a.wav")))
        for (path, reason) in [
            (folder("a.wav"), "there is a file of that name; choose another, or remove it"),
            ("/no/such/folder/a.wav", "its folder does not exist"),
        ] {
            let run = try CommandRun.run("send", "--dummy", "file:\(path)")
            #expect(run.code == 73 && run.out.isEmpty && run.err.contains(reason), "\(run.code) \(run.err)")
        }
        #expect(try String(contentsOfFile: folder("a.wav"), encoding: .utf8) == "mine")
    }

    @Test func `a description is written once, over an old one where that is wanted, and not where nothing is sent`()
        throws
    {
        let path = folder("a.sdp")
        try Data("mine\n".utf8).write(to: URL(fileURLWithPath: path))
        let words = ["send", "--dummy", "--seconds", "0.2", "rtp://127.0.0.1:5004", "--codec", "pcm16", "--sdp"]
        let kept = try CommandRun(words + [path])
        #expect(try kept.end() == 73 && kept.err.contains("--force") && kept.out.isEmpty, "\(kept.err)")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine\n")
        let forced = try CommandRun(words + [path, "--force"])
        #expect(try forced.end() == 0, "\(forced.err)")
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.hasPrefix("v=0\r\n") && text.contains("a=rtpmap:96 L16/48000/2\r\n"), "\(text)")
        let lost = try CommandRun(["send", "--dummy", "rtp://no.such.host.invalid:5004", "--sdp", folder("b.sdp")])
        #expect(try lost.end() == 68, "\(lost.err)")
        let nowhere = try CommandRun(words + ["/no/such/folder/a.sdp"])
        #expect(try nowhere.end() == 73 && nowhere.err.contains("/no/such/folder/a.sdp"), "\(nowhere.err)")
        #expect(folder.names == ["a.sdp"])
    }

    @Test func `without a server nobody is reached for`() throws {
        let listener = try StreamListener(in: folder)
        let run = try CommandRun.run("send", "--server", "iounit-no-such-server", listener.target)
        #expect(run.code == 69 && run.err.contains("iounit-no-such-server") && lines(run.err) == 1, "\(run.err)")
        listener.kill()
    }
}
