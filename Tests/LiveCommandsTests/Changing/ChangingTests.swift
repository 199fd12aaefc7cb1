import AudioIO
import AudioMetering
import AudioReports
import CommandSyntax
import CommandTestSupport
import Foundation
import Jack
import TestSupport
import Testing

@testable import LiveCommands
@testable import LiveRuns

/// The part and the subcommand that the article "Changing it" adds: what they do. That they fit into the sources is looked at
/// in Tests/Changing.
@Suite("Changing it", .serialized, .privateServer()) struct ChangingTests {
    private enum Parts: PartList {
        static var kinds: [any PartOptions.Type] { [ClickOptions.self] + LiveParts.kinds }
    }

    private struct Report: LiveReport {
        var parts: PartsReport<Parts>

        static let kind = document("monitor", 2)
        static let fields: [ReportField<Self>] = [.inline(\.parts)]

        var summary: String { parts.lines.joined() }
    }

    private func parts(_ words: String...) throws -> RunParts {
        let syntax = Syntax(name: "monitor", summary: "", groups: Parts.groups, notes: "")
        return try RunParts(PartChoices(Arguments(words, syntax), of: Parts.self), inputs: 1, outputs: 1)
    }

    private func heard(_ parts: RunParts, frames: Int) throws -> [Float] {
        let engine = try Engine(offline: 48_000, inputs: 1, outputs: 1)
        try engine.connect(parts.connect(behind: engine.input, in: engine), to: engine.output)
        try engine.start()
        return try engine.render(frames)[0]
    }

    @Test func `a new part clicks on each beat, and has an option, a control, words and a field`() throws {
        let run = try parts("--tempo", "120")
        let sound = try heard(run, frames: 48_000)
        let clicks = sound.indices.filter { sound[$0] != 0 }
        #expect(clicks == Array(0..<48) + Array(24_000..<24_048), "\(clicks.count)")
        let table = ControlTable(run.controls)
        #expect(try table.control("tempo").get() == .number(120))
        try table.set("tempo", .number(60), by: .osc)
        #expect(run.words == ["click 60"])
        let report = Report(parts: run.report())
        #expect(report.summary == "  click at 60 beats a minute")
        let written = try object(encodeJSON(report))
        #expect((written["click"] as? [String: Double])?["tempo"] == 60 && written["osc"] is NSNull)
        #expect(Report.figures.map(\.path).contains("click.tempo"))
    }

    @Test func `a part that is not asked for is in no one's way`() throws {
        let run = try parts()
        #expect(try heard(run, frames: 1000).allSatisfy { $0 == 0 } && run.controls.isEmpty)
        #expect(throws: Failure.self) { try parts("--tempo", "301") }
    }

    @Test func `a new subcommand finds the lowest and the highest note of a file`() throws {
        var log = TuneLog()
        let analyzer = try PitchAnalyzer(sampleRate: 48_000, channels: 1)
        for hertz in [220.0, 440] {
            analyzer.add(48_000, of: (0..<48_000).map { Float(sin(Double($0) * hertz / 48_000 * 2 * .pi)) / 2 })
            log.note(analyzer, atSeconds: 1)
        }
        let figures = RangeListener().figures(log, file: "song.wav", seconds: 2)
        #expect(figures.summary == "from A3 to A4" && figures.file == "song.wav")
        #expect(RangeListener().figures(TuneLog(), file: nil, seconds: 0).summary == "no note")
    }

    @Test func `a new subcommand listens on a server, with all that the others have`() throws {
        let options = try ListenOptions(
            Arguments(["--server", PrivateServer.name, "--record", "/dev/null/none"], RangeListener.syntax),
            RangeListener.syntax)
        #expect(throws: (any Error).self) { try ListenSession(options, RangeListener(), server: nil) }
        let plain = try ListenOptions(
            Arguments(["--server", PrivateServer.name], RangeListener.syntax), RangeListener.syntax)
        let session = try ListenSession(plain, RangeListener(), server: nil)
        try session.start()
        try waitUntil("it runs") { session.run.unit.statistics.cycles > 10 }
        session.run.leaveGraph()
        session.finish()
        let report = session.report()
        #expect(report.summary.hasPrefix("no note\n  heard ") && type(of: report).kind.schema == "iounit.range/2")
    }
}
