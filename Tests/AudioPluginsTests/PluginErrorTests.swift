import AudioIO
import AudioPlugins
import Foundation
import TestSupport
import Testing

@Suite("Plug-ins that cannot be had") struct PluginErrorTests {
    private static let wah = "/usr/lib/lv2/fomp.lv2/autowah.so"

    private func sentence(_ bundle: Bundle, _ name: String, channels: Int? = nil) throws -> PluginError? {
        let list = try bundle.list
        return #expect(throws: PluginError.self) { try Plugin(name, channels: channels, in: list) }
    }

    @Test func `one that is not installed is told with names like it`() throws {
        let error = #expect(throws: PluginError.self) { try Plugin("http://example.org/autowha") }
        #expect(error?.kind == .missing && error?.description.contains("did you mean fomp/autowah") == true)
        #expect(throws: PluginError.self) { try Plugin("no plug-in\n") }
        #expect(throws: PluginError.self) { try Plugin("") }
    }

    @Test func `a URI that is not in the binary`() throws {
        let error = try sentence(.made("urn:made", library: "file://\(Self.wah)"), "urn:made")
        #expect(error?.kind == .unusable && error?.description.contains("urn:made is not in \(Self.wah)") == true)
    }

    @Test func `a missing file`() throws {
        let error = try sentence(.made("urn:made", library: "gone.so"), "urn:made")
        #expect(error?.kind == .unusable && error?.description.contains("No such file") == true)
    }

    @Test func `another architecture, and a file that is no library at all`() throws {
        let bundle = try Bundle.made("urn:made", library: "other.so")
        var bytes = try Data(contentsOf: URL(fileURLWithPath: Self.wah))
        // e_machine: RISC-V.
        bytes[18] = 243
        let other = URL(fileURLWithPath: bundle.folder("made.lv2/other.so"))
        try bytes.write(to: other)
        let error = try sentence(bundle, "urn:made")
        #expect(error?.kind == .unusable && error?.description.contains("made/made cannot be loaded") == true)
        try Data("nonsense".utf8).write(to: other)
        #expect(try sentence(bundle, "urn:made")?.kind == .unusable)
        let source = bundle.folder("made.lv2/nothing.c")
        try "int nothing;\n".write(toFile: source, atomically: true, encoding: .utf8)
        try CompiledLibrary.make(["clang", source], at: other.path)
        #expect(try sentence(bundle, "urn:made")?.description.contains("is no library of LV2 plug-ins") == true)
    }

    @Test func `a feature that this host lacks`() throws {
        let bundle = try Bundle.made(
            "urn:made", library: "file://\(Self.wah)", more: "lv2:requiredFeature <urn:iounit:telepathy> ;")
        #expect(try sentence(bundle, "urn:made")?.description.contains("requires urn:iounit:telepathy") == true)
    }

    @Test(arguments: [([3_000_000_000], false), ([9 << 20, 9 << 20], false), ([9 << 20, 1 << 20], true)])
    func `ports of events that ask for more memory than there is for them`(bytes: [Int], fits: Bool) throws {
        let ports = bytes.enumerated().map { place, bytes in
            """
            lv2:port [ a lv2:InputPort , <http://lv2plug.in/ns/ext/atom#AtomPort> ;
                lv2:index \(2 + place) ; lv2:symbol "events_\(place)" ; lv2:name "Events" ;
                <http://lv2plug.in/ns/ext/resize-port#minimumSize> \(bytes) ] ;
            """
        }
        let bundle = try Bundle.made("urn:made", library: "file://\(Self.wah)", more: ports.joined())
        let error = try sentence(bundle, "urn:made")
        #expect(error?.kind == .unusable && error?.description.contains("more than 16 MB of memory") == !fits)
        // What fits is not in the library, and that is said instead.
        #expect(error?.description.contains("is not in \(Self.wah)") == fits)
    }

    @Test func `bounds that are beyond all numbers at the rate are the greatest number`() throws {
        for (least, most) in [("-1e38", "1e38"), ("1e38", "2e38"), ("-2e38", "-1e38")] {
            let port = """
                lv2:port [ a lv2:ControlPort , lv2:InputPort ; lv2:index 2 ; lv2:symbol "far" ; lv2:name "Far" ;
                    lv2:portProperty lv2:sampleRate ; lv2:minimum \(least) ; lv2:maximum \(most) ] ;

                """
            let bundle = try Bundle.made("urn:made", library: "file://\(Self.wah)", more: port)
            let info = try bundle.list.info("urn:made")
            let far = try #require(info.ports.last)
            guard case .number(let range, _, _, _) = far.parameter?.kind else {
                return #expect(Bool(false), "\(far)")
            }
            for bound in [range.lowerBound, range.upperBound] {
                #expect(far.number(.number(bound)).magnitude == .greatestFiniteMagnitude, "\(least)…\(most)")
            }
        }
    }

    @Test func `more ports than a host connects`() throws {
        let ports = (2...4096).map { place in
            """
            lv2:port [ a lv2:ControlPort , lv2:OutputPort ;
                lv2:index \(place) ; lv2:symbol "p_\(place)" ; lv2:name "P" ] ;

            """
        }
        let bundle = try Bundle.made("urn:made", library: "file://\(Self.wah)", more: ports.joined())
        let error = try sentence(bundle, "urn:made")
        #expect(error?.kind == .unusable && error?.description.contains("more than 4096 ports") == true)
    }

    /// lilv would make room for them: 1.6 GB of the first, and it would end the program with the second.
    @Test(arguments: [200_000_000, -1])
    func `an index that no host has room for`(_ index: Int) throws {
        let port = """
            lv2:port [ a lv2:ControlPort , lv2:OutputPort ;
                lv2:index \(index) ; lv2:symbol "far" ; lv2:name "Far" ] ;

            """
        let bundle = try Bundle.made("urn:made", library: "file://\(Self.wah)", more: port)
        let error = try sentence(bundle, "urn:made", channels: 1)
        #expect(error?.kind == .unusable && error?.description.contains("more than 4096 ports") == true)
    }

    /// lilv knows none of its ports then.
    @Test(arguments: ["lv2:symbol \"far\" ;", "lv2:index 2 ;", "lv2:index 3 ; lv2:symbol \"far\" ;"])
    func `a port without an index or a symbol, or an index that is left out`(_ words: String) throws {
        let port = "lv2:port [ a lv2:ControlPort , lv2:OutputPort ; \(words) lv2:name \"Far\" ] ;\n"
        let bundle = try Bundle.made("urn:made", library: "file://\(Self.wah)", more: port)
        let error = try sentence(bundle, "urn:made", channels: 1)
        #expect(error?.kind == .unusable)
        #expect(error?.description.contains("has a port without a symbol or an index") == true)
    }

    @Test func `broken Turtle is left out`() throws {
        let bundle = try Bundle.made("urn:made", library: "file://\(Self.wah)")
        try "@prefix lv2: <oops\n . ]]".write(
            toFile: bundle.folder("made.lv2/manifest.ttl"), atomically: true, encoding: .utf8)
        #expect(try bundle.list.uris.isEmpty)
        #expect(try sentence(bundle, "urn:made")?.kind == .missing)
    }

    /// No text leads to either, but lilv would read it: the description is a pipe, which has no end.
    @Test func `a name that is no UTF-8, of a bundle or of a description, leaves the bundle out, and that is told`()
        throws
    {
        let folder = try TemporaryFolder()
        func path(_ start: String, _ end: String) -> [CChar] {
            Array(start.utf8CString.dropLast()) + [CChar(bitPattern: 0xff)] + Array(end.utf8CString)
        }
        let (bundle, description) = (path(folder("one"), ".lv2"), path(folder("two.lv2/more"), ".ttl"))
        try FileManager.default.createDirectory(atPath: folder("two.lv2"), withIntermediateDirectories: false)
        try put([], at: folder("two.lv2/manifest.ttl"))
        try #require(mkdir(bundle, 0o700) == 0 && mkfifo(description, 0o600) == 0)
        // What removes the folder may not know them.
        defer {
            rmdir(bundle)
            unlink(description)
        }
        let bundles = PluginBundles(path: folder.path)
        #expect(bundles.readable.isEmpty && bundles.refusals.count == 2)
        #expect(bundles.refusals.contains { $0.hasSuffix(" is left out: its folder cannot be listed") })
        let refusal = bundles.refusals.first { $0.hasPrefix("\(folder("two.lv2"))/ is left out: its more") }
        #expect(refusal?.hasSuffix(".ttl cannot be looked at") == true, "\(bundles.refusals)")
    }

    @Test func `a library that would have to run to list its plug-ins does not run`() throws {
        let bundle = try Bundle.made("urn:made", library: "file://\(Self.wah)")
        let source = "#include <stdlib.h>\nint lv2_dyn_manifest_open(void) { abort(); }\n"
        try source.write(toFile: bundle.folder("made.lv2/list.c"), atomically: true, encoding: .utf8)
        try CompiledLibrary.make(["clang", bundle.folder("made.lv2/list.c")], at: bundle.folder("made.lv2/list.so"))
        let path = bundle.folder("made.lv2/manifest.ttl")
        let manifest = try String(contentsOfFile: path, encoding: .utf8)
        let dynamic = "<urn:list> a <http://lv2plug.in/ns/ext/dynmanifest#DynManifest> ; lv2:binary <list.so> ."
        try (manifest + "\n" + dynamic).write(toFile: path, atomically: true, encoding: .utf8)
        #expect(try bundle.list.uris == ["urn:made"])
    }

    @Test func `more channels than there are`() throws {
        let error = #expect(throws: PluginError.self) { try Plugin("fomp/reverb", channels: 1) }
        #expect(error?.kind == .channels && error?.description.contains("use 2 channels") == true)
        // Where the engine says how many, the sound goes by.
        let plugin = try Plugin("fomp/reverb")
        let engine = try Engine.hosting(plugin)
        #expect(try engine.render([0.5, 0.25]) == [0.5, 0.25] && plugin.failure?.kind == .channels)
    }

    @Test func `short names are unique, and every plug-in that is installed can be described`() throws {
        let list = try PluginList.installed()
        #expect(try list.info("fomp/autowah").uri == "http://drobilla.net/plugins/fomp/autowah")
        #expect(Set(list.names).count == list.names.count)
        let plugins = list.plugins()
        #expect(plugins.count == list.uris.count && plugins.count > 100)
        for plugin in plugins {
            let names = plugin.controls.compactMap(\.parameter?.name)
            #expect(Set(names).count == names.count, "\(plugin.uri)")
            for control in plugin.controls {
                if let info = control.parameter { #expect(info.accepts(info.initial), "\(plugin.uri) \(info)") }
            }
        }
        // Of one bundle: each list reads all descriptions again.
        let folder = try TemporaryFolder()
        try FileManager.default.createSymbolicLink(
            atPath: folder("fomp.lv2"), withDestinationPath: "/usr/lib/lv2/fomp.lv2")
        let few = try PluginList(path: folder.path)
        #expect(few.plugins(matching: "AUTOwah").map(\.shortName) == ["fomp/autowah"] && few.uris.count > 10)
    }
}
