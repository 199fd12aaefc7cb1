import Foundation
import PluginChecks
import TestSupport
import Testing

/// A bundle with a plug-in that has one fault, built for a test.
package final class PlantedPlugin: Sendable {
    package static let uri = "urn:iounit:planted"
    /// Ends in `/`.
    package let bundle: String
    private let folder: TemporaryFolder

    private static var sources: URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Planted")
    }

    /// - Parameter fault: as the source has it behind `FAULT_`, some with a number as in `AT=6`, or with an expression as in
    ///   `DOES=alarm(0)`; `nil` for a good one.
    package init(_ fault: String?) throws {
        folder = try TemporaryFolder()
        bundle = folder("planted.lv2/")
        try FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: true)
        let manifest = """
            @prefix lv2: <http://lv2plug.in/ns/lv2core#> .
            @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
            <\(Self.uri)> a lv2:Plugin ; lv2:binary <planted.so> ; rdfs:seeAlso <planted.ttl> .
            """
        try manifest.write(toFile: bundle + "manifest.ttl", atomically: true, encoding: .utf8)
        let description = try String(contentsOf: Self.sources.appendingPathComponent("planted.ttl"), encoding: .utf8)
        try description.write(toFile: bundle + "planted.ttl", atomically: true, encoding: .utf8)
        var words = ["g++", "-O1", "-g"]
        words +=
            (fault.map { ["-DFAULT_\($0)"] } ?? []) + [
                "-x", "c", Self.sources.appendingPathComponent("planted.c").path,
            ]
        if fault?.hasPrefix("THROW") == true {
            let source = Self.sources.appendingPathComponent("throw.cpp").path
            words += ["-x", "c++", source, "-static-libstdc++", "-static-libgcc"]
        }
        if fault?.hasPrefix("HELPER") == true {
            // Where the plug-in's own library alone tells to look.
            let helpers = bundle + "helpers"
            try FileManager.default.createDirectory(atPath: helpers, withIntermediateDirectories: true)
            try CompiledLibrary.make(["g++", "-x", "c", "/dev/null"], at: helpers + "/libplanted-helper.so")
            words += ["-Wl,--enable-new-dtags,-rpath,$ORIGIN/helpers"]
        }
        try CompiledLibrary.make(words, at: bundle + "planted.so")
    }

    /// Changes its description.
    package func replace(_ text: String, with other: String) throws {
        let path = bundle + "planted.ttl"
        let description = try String(contentsOfFile: path, encoding: .utf8)
        try #require(description.contains(text))
        try description.replacing(text, with: other).write(toFile: path, atomically: true, encoding: .utf8)
    }

    /// Adds presets to its description.
    ///
    /// - Parameter numbers: what each has for the control.
    package func add(presets numbers: [String]) throws {
        let presets = numbers.enumerated().map {
            """
            <\(Self.uri)#preset_\($0)> a <http://lv2plug.in/ns/ext/presets#Preset> ;
                lv2:appliesTo <\(Self.uri)> ; <http://www.w3.org/2000/01/rdf-schema#label> "Preset \($0)" ;
                lv2:port [ lv2:symbol "gain" ; <http://lv2plug.in/ns/ext/presets#value> \($1) ] .

            """
        }
        try replace("] .", with: "] .\n" + presets.joined())
    }

    /// The folder that it is in, as LV2_PATH names it.
    package var path: String { folder.path }

    /// As the list of a bundle has it.
    package var installed: InstalledPlugin {
        get throws {
            let all = try InstalledPlugin.all(Self.probe, bundles: [bundle])
            return try #require(all.first)
        }
    }

    /// What the check says of it.
    package func result(deadlineSeconds: Int = 60) throws -> PluginResult {
        var check = PluginCheck(try Self.probe)
        check.deadlineSeconds = deadlineSeconds
        return try #require(check.results(of: [try installed]).first)
    }

    /// Beside the test's own program.
    package static var probe: PluginProbe {
        get throws { try PluginProbe(besideProgram: CommandLine.arguments[0]) }
    }
}

extension PluginResult {
    package var failedKinds: Set<FindingKind> { Set(failures.map(\.finding)) }
    package var kinds: Set<FindingKind> { Set(findings.map(\.finding)) }
}
