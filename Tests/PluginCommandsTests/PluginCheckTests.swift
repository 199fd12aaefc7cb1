import CommandTestSupport
import Foundation
import FoundationXML
import PluginChecks
import TestSupport
import Testing

@testable import CommandSyntax
@testable import PluginCommands

@Suite("iounit plugin check")
struct PluginCheckTests {
    private static let good = "http://drobilla.net/plugins/fomp/autowah"
    private static let bad = "http://hyperglitch.com/dev/VocProc"

    @Test func `the exit code is 0 where all are safe, and the object says the same`() throws {
        let run = try CommandRun.run("plugin", "check", Self.good, "--json")
        let report = try JSONDecoder().decode(PluginCheckReport.self, from: Data(run.out.utf8))
        #expect(run.code == 0 && report.isFit && run.out.contains("\"iounit.plugin-check/1\""))
        #expect(report.counts.plugins == 1 && report.counts.safe == 1 && report.plugins[0].uri == Self.good)
        #expect(run.err.isEmpty)
        try SchemaCheck.expect("plugin-check", describes: run.out)
        // With places and nulls.
        try SchemaCheck.expect("plugin-check", describes: CommandRun.run("plugin", "check", Self.bad, "--json").out)
    }

    @Test func `a plug-in that is not safe makes it 1, unless what it does is let pass`() throws {
        let run = try CommandRun.run("plugin", "check", Self.bad, Self.good)
        #expect(
            run.code == 1 && run.out.contains("not real-time safe:")
                && run.out.contains("allocation (memalign) in steady"))
        #expect(run.out.contains("1 of 2 real-time safe, 1 not") && !run.out.contains("Auto-wah"))
        let other = try CommandRun.run("plugin", "check", Self.bad, "--fail-on", "terminal,lock")
        #expect(other.code == 0 && other.out.contains("warning: allocation"))
        #expect(other.out.contains("1 of 1 real-time safe, 1 of these because allocation is let pass."), "\(other.out)")
        let allowed = try CommandRun.run("plugin", "check", Self.bad, "--allow", "allocation", "--allow", "first-block")
        #expect(!allowed.out.contains("      allocation") && allowed.out.contains("warning: allocation"))
        let first = "http://calf.sourceforge.net/plugins/Equalizer30Band"
        #expect(try CommandRun.run("plugin", "check", first).code == 1)
        #expect(try CommandRun.run("plugin", "check", first, "--allow", "first-block").code == 0)
    }

    @Test func `the article has each finding with its key, as a failure or a warning`() throws {
        let article = try #require(ArticleSource.all.first { $0.name == "plugin-check" }).markdown
        for kind in FindingKind.allCases {
            let weight = FindingKind.failures.contains(kind) ? "failure" : "warning"
            #expect(article.contains("\n| `\(kind.rawValue)` | \(weight) | "), "\(kind)")
        }
        let rows = article.split(separator: "\n").filter { $0.contains(/^\| `\w+` \| (failure|warning) \|/) }
        #expect(rows.count == FindingKind.allCases.count)
    }

    @Test func `files have a case, an item and a row for each plug-in`() throws {
        let folder = try TemporaryFolder()
        let run = try CommandRun.run(
            "plugin", "check", Self.bad, Self.good, "--html", folder("a.html"), "--junit", folder("a.xml"),
            "--markdown",
            folder("a.md"))
        #expect(run.code == 1)
        let cases = try XMLDocument(contentsOf: URL(fileURLWithPath: folder("a.xml")))
        #expect(try cases.nodes(forXPath: "//testcase").count == 2)
        #expect(try cases.nodes(forXPath: "//testcase[@name='\(Self.bad)']/failure[@type='notSafe']").count == 1)
        let page = try XMLDocument(contentsOf: URL(fileURLWithPath: folder("a.html")), options: [])
        #expect(try page.nodes(forXPath: "//*[local-name()='li'][@class='safe']").count == 1)
        #expect(try page.nodes(forXPath: "//*[local-name()='input'][@name='sort']").count == 4)
        #expect(try page.nodes(forXPath: "//*[local-name()='script']").isEmpty)
        let markdown = try String(contentsOfFile: folder("a.md"), encoding: .utf8)
        #expect(markdown.contains("| not real-time safe |") && !markdown.contains("autowah"))
        let again = try CommandRun.run("plugin", "check", Self.good, "--html", folder("a.html"))
        #expect(again.code == 73)
    }

    @Test func `a signal while its files are written leaves no draft of one behind`() throws {
        let folder = try TemporaryFolder()
        try #require(mkfifo(folder("pipe"), 0o600) == 0)
        let reader = open(folder("pipe"), O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        // F_SETPIPE_SZ: it holds a page.
        try #require(fcntl(reader, 1031, 4096) == 4096)
        let run = try CommandRun(["plugin", "check", Self.good, "--html", folder("pipe"), "--junit", folder("a.xml")])
        var waiting: CInt = 0
        try run.wait(until: "the pipe is full", within: 60) {
            ioctl(reader, UInt(FIONREAD), &waiting) == 0 && waiting == 4096
        }
        run.send(SIGINT)
        #expect(try run.end() == 74, "\(run.err)")
        #expect(folder.names == ["pipe"])
    }

    @Test func `texts are looked for in names too, in capitals or not`() throws {
        let path = try LV2Path("fomp", "eg-amp")
        let run = try CommandRun.run("plugin", "check", "--all", "AUTO-WAH", "--json", environment: path.environment)
        let report = try JSONDecoder().decode(PluginCheckReport.self, from: Data(run.out.utf8))
        // Its URI has no hyphen.
        #expect(report.plugins.map(\.uri) == [Self.good])
        let all = try CommandRun.run("plugin", "check", "--all", environment: path.environment)
        #expect(all.code == 0 && all.out.contains("18 of 18 real-time safe"), "\(all.out)")
    }

    @Test func `where there is no dpkg, no package is said to be missing`() throws {
        let run = try CommandRun.run("plugin", "check", "--package", "fomp", environment: ["PATH": "/nowhere"])
        #expect(run.code == 66 && run.out.isEmpty && !run.err.contains("is not installed"), "\(run.err)")
        #expect(run.err.contains("fomp: dpkg cannot be started: No such file or directory; name plug-ins or bundles"))
    }

    @Test(
        arguments: [
            (["plugin", "list", "--jobs", "3"], 64, "--jobs is for iounit plugin check"),
            (["plugin", "chekc"], 64, "did you mean check?"),
            (["plugin", "check"], 64, "needs plug-ins"),
            (["plugin", "check", "x", "--allow", "alocation"], 64, "did you mean allocation?"),
            (["plugin", "check", "urn:none:such"], 66, "there is no plug-in urn:none:such; iounit plugin check --all"),
            (["plugin", "check", "fomp/autowa"], 66, "did you mean http://drobilla.net/plugins/fomp/autowah?"),
            (["plugin", "check", "--all", "no such text"], 66, "no installed plug-in has no such text in its URI"),
            (["plugin", "check", "/nowhere/x.lv2"], 66, "there is no bundle /nowhere/x.lv2"),
            (["plugin", "check", "/tmp/"], 65, "has no manifest.ttl"),
            (["plugin", "check", "--package", "no-such-package"], 66, "is not installed"),
            (["plugin", "check", "--all", "--deadline", "1"], 64, "from 2 to 3600"),
            (["plugin", "check", "--processor", "/nowhere/libx.so"], 66, "there is no library /nowhere/libx.so"),
            (["plugin", "check", "--processor", "/usr/lib/lv2/fomp.lv2/autowah.so"], 65, "is not linked with Checked"),
            (["plugin", "check", "--processor", "/etc/passwd"], 65, "its binary cannot be loaded"),
            (["plugin", "info", "x", "--processor", "y"], 64, "--processor is for iounit plugin check"),
        ] as [([String], Int, String)])
    func `what cannot be done says why in one line`(words: [String], code: Int, message: String) throws {
        // Where few are installed, all of them are looked through sooner.
        let path = try LV2Path("fomp")
        let run = try CommandRun(words, environment: path.environment)
        #expect(Int(try run.end()) == code && run.out.isEmpty)
        #expect(run.err.contains(message) && run.err.split(separator: "\n").count == 1, "\(run.err)")
    }
}
