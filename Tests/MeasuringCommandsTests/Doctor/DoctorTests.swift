import AudioReports
import CommandTestSupport
import Foundation
import Jack
import SystemHealth
import TestSupport
import Testing

@testable import MeasuringCommands
@testable import TerminalPages

@Suite("iounit doctor")
struct DoctorTests {
    private struct Printed: Decodable {
        var fit: Bool
        var counts: [String: Int]
        var findings: [Finding]
    }

    @Test func `the exit code is 1 exactly where there is a problem, and the object says the same`() throws {
        // A user who has no limits set, so that there is a problem on most machines; and whoever runs this.
        for user in [["/usr/bin/env"], ["/usr/bin/setpriv", "--reuid=65534", "--clear-groups", "--inh-caps=-all"]] {
            guard getuid() == 0 || user.count == 1 else { continue }
            let run = try CommandRun(
                ["--rtprio=0", "--memlock=65536"] + user + [CommandRun.program, "doctor", "--json"],
                program: "/usr/bin/prlimit")
            let code = try run.end()
            let report = try JSONDecoder().decode(Printed.self, from: Data(run.out.utf8))
            #expect(run.err.isEmpty)
            try SchemaCheck.expect("doctor", describes: run.out)
            let problems = report.findings.count { $0.weight == .problem }
            #expect(code == (problems > 0 ? 1 : 0) && report.fit == (problems == 0))
            #expect(report.counts["problem"] == problems && report.counts.count == Finding.Weight.allCases.count)
            let priority = try #require(report.findings.first { $0.subject == "real-time priority" })
            if user.count > 1 || getuid() != 0 {
                #expect(priority.weight == .problem)
                let memory = try #require(report.findings.first { $0.subject == "locked memory" })
                #expect(memory.statement.contains("may lock 64 kB"))
            }
        }
    }

    @Test func `text hides what is well unless asked, fits 80 columns, and has no colour beside a terminal`() throws {
        let brief = try CommandRun.run("doctor", environment: ["TERM": "xterm"])
        let all = try CommandRun.run("doctor", "--verbose", environment: ["TERM": "xterm"])
        for run in [brief, all] {
            // Each by its own text: between the two, a server somewhere on the machine may be stopped or go on.
            let hasProblem = "\n\(run.out)".contains("\nproblem  ")
            #expect(run.code == (hasProblem ? 1 : 0) && run.err.isEmpty, "\(run.out)")
        }
        #expect(!brief.out.contains("\nok  ") && all.out.contains("\nok  "))
        #expect(brief.out.contains("more are well: --verbose shows them.") && !all.out.contains("--verbose"))
        #expect(!all.out.contains("\u{1b}"))
        for line in all.out.split(separator: "\n") where line.count > 80 {
            // What is to be copied, and a path, are left whole.
            #expect(
                line.hasPrefix("            ") || line.drop { $0 == " " }.split(separator: " ").count <= 2, "\(line)")
        }
        #expect(all.out.split(separator: "\n").suffix(3).contains { $0.hasPrefix("This machine ") })
    }

    @Test func `on a terminal there is colour, unless it is refused`() throws {
        func screen(_ environment: [String: String]) throws -> String {
            let run = try CommandRun(
                ["-qec", "'\(CommandRun.program)' doctor --verbose", "/dev/null"], program: "/usr/bin/script",
                environment: ["TERM": "xterm", "NO_COLOR": ""].merging(environment) { $1 })
            _ = try run.end()
            return run.out
        }
        #expect(try screen([:]).contains("\u{1b}[1;32mok\u{1b}[0m"))
        #expect(try !screen(["NO_COLOR": "1"]).contains("\u{1b}"))
        #expect(try !screen(["TERM": "dumb"]).contains("\u{1b}"))
    }

    @Test func `a server is described, nothing in shared memory changes, and a stopped one is no reason to wait`()
        throws
    {
        var configuration = ServerConfiguration()
        configuration.periodFrames = 128
        configuration.isSync = true
        let server = try Server(configuration)
        defer { server.stop() }
        // What is of this server, with its times of change: others may come and go meanwhile.
        func listing() throws -> [String] {
            try CommandRun.tool("ls", "-lA", "--time-style=full-iso", "/dev/shm").out.split(separator: "\n")
                .map(String.init).filter { $0.contains(server.name) }
        }
        func examine() throws -> Finding? {
            let run = try CommandRun.run("doctor", "--json")
            let report = try JSONDecoder().decode(Printed.self, from: Data(run.out.utf8))
            return report.findings.first { $0.subject == "JACK server" && $0.statement.contains(server.name) }
        }
        let before = try listing()
        #expect(!before.isEmpty)
        let answering = try #require(try examine())
        #expect(try listing() == before)
        #expect(answering.statement.contains("driver dummy, 128 frames, 48000 Hz when it was started, sync mode"))

        try server.freeze()
        let stopped = try #require(try examine())
        #expect(stopped.weight == .problem && stopped.statement.contains("is stopped"))
        server.signal(SIGCONT)
    }

    private static let hasProcessNamespaces =
        (try? CommandRun.tool("unshare", "--pid", "--fork", "--mount-proc", "true").code) == 0

    /// As in a container that has processes of its own, and the shared memory of the machine.
    @Test(.enabled(if: hasProcessNamespaces, "process namespaces may not be made here"))
    func `a server whose process has no number here is heard, and what is its own is no leftover`() throws {
        let server = try Server()
        defer { server.stop() }
        let run = try CommandRun(
            ["--pid", "--fork", "--mount-proc", CommandRun.program, "doctor", "--json"], program: "/usr/bin/unshare")
        _ = try run.end()
        let report = try JSONDecoder().decode(Printed.self, from: Data(run.out.utf8))
        let found = report.findings.filter { $0.statement.contains(server.name) }
        #expect(found.map(\.subject) == ["JACK server"] && found.map(\.weight) == [.ok], "\(found)")
        #expect(!report.findings.contains { $0.statement.hasPrefix("No JACK server runs") })
    }

    @Test func `it writes no file, neither at home nor among temporary ones`() throws {
        let folder = try TemporaryFolder()
        let run = try CommandRun.run(
            "doctor", environment: ["HOME": folder.path, "TMPDIR": folder.path, "XDG_RUNTIME_DIR": folder.path])
        #expect(run.code <= 1 && folder.names.isEmpty)
    }
}

@Suite("How an examination is set")
struct DoctorPageTests {
    @Test func `a text that is to be copied is never broken, and words are wrapped beside their label`() {
        let text = "one two three four five six seven eight nine ten"
        let lines = labelled("  why", wrapped(text, width: 30), indent: 10)
        #expect(lines == ["  why     one two three four five six", "          seven eight nine ten"])
        #expect(wrapped(String(repeating: "x", count: 60), width: 30).count == 1)
        #expect(labelled("  do", [], indent: 10).isEmpty)
    }
}
