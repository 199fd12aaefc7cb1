import Foundation
import PluginChecks
import PluginTestSupport
import TestSupport
import Testing

/// Debian's own plug-ins, of which it is known what they do (Tools/setup --tests installs them).
@Suite("Installed plug-ins")
struct InstalledPluginTests {
    private func results(_ selection: PluginSelection) throws -> [PluginResult] {
        let probe = try PlantedPlugin.probe
        var check = PluginCheck(probe)
        check.deadlineSeconds = 120
        return try check.results(of: selection.plugins(probe))
    }

    @Test func `all plug-ins of these packages are safe`() throws {
        var selection = PluginSelection()
        selection.packages = ["fomp", "lv2-examples", "lv2vocoder", "blop-lv2", "eq10q"]
        let results = try results(selection)
        #expect(results.count >= 60)
        for result in results { #expect(result.verdict == .safe, "\(result.uri): \(result.summary)") }
    }

    @Test func `these are not, and it is known why`() throws {
        var selection = PluginSelection()
        selection.names = [
            "http://calf.sourceforge.net/plugins/Equalizer30Band", "http://drobilla.net/plugins/mda/Piano",
            "http://hyperglitch.com/dev/VocProc", "urn:dragonfly:room",
            "http://breakfastquay.com/rdf/lv2-rubberband#mono",
        ]
        let results = try results(selection)
        func result(_ part: String) throws -> PluginResult { try #require(results.first { $0.uri.contains(part) }) }
        for result in results { #expect(result.verdict == .notSafe || result.verdict == .safeAfterFirstBlock) }
        let equaliser = try result("Equalizer30Band").failures
        #expect(equaliser.contains { $0.finding == .allocation && $0.phase == "first block" && $0.count > 1000 })
        let piano = try result("Piano").failures
        #expect(Set(piano.map(\.finding)) == [.terminal] && piano.contains { $0.phase == "program change" })
        let vocoder = try result("VocProc").failures
        #expect(vocoder.contains { $0.finding == .allocation && $0.phase == "steady" })
        let room = try result("room").failures
        #expect(room.contains { $0.finding == .allocation && $0.phase == "first block" })
        let shifter = try result("rubberband").failures
        #expect(shifter.contains { $0.finding == .allocation && $0.phase == "parameters" })
        #expect(!shifter.contains { $0.phase == "steady" })
    }

    @Test func `what cannot be loaded or made says why`() throws {
        var selection = PluginSelection()
        selection.names = [
            "http://plugin.org.uk/swh-plugins/mbeq", "http://breakfastquay.com/rdf/lv2-rubberband#r3mono",
        ]
        let results = try results(selection)
        #expect(results.map(\.verdict) == [.notJudged, .notJudged])
        #expect(results[0].reason.contains("undefined symbol: fftwf_execute"))
        #expect(results[1].reason.contains("its binary does not have it"))
    }

    @Test func `two builds of one plug-in are both checked, and a description that is missing is told`() throws {
        let probe = try PlantedPlugin.probe
        let fomp = try #require(try InstalledPlugin.having(["fomp/autowah"], probe).first)
        let folder = try TemporaryFolder()
        var selection = PluginSelection()
        for name in ["old.lv2", "new.lv2"] {
            try FileManager.default.copyItem(atPath: String(fomp.bundle.dropLast()), toPath: folder(name))
            selection.names.append(folder(name))
        }
        let plugins = try selection.plugins(probe)
        #expect(Set(plugins.map(\.bundle)).count == 2 && Set(plugins.map(\.uri)).count * 2 == plugins.count)
        for name in try FileManager.default.contentsOfDirectory(atPath: folder("new.lv2"))
        where name.hasSuffix(".ttl") && name != "manifest.ttl" {
            try FileManager.default.removeItem(atPath: folder("new.lv2/\(name)"))
        }
        selection.names = [folder("new.lv2")]
        let result = try #require(try results(selection).first)
        #expect(result.verdict == .notJudged && result.reason.contains("description is damaged"), "\(result.reason)")
    }

    @Test func `plug-ins are found by short name, URI, text and package, and what is not there says so`() throws {
        let probe = try PlantedPlugin.probe
        let all = try InstalledPlugin.all(probe)
        var selection = PluginSelection()
        selection.names = ["fomp/autowah", "http://drobilla.net/plugins/fomp/autowah", "eg-amp/eg-amp"]
        let named = all.filter { ["fomp/autowah", "eg-amp/eg-amp"].contains($0.shortName) }
        #expect(try selection.plugins(probe) == [named[0], named[1]] && named.count == 2)
        selection.names = []
        selection.packages = ["fomp", "lv2-examples"]
        let packaged = all.filter { $0.bundle.hasSuffix("/fomp.lv2/") || $0.bundle.contains("/eg-") }
        #expect(try Set(selection.plugins(probe).map(\.uri)) == Set(packaged.map(\.uri)) && packaged.count > 10)
        selection.packages = ["no-such-package-at-all"]
        #expect(throws: PluginSearchError.self) { try selection.plugins(probe) }
        // The same of them, though most descriptions are not read.
        let found = try InstalledPlugin.having(["autowah", "/calf.lv2/", "no such text"], probe)
        #expect(found == all.filter { $0.uri.contains("autowah") || $0.bundle.contains("/calf.lv2/") })
        #expect(try InstalledPlugin.having([], probe).isEmpty)
    }
}
