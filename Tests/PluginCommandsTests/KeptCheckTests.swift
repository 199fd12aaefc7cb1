import CommandTestSupport
import Foundation
import Glibc
import PluginChecks
import PluginTestSupport
import TestSupport
import Testing

@testable import PluginCommands

/// What a check has found, and what later runs make of it.
@Suite("What checks have found is kept")
struct KeptCheckTests {
    private let folder: TemporaryFolder
    private var environment: [String: String] { ["XDG_STATE_HOME": folder("state"), "LV2_PATH": folder("lv2")] }
    /// It prints at a program change, which none of these runs has: the sanitizer of a debug build would end them.
    private static let bad = "http://drobilla.net/plugins/mda/Piano"

    init() throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder("lv2"), withIntermediateDirectories: true)
        for bundle in ["fomp.lv2", "mda.lv2"] {
            try FileManager.default.copyItem(atPath: "/usr/lib/lv2/\(bundle)", toPath: folder("lv2/\(bundle)"))
        }
    }

    private func run(_ words: String...) throws -> (code: Int32, out: String, err: String) {
        let run = try CommandRun(words, environment: environment)
        return (try run.end(), run.out, run.err)
    }

    /// A line of `plugin info`.
    private func checked(_ plugin: String) throws -> String {
        let run = try run("plugin", "info", plugin)
        #expect(run.code == 0)
        return run.out.split(separator: "\n").first { $0.hasPrefix("checked ") }.map(String.init) ?? run.out
    }

    /// Another build: what a loader makes of it is the same.
    private func rebuild(_ library: String) throws {
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: folder("lv2/\(library)")))
        try file.seekToEnd()
        try file.write(contentsOf: Data([0]))
        try file.close()
    }

    @Test func `a pipe in place of a binary is not waited for`() throws {
        try #require(mkfifo(folder("pipe"), 0o600) == 0)
        let binary = folder("lv2/fomp.lv2/autowah.so")
        #expect(try Array(BinaryHash.all(of: [folder("pipe"), "/dev/zero", binary]).keys) == [binary])
    }

    @Test func `info and runs know it, until the binary changes`() throws {
        #expect(try checked("fomp/autowah") == "checked     not yet; iounit plugin check fomp/autowah does it")
        #expect(try run("plugin", "check", "fomp/autowah", Self.bad).code == 1)
        #expect(try checked("fomp/autowah").contains(/^checked     on \d{4}-\d\d-\d\d: real-time safe$/))
        #expect(try checked(Self.bad).contains(/: not real-time safe: terminal \(/))
        let json = try object(run("plugin", "info", Self.bad, "--json").out)
        let check = try #require(json["check"] as? [String: Any])
        #expect(check["verdict"] as? String == "notSafe" && check["isCurrent"] as? Bool == true)

        // A run says what is wrong, once and in one sentence, and nothing of the other one.
        let words = ["monitor", "--offline", "--seconds", "0.1"]
        let both = try CommandRun(
            words + ["--plugin", "fomp/autowah", "--plugin", Self.bad], environment: environment)
        #expect(try both.end() == 0)
        let lines = both.err.split(separator: "\n")
        #expect(lines.count == 1, "\(both.err)")
        #expect(lines.first?.contains(/mda\/Piano was checked on [-0-9]{10}: not real-time safe: terminal \(/) == true)

        try rebuild("mda.lv2/Piano.so")
        #expect(try checked(Self.bad).contains("and has changed since; iounit plugin check"))
        let changed = try object(run("plugin", "info", Self.bad, "--json").out)["check"] as? [String: Any]
        #expect(changed?["isCurrent"] as? Bool == false)
        let other = try CommandRun(words + ["--plugin", Self.bad], environment: environment)
        #expect(try other.end() == 0 && other.err.isEmpty, "\(other.err)")
    }

    @Test func `convert says once for all files what was found`() throws {
        #expect(try run("plugin", "check", Self.bad).code == 1)
        let files = [folder("a.wav"), folder("b.wav")]
        for file in files { try SoundFile(sampleRate: 48_000, channels: [[0, 0.1, 0], [0, 0.1, 0]]).write(file) }
        try FileManager.default.createDirectory(atPath: folder("out"), withIntermediateDirectories: false)
        // A level takes two passes, and each makes the plug-in.
        let words = ["convert"] + files + [folder("out"), "--plugin", Self.bad, "--normalise", "-1dB"]
        let both = try CommandRun(words, environment: environment)
        #expect(try both.end() == 0, "\(both.err)")
        #expect(both.err.split(separator: "\n").count { $0.contains("mda/Piano was checked on") } == 1, "\(both.err)")
    }

    @Test func `--plugin-only-safe refuses what is not known to be safe`() throws {
        func host(_ plugin: String) throws -> (code: Int32, err: String) {
            let run = try run("monitor", "--offline", "--seconds", "0.1", "--plugin", plugin, "--plugin-only-safe")
            return (run.code, run.err)
        }
        let unknown = try host("fomp/autowah")
        #expect(unknown.code == 65 && unknown.err.contains("run iounit plugin check fomp/autowah"), "\(unknown.err)")
        #expect(unknown.err.split(separator: "\n").count == 1)
        #expect(try run("plugin", "check", "fomp/autowah", Self.bad, "--allow", "terminal").code != 64)
        let safe = try host("fomp/autowah")
        #expect(safe.code == 0 && safe.err.isEmpty, "\(safe.err)")
        // What one check lets pass is no matter of a host.
        let bad = try host(Self.bad)
        #expect(bad.code == 65 && bad.err.contains(": not real-time safe: terminal ("), "\(bad.err)")
        try rebuild("fomp.lv2/autowah.so")
        let changed = try host("fomp/autowah")
        #expect(changed.code == 65 && changed.err.contains("has changed since"), "\(changed.err)")
    }

    @Test func `an interrupted check writes and keeps what it has found, and ends by the signal`() throws {
        let words = [
            "plugin", "check", "--all", "--jobs", "1", "--json", "--markdown", folder("a.md"), "--junit",
            folder("a.xml"),
        ]
        let run = try CommandRun(words, environment: ["XDG_STATE_HOME": folder("state")])
        // The second plug-in is begun when the first is done.
        var seen: Set<String> = []
        try run.wait(until: "a third plug-in is checked", within: 120) {
            seen.formUnion(Self.checkedNow(by: run.identifier))
            return seen.count >= 3
        }
        run.send(SIGINT)
        #expect(try run.end() == -SIGINT)
        let report = try JSONDecoder().decode(PluginCheckReport.self, from: Data(run.out.utf8))
        let (done, left) = (report.counts.plugins, report.counts.left)
        #expect(done >= 1 && left > 100 && !report.isFit && report.plugins.count == done)
        #expect(run.err.contains("interrupted: \(done) of \(done + left) were checked, \(left) are left"), "\(run.err)")
        #expect(try String(contentsOfFile: folder("a.md"), encoding: .utf8).contains("\(left) not checked"))
        let cases = try String(contentsOfFile: folder("a.xml"), encoding: .utf8)
        #expect(cases.contains(" name=\"complete\" ") && cases.contains("<error message=\"\(left) not checked, "))
        let kept = KeptChecks(environment: environment)
        #expect(Set(kept.checks.map(\.uri)) == Set(report.plugins.map(\.uri)))
    }

    @Test(arguments: [SIGINT, SIGTERM]) func `a signal ends a check that waits for a library, and what loads it`(
        signal: Int32
    ) throws {
        // A library that never comes to its end when it is loaded, and tells who loads it.
        let source = """
            #include <stdio.h>
            #include <unistd.h>
            __attribute__((constructor)) static void wait_for_ever(void) {
                FILE *file = fopen(PLACE, "w");
                fprintf(file, "%d\\n", getpid());
                fclose(file);
                for (;;) pause();
            }
            """
        try source.write(toFile: folder("slow.c"), atomically: true, encoding: .utf8)
        let (place, library) = (folder("process"), folder("slow.so"))
        try CompiledLibrary.make(["clang", "-DPLACE=\"\(place)\"", folder("slow.c")], at: library)
        let run = try CommandRun(
            ["plugin", "check", "--processor", library], environment: ["XDG_STATE_HOME": folder("state")])
        var loader: Int32?
        try run.wait(until: "the library is loaded") {
            loader = (try? String(contentsOfFile: place, encoding: .utf8)).flatMap { Int32($0.dropLast()) }
            return loader != nil
        }
        run.send(signal)
        // Its own deadline is a minute.
        #expect(try run.end(within: 30) == -signal && run.out.isEmpty, "\(run.err)")
        #expect(run.err == "iounit: interrupted: nothing was checked\n")
        #expect(kill(try #require(loader), 0) == -1 && errno == ESRCH, "it has ended too")
    }

    /// The URIs of the plug-ins that children of a process check.
    private static func checkedNow(by parent: Int32) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { name in
            guard Int(name) != nil, let line = FileManager.default.contents(atPath: "/proc/\(name)/cmdline"),
                let facts = FileManager.default.contents(atPath: "/proc/\(name)/stat")
            else { return nil }
            let words = line.split(separator: 0, omittingEmptySubsequences: false).map {
                String(decoding: $0, as: UTF8.self)
            }
            let fields = String(decoding: facts, as: UTF8.self).split(separator: " ")
            guard words.count > 5, words[1] == "check", fields.count > 3, fields[3] == "\(parent)" else { return nil }
            return words[5]
        }
    }

    // The file itself.

    private var file: String { folder("state/iounit/plugin-checks.json") }

    private func check(_ number: Int, hash: String = "00") -> KeptCheck {
        KeptCheck(
            uri: "urn:\(number)", hash: hash, edition: PluginCheck.edition, verdict: .notSafe, found: "lock (steady)",
            date: "2026-11-25T14:00:00Z")
    }

    @Test func `the newest of a build counts, and the oldest go`() throws {
        try KeptChecks.keep((0..<4096).map { check($0) }, environment: environment)
        var again = check(1)
        again.verdict = .safe
        try KeptChecks.keep([again, check(9, hash: "01"), check(5000)], environment: environment)
        let kept = KeptChecks(environment: environment)
        #expect(kept.trouble == nil && kept.checks.count == 4096)
        #expect(kept.checks.filter { $0.uri == "urn:1" }.map(\.verdict) == [.safe])
        #expect(kept.checks.filter { $0.uri == "urn:9" }.map(\.hash) == ["00", "01"])
        #expect(kept.checks.last?.uri == "urn:5000" && !kept.checks.contains { $0.uri == "urn:0" })
        let facts = try FileManager.default.attributesOfItem(atPath: file)
        #expect((facts[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    }

    @Test func `a check without a verdict leaves a warning in its place`() throws {
        var safe = check(2)
        safe.verdict = .safe
        var old = check(3)
        old.edition = 0
        try KeptChecks.keep([check(1), safe, old], environment: environment)
        let open = (1...3).map { number in
            var open = check(number)
            open.verdict = .notJudged
            return open
        }
        try KeptChecks.keep(open, environment: environment)
        let kept = KeptChecks(environment: environment).checks
        #expect(Set(kept.map { "\($0.uri) \($0.verdict)" }) == ["urn:1 notSafe", "urn:2 notJudged", "urn:3 notJudged"])
        #expect(kept.count == 3)
    }

    @Test(arguments: ["damaged", "writable", "large", "no file", "other version"])
    func `what is not to be trusted is one sentence, and a check writes it anew where it is ours`(_ fault: String)
        throws
    {
        try KeptChecks.keep([check(1)], environment: environment)
        let whole = try Data(contentsOf: URL(fileURLWithPath: file))
        switch fault {
        case "damaged": try whole.prefix(40).write(to: URL(fileURLWithPath: file))
        case "writable": chmod(file, 0o666)
        case "large": truncate(file, 9 << 20)
        case "no file":
            try FileManager.default.removeItem(atPath: file)
            try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
        default:
            let text = String(decoding: whole, as: UTF8.self).replacing("plugin-checks/1", with: "plugin-checks/9")
            try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        }
        let kept = KeptChecks(environment: environment)
        #expect(kept.checks.isEmpty && kept.trouble?.hasPrefix("earlier plug-in checks are not used: ") == true)
        let run = try run("monitor", "--offline", "--seconds", "0.1", "--plugin", "fomp/autowah")
        #expect(run.code == 0 && run.err.split(separator: "\n").count == 1, "\(run.err)")
        #expect(run.err.contains("remove the file, and check the plug-ins again"))
        let again = try self.run("plugin", "check", "fomp/autowah")
        #expect(again.code == 0)
        if fault == "no file" {
            #expect(again.err.contains("is not kept"), "\(again.err)")
        } else {
            #expect(again.err.isEmpty && KeptChecks(environment: environment).checks.count == 1, "\(again.err)")
        }
    }

    @Test(.enabled(if: geteuid() == 0)) func `another user's file is neither used nor written over`() throws {
        try KeptChecks.keep([check(1)], environment: environment)
        chown(file, 1, 1)
        #expect(KeptChecks(environment: environment).trouble?.contains("it is another user's") == true)
        let run = try run("plugin", "check", "fomp/autowah")
        #expect(run.code == 0 && run.err.contains("it is another user's"), "\(run.err)")
        #expect(try String(contentsOfFile: file, encoding: .utf8).contains("urn:1"))
    }

    @Test func `without a home nothing is kept, and that is said where it matters`() throws {
        let run = try CommandRun(
            [
                "monitor", "--offline", "--seconds", "0.1", "--plugin", "fomp/autowah", "--plugin-only-safe",
            ], environment: ["XDG_STATE_HOME": "none", "HOME": "", "LV2_PATH": folder("lv2")])
        #expect(try run.end() == 65 && run.err.contains("neither XDG_STATE_HOME nor HOME"), "\(run.err)")
    }
}
