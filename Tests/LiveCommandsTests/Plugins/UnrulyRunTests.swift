import CommandTestSupport
import Foundation
import Glibc
import TestSupport
import Testing

@Suite("A run with a plug-in that would end or harm it") struct UnrulyRunTests {
    /// Records until the plug-in has done what its port says, and ends the run.
    ///
    /// - Parameter misdeed: see AudioPluginsTests/Bundles/unruly.lv2.
    private func record(_ misdeed: Int, until sentence: String) throws {
        let (bundle, folder) = (try ProbeBundle.folder("unruly"), try TemporaryFolder())
        let run = try CommandRun(
            [
                "record", "--dummy", "--no-connect", "--json", "--plugin", "unruly/unruly,misdeed=\(misdeed)",
                folder("a.wav"),
            ], environment: ["LV2_PATH": bundle.path])
        try run.wait(until: "it is told") { run.err.contains(sentence) }
        run.send(SIGINT)
        #expect(try run.end() == -SIGINT, "\(run.err)")
        let report = try object(run.out)
        let plugin = try #require((report["plugins"] as? [[String: Any]])?.first)
        let refusals = plugin["refusals"] as? [String] ?? []
        if misdeed != 7 { #expect(refusals.count == 1 && refusals[0].contains(sentence), "\(refusals)") }
        // Its header says how long it is.
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder("a.wav"))))
        try #require(bytes.count > 44)
        let size = (0..<4).reduce(0) { $0 | Int(bytes[4 + $1]) << (8 * $1) }
        #expect(size == bytes.count - 8)
    }

    @Test(arguments: [
        (1, "called exit,"), (2, "called exit,"), (3, "that thread has ended"), (4, "they stay open"), (5, "fork"),
        (6, "they stay with this program"), (7, "7 printed"),
    ])
    func `has a whole file and report, and ends as asked`(_ misdeed: Int, _ sentence: String) throws {
        try record(misdeed, until: sentence)
    }

    @Test func `one that calls exit when it is made is refused`() throws {
        let (bundle, folder) = (try ProbeBundle.folder("unruly"), try TemporaryFolder())
        let run = try CommandRun(
            ["record", "--dummy", "--no-connect", "--plugin", "unruly/unruly", folder("a.wav")],
            environment: ["LV2_PATH": bundle.path, "UNRULY": "1"])
        #expect(try run.end() == 65 && run.err.contains("calls exit when it is made"), "\(run.err)")
    }
}
