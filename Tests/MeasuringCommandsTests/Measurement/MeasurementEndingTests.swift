import CommandTestSupport
import Foundation
import Jack
import TestSupport
import Testing

@Suite("However a measurement ends, there is a report of it, and it says how it ended")
struct MeasurementEndingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var outputs: [String] {
        ["html", "hgrm", "csv", "junit"].flatMap { ["--\($0)", folder("a.\($0)")] }
    }

    private func checkFiles(_ names: [String], _ location: SourceLocation = #_sourceLocation) throws {
        #expect(folder.names.sorted() == names, "whole files and nothing else", sourceLocation: location)
        #expect(try CaseFile(reading: folder("a.junit")).errors == ["complete"], sourceLocation: location)
        let page = try String(contentsOfFile: folder("a.html"), encoding: .utf8)
        #expect(page.contains("INCOMPLETE"), sourceLocation: location)
        let log = try CommandRun.run("jitter", "--from", folder("a.csv"))
        #expect(log.code == 0, "\(log.err)", sourceLocation: location)
    }

    private static let ofJitter = ["a.csv", "a.hgrm", "a.html", "a.junit"]
    private static let ofCompare = ["a.callback.hgrm", "a.csv", "a.html", "a.junit", "a.queued-512.hgrm"]

    /// The second signal comes while the first is being obeyed.
    @Test(arguments: [1, 2])
    func `an interruption ends the run with the report so far`(_ times: Int) throws {
        let run = try TerminalRun(["jitter", "--dummy", "--seconds", "60", "--warmup", "0", "--json"] + outputs)
        try run.waitUntilMeasuring()
        for _ in 0..<times { try run.send(SIGINT) }
        #expect(try run.end() == 128 + SIGINT)
        let measured = try Measured(run.out)
        #expect(measured.end == "interrupted")
        #expect(try measured.number(0, "callbacks") > 0)
        #expect((measured.report["verdict"] as? String)?.contains("interrupted") == true)
        try checkFiles(Self.ofJitter)
    }

    @Test func `the table of an interrupted comparison begins with that`() throws {
        let run = try TerminalRun(["compare", "--dummy", "--seconds", "60", "--warmup", "0"] + outputs)
        try run.waitUntilMeasuring()
        try run.send(SIGTERM)
        #expect(try run.end() == 128 + SIGTERM)
        #expect(run.out.hasPrefix("INCOMPLETE: the run was interrupted"), "\(run.out)")
        #expect(run.out.contains("queued 512"))
        try checkFiles(Self.ofCompare)
    }

    @Test func `of a sequence that is interrupted the modes so far are reported, and their files are there`() throws {
        let run = try TerminalRun(
            ["compare", "--dummy", "--sequential", "--seconds", "60", "--warmup", "0", "--json"] + outputs)
        try run.waitUntilMeasuring()
        try run.send(SIGINT)
        #expect(try run.end() == 128 + SIGINT)
        let measured = try Measured(run.out)
        #expect(measured.end == "interrupted" && measured.names == ["callback"])
        try checkFiles(Self.ofCompare.filter { !$0.contains("queued") })
    }

    /// It would make the graph wait for it, and tell of that.
    @Test(arguments: [["jitter", "--warmup", "0"], ["compare", "--warmup", "0"], ["latency", "--self-loop"]])
    func `is not suspended by Ctrl-Z`(_ words: [String]) throws {
        let run = try TerminalRun(words + ["--dummy", "--seconds", "60", "--json"])
        try run.wait(until: " of 60.0 s")
        try run.send(SIGTSTP)
        try run.send(SIGINT)
        #expect(try run.end() == 128 + SIGINT)
        #expect(run.out.contains("interrupted"))
    }

    @Test func `interrupted while it warms up a run has measured nothing, and says so`() throws {
        let run = try TerminalRun(["jitter", "--dummy", "--seconds", "60", "--warmup", "60", "--json"] + outputs)
        // So far that it would be seen if the warm-up counted: an end takes less as a rule.
        try run.wait(until: "warming up")
        try run.waitForTwoSeconds()
        let interruption = Date()
        try run.send(SIGINT)
        #expect(try run.end() == 128 + SIGINT)
        let periods = Date().timeIntervalSince(interruption) * 48_000 / 64
        let measured = try Measured(run.out)
        #expect(measured.end == "interrupted")
        #expect(try measured.number(0, "callbacks") <= periods + 2, "what came before the end was the warm-up's")
        #expect(folder.names.sorted() == Self.ofJitter)
    }

    @Test(arguments: ["jitter", "compare"])
    func `when the server dies what was measured is reported and the code says it`(_ command: String) throws {
        let server = try Server()
        defer { server.stop() }
        let run = try TerminalRun(
            [command, "--server", server.name, "--seconds", "60", "--warmup", "0", "--json"] + outputs)
        try run.waitUntilMeasuring()
        server.signal(SIGKILL)
        #expect(try run.end() == 69)
        #expect(run.screen.contains("went away"), "\(run.screen)")
        let measured = try Measured(run.out)
        #expect(measured.end == "serverLost")
        #expect(try measured.number(0, "callbacks") > 0)
        try checkFiles(command == "jitter" ? Self.ofJitter : Self.ofCompare)
    }

    @Test func `a server that begins to freewheel ends the run, because its time is not real`() throws {
        let server = try Server()
        defer { server.stop() }
        let run = try TerminalRun(
            ["jitter", "--server", server.name, "--seconds", "60", "--warmup", "0", "--json"] + outputs)
        try run.waitUntilMeasuring()
        let exporter = try Client(name: "exporter", server: server.name).activate()
        try exporter.view.setFreewheel(true)
        defer { try? exporter.view.setFreewheel(false) }
        #expect(try run.end() == 69)
        #expect(run.screen.contains("freewheeling"))
        #expect(try Measured(run.out).end == "freewheeling")
        try checkFiles(Self.ofJitter)
    }

    /// Both at once, because each takes the time that a server is given to answer.
    @Test func `a server that does not answer keeps no run from ending, be it ours or not`() throws {
        let server = try Server()
        defer { server.stop() }
        let ours = try TerminalRun(["compare", "--dummy", "--seconds", "60", "--warmup", "0", "--json"] + outputs)
        try ours.waitUntilMeasuring()
        // At its end the latency is measured, by a client that the server would have to let in.
        let foreign = try TerminalRun([
            "jitter", "--server", server.name, "--seconds", "4", "--warmup", "0", "--json", "--csv", folder("b.csv"),
        ])
        try foreign.waitUntilMeasuring()
        try server.freeze()
        try signal(SIGSTOP, serverOf: ours)
        try ours.send(SIGINT)

        #expect(try ours.end() == 128 + SIGINT)
        #expect(try Measured(ours.out).end == "interrupted")
        #expect(try foreign.end() == 69)
        #expect(foreign.screen.contains("does not answer"), "\(foreign.screen)")
        let measured = try Measured(foreign.out)
        #expect(try measured.number(0, "callbacks") > 0)
        #expect(measured.modes[0]["latencyFrames"] is NSNull, "it was not measured")
        #expect(folder.names.contains("b.csv"))
        try FileManager.default.removeItem(atPath: folder("b.csv"))
        try checkFiles(Self.ofCompare)
    }

    @Test(arguments: [["--seconds", "4"], ["--cycles", "1000000"]])
    func `a server that stands still to the run's end, or for ten seconds of a run without one, is a server lost`(
        _ length: [String]
    ) throws {
        let run = try TerminalRun(["jitter", "--dummy", "--warmup", "0", "--json"] + length + outputs)
        try run.waitUntilMeasuring()
        try signal(SIGSTOP, serverOf: run)
        #expect(try run.end() == 69)
        #expect(run.screen.contains("stands still"), "\(run.screen)")
        #expect(try Measured(run.out).end == "serverLost")
        try checkFiles(Self.ofJitter)
    }

    @Test func `a server that stalls across the run's end costs what it costs elsewhere`() throws {
        let run = try TerminalRun(["jitter", "--dummy", "--seconds", "3", "--warmup", "0", "--json"] + outputs)
        try run.waitUntilMeasuring()
        let server = try server(of: run)
        // Between the look at the page and the signal the machine may stand still for a second.
        try run.wait(until: "half of it has passed", for: /(1\.[5-9]|2\.\d) of 3\.0 s/)
        kill(server, SIGSTOP)
        try run.wait(until: "3.0 of 3.0 s")
        kill(server, SIGCONT)
        let code = try run.end()
        // After two seconds it is a server lost.
        let mode = try #require((try object(run.out)["modes"] as? [[String: Any]])?.first)
        let lost = try #require(mode["lostNanoseconds"] as? Double)
        #expect(code == 69 || code == 0 && lost > 0.2e9, "\(code): \(lost)")
    }

    private func signal(_ number: Int32, serverOf run: TerminalRun) throws { kill(try server(of: run), number) }

    private func server(of run: TerminalRun) throws -> pid_t {
        let found = try CommandRun.tool("pgrep", "-f", "^jackd -n iounit-\(run.identifier)-")
        return try #require(pid_t(found.out.trimmingCharacters(in: .whitespacesAndNewlines)))
    }

    /// With what gives the screen back behind all that was drawn on it.
    @Test func `on a terminal a page shows what is measured, and is gone at the end`() throws {
        let screen = try Screen("jitter --dummy --seconds 60 --warmup 0 --json", in: folder)
        try screen.wait(for: "measuring")
        try screen.run.wait(until: "there is a p99") { screen.page.contains(/p99 +worst[^\n]*\n *callback .* µs/) }
        #expect(screen.page.contains("xruns") && screen.page.contains(" of 60.0 s, ") && screen.page.contains("q end"))
        screen.type("q")
        #expect(try screen.run.end() == 130)
        #expect(screen.run.out.hasSuffix("\u{1b}[?25h\u{1b}[?1049l"), "\(screen.run.out.suffix(200))")
        let report = try screen.report()
        #expect(report["end"] as? String == "interrupted", "as after Ctrl-C")
    }

    @Test func `q ends a comparison as well, and its table is on the standard output alone`() throws {
        let run = try TerminalRun(["compare", "--dummy", "--seconds", "60", "--warmup", "0"])
        try run.waitUntilMeasuring()
        run.type("q")
        #expect(try run.end() == 130)
        #expect(run.screen.contains("queued 512") && !run.screen.contains("nominal interval"))
        #expect(run.out.hasPrefix("INCOMPLETE") && run.out.contains("nominal interval") && !run.out.contains("\u{1b}"))
    }

    @Test func `without a terminal there is neither page nor colour`() throws {
        let run = try CommandRun.run(
            "jitter", "--dummy", "--seconds", "0.3", "--warmup", "0", "--limit", "p50=1ns",
            environment: ["TERM": "xterm-256color"])
        #expect(run.code == 1 && !run.out.contains("\u{1b}") && !run.err.contains("\u{1b}"), "\(run.err)")
    }

    @Test func `a dumb terminal is not drawn on`() throws {
        let run = try TerminalRun(
            ["jitter", "--dummy", "--seconds", "0.2", "--warmup", "0"], environment: ["TERM": "dumb"])
        #expect(try run.end() == 0)
        #expect(!run.screen.contains("\u{1b}") && !run.screen.contains("measuring"))
    }
}
