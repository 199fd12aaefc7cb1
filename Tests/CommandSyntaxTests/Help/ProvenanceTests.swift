import AudioFigures
import CommandTestSupport
import Foundation
import TestSupport
import Testing

@testable import CommandSyntax

@Suite("What a report says of its own making")
struct ProvenanceTests {
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private static var hostName: String {
        get throws {
            try String(contentsOfFile: "/proc/sys/kernel/hostname", encoding: .utf8)
                .trimmingCharacters(in: .whitespacesAndNewlines)
        }
    }

    private func provenance(_ text: String) throws -> Provenance {
        let fields = try #require(try object(text)["provenance"])
        return try JSONDecoder().decode(Provenance.self, from: JSONSerialization.data(withJSONObject: fields))
    }

    @Test func `date, version, host and command line are in each kind of report`() throws {
        let began = Date(timeIntervalSinceNow: -1)
        let take = folder("a take.wav")
        let commands: [[String]] = [
            ["monitor", "--dummy", "--source", "tone", "--seconds", "0.2", "--record", take, "--json"],
            ["info", take, "--json"],
            ["convert", take, folder("b.flac"), "--json"],
            ["beat", take, "--json"],
            ["jitter", "--dummy", "--seconds", "0.5", "--warmup", "0.1", "--json"],
            ["latency", "--dummy", "--self-loop", "--seconds", "2.5", "--json"],
            ["doctor", "--json"],
        ]
        for words in commands {
            let run = try CommandRun(words)
            let code = try run.end()
            // The doctor judges the machine, and a latency cannot be told where the machine loses too much sound.
            #expect(code == 0 || code == 1 && ["doctor", "latency"].contains(words[0]), "\(code): \(run.err)")
            let made = try provenance(run.out)
            let host = try Self.hostName
            #expect(made.version == Release.version && made.host == host)
            #expect(made.command == Provenance.commandLine(words))
            let date = try #require(ISO8601DateFormatter().date(from: made.date), "\(made.date)")
            #expect(date >= began && date <= Date(), "\(made.date)")
        }
    }

    @Test func `the table, the page and the log have it, and a report that is made from the log has that of the log`()
        throws
    {
        let log = folder("cycles.csv")
        let words = ["jitter", "--dummy", "--seconds", "0.5", "--csv", log, "--html", folder("page.html")]
        let run = try CommandRun(words)
        #expect(try run.end() == 0, "\(run.err)")
        let line = Provenance.commandLine(words)
        let host = try Self.hostName
        let page = try String(contentsOfFile: folder("page.html"), encoding: .utf8)
        let table = run.out.replacing(/\s+/, with: " ")
        for text in [table, page] {
            #expect(text.contains(" UTC on \(host) by iounit \(Release.version)"))
            #expect(text.contains(line), "\(text.prefix(2000))")
        }
        let later = try CommandRun.run("jitter", "--from", log, "--json")
        #expect(later.code == 0, "\(later.err)")
        #expect(try provenance(later.out).command == line)
        // A log that does not tell.
        let text = try String(contentsOfFile: log, encoding: .utf8)
        let silent = text.split(separator: "\n", omittingEmptySubsequences: false).filter { !$0.contains("provenance") }
        try silent.joined(separator: "\n").write(toFile: log, atomically: true, encoding: .utf8)
        let old = try CommandRun.run("jitter", "--from", log, "--json")
        #expect(old.code == 0 && old.out.contains(#""provenance":null"#), "\(old.err)")
    }

    @Test(arguments: [
        (["a.wav", "it's", "", "$(x)"], #"iounit a.wav 'it'\''s' '' '$(x)'"#),
        (["icecast://source:hunter2@radio:8000/live.ogg"], "iounit icecast://source@radio:8000/live.ogg"),
        (["--send=icecast://s:p@ss/w?rd@radio/live"], "iounit --send=icecast://s@radio/live"),
        (["wss://host/path?token=hunter2#more"], "iounit 'wss://host/path?…'"),
        (["wss://host:1/path?key=a@hunter2"], "iounit 'wss://…'"),
        (["https://me:hunter2@host/x.mp3"], "iounit https://me@host/x.mp3"),
        (["rtp://10.0.0.1:5004", "--token", "file:token.txt"], "iounit rtp://10.0.0.1:5004 --token file:token.txt"),
    ])
    func `the command line is one for a shell, without secrets`(words: [String], line: String) {
        #expect(Provenance.commandLine(words) == line)
    }

    @Test func `a password on the command line is in no report`() throws {
        let run = try CommandRun.run(
            "monitor", "--dummy", "--seconds", "0.2", "--send", "icecast://source:hunter2@127.0.0.1:9/live.ogg",
            "--json")
        #expect(run.out.contains("icecast://source@127.0.0.1:9/live.ogg"), "\(run.err)")
        #expect(!run.out.contains("hunter2") && !run.err.contains("hunter2"))
    }
}
