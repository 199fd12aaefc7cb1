import CommandTestSupport
import Foundation
import TestSupport
import Testing

@testable import CommandSyntax

@Suite("iounit send to Icecast", .serialized) struct SendIcecastTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: ["address", "variable", "file"])
    func `the password is in no list of processes, error or report, wherever it comes from`(_ place: String) throws {
        let icecast = try Icecast()
        let target = icecast.target("a.opus")
        try Data("\(Icecast.password)\n".utf8).write(to: URL(fileURLWithPath: folder("word")))
        let words =
            switch place {
            case "address": [target.replacing("source@", with: "source:\(Icecast.password)@")]
            case "file": [target, "--password", "file:\(folder("word"))"]
            default: [target]
            }
        let run = try CommandRun(
            ["send", "--dummy", "--stream-title", "Night tones", "--json"] + words,
            environment: place == "variable" ? ["IOUNIT_PASSWORD": Icecast.password] : [:])
        try run.wait(until: "it is reached") { run.err.contains("sending to \(target) (opus, 48000 Hz)") }
        let list = try String(contentsOfFile: "/proc/\(run.identifier)/cmdline", encoding: .utf8)
        #expect(list.contains(target) && !list.contains("hidden"), "\(list)")
        let shown = try CommandRun.tool("ps", "-o", "args=", "-p", "\(run.identifier)")
        #expect(shown.out.contains(target) && !shown.out.contains("hidden"), "\(shown.out)")
        icecast.kill()
        try run.wait(until: "its end is told") { run.err.contains("; it is tried again") }
        try icecast.start()
        try run.wait(until: "it is reached again") { run.err.contains("sending to \(target) (opus, 48000 Hz) again") }
        run.send(SIGINT)
        #expect(try run.end() == -SIGINT, "\(run.err)")
        #expect(!run.out.contains("hidden") && !run.err.contains("hidden"))
        let reported = try #require((try object(run.out)["targets"] as? [[String: Any]])?.first)
        #expect(reported["target"] as? String == target && reported["reconnections"] as? Int == 1)
    }

    @Test func `a wrong password has its own sentence and code, and is not repeated`() throws {
        let icecast = try Icecast()
        let target = icecast.target("a.opus")
        let wrong = target.replacing("source@", with: "source:hidden-too@")
        let run = try CommandRun.run("send", "--dummy", wrong)
        #expect(run.code == 77 && run.out.isEmpty, "\(run.code) \(run.err)")
        #expect(
            run.err == "iounit: cannot send to \(target): it does not accept the user or the password\n", "\(run.err)")
        icecast.kill()
    }

    @Test(arguments: [
        ("icecast://source:word@host/a", "icecast://source@host/a"), ("icecast://s:w@o@h", "icecast://s@h"),
        ("--send=icecast://source:word@host/a", "--send=icecast://source@host/a"),
    ])
    func `a password is cut out of a word`(_ word: String, _ kept: String) {
        #expect(
            HiddenPasswords.without(word.utf8.map { CChar(bitPattern: $0) }) == kept.utf8.map { CChar(bitPattern: $0) })
    }

    @Test(arguments: ["icecast://host/a", "icecast://me@host/a", "tcp://host:1", "", "@", "icecast://"])
    func `another word stays as it is`(_ word: String) {
        #expect(HiddenPasswords.without(word.utf8.map { CChar(bitPattern: $0) }) == nil)
    }
}
