import CommandTestSupport
import Foundation
import Jack
import TestSupport
import Testing

@testable import CommandSyntax
@testable import LiveRuns
@testable import iounit

/// Each pair of the manual's table of subcommands and parts. `--offline` and `--freewheel`, with which a run ends by itself, have
/// suites of their own.
@Suite("Subcommands with their parts", .serialized, .ownServers) struct PartPairTests {
    private let folder: TemporaryFolder
    private let bundle: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        bundle = try ProbeBundle.folder()
    }

    /// The words of each part, and its field in the report.
    private func parts(of name: String) -> [(option: String, words: [String], field: String)] {
        [
            ("source", ["--source", "tone"], "source"), ("voice", ["--voice", "speex"], "voice"),
            ("plugin", ["--plugin", "probe/probe"], "plugins"),
            ("record", ["--record", folder("\(name).wav")], "recorded"),
            ("send", ["--send", "file:\(folder("\(name)-sent.wav"))"], "sent"),
            ("serve", ["--serve=127.0.0.1:0"], "page"), ("osc", ["--osc", "0"], "osc"), ("midi", ["--midi"], "midi"),
        ]
    }

    @Test func `each subcommand starts with each of its parts`() throws {
        let server = try Server(ServerConfiguration())
        defer { server.stop() }
        let (code, _, err) = try CommandRun.run(
            "monitor", "--offline", "--source", "tone", "--seconds", "60", "--record", folder("tone.wav"))
        #expect(code == 0, "\(err)")
        for (words, code) in RemoteTests.subcommands {
            let syntax = try #require(Command.subcommands.first { $0.syntax.name == words[0] }?.syntax)
            let parts = parts(of: syntax.name).filter { syntax.option($0.option) != nil }
            #expect(parts.count >= 4)
            let port = try freePorts()
            let own = words.map { $0.replacing("FOLDER", with: folder.path).replacing("PORT", with: "\(port)") }
            let run = try CommandRun(
                own + parts.flatMap(\.words) + ["--server", server.name, "--json"],
                environment: ["LV2_PATH": bundle.path])
            let surface = try OSCSurface(run)
            try surface.wait(for: OSCMessage("/iounit/state", .text("running")))
            surface.send(OSCMessage("/iounit/end"))
            #expect(try run.end() == code, "\(run.err)")
            let report = try object(run.out)
            // The path of monitor is an object of its own.
            let path = report["unit"] as? [String: Any] ?? report
            for (_, _, field) in parts {
                let told = report[field] ?? path[field]
                #expect(told != nil && !(told is NSNull), "\(field) of \(report["schema"] ?? "")")
            }
        }
    }
}
