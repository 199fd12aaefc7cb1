import AudioIO
import AudioPlugins
import Foundation
import TestSupport

/// A bundle of a test's own, and the list that has nothing else.
struct Bundle {
    let folder: TemporaryFolder

    /// With the probe, compiled. `note` of it, and so on: see Bundles/probe.lv2.
    static func probe() throws -> Bundle { try Bundle(folder: ProbeBundle.folder()) }

    /// With a manifest that says that a plug-in is in a library, and more about it.
    static func made(_ uri: String, library: String, more: String = "") throws -> Bundle {
        let bundle = try Bundle(folder: TemporaryFolder())
        try FileManager.default.createDirectory(atPath: bundle.folder("made.lv2"), withIntermediateDirectories: true)
        let manifest = """
            @prefix lv2: <http://lv2plug.in/ns/lv2core#> .
            @prefix doap: <http://usefulinc.com/ns/doap#> .
            @prefix pg: <http://lv2plug.in/ns/ext/port-groups#> .
            <\(uri)> a lv2:Plugin ; doap:name "Made" ; lv2:binary <\(library)> ; \(more) lv2:port [
                a lv2:AudioPort , lv2:InputPort ; lv2:index 0 ; lv2:symbol "in" ; lv2:name "In"
            ] , [ a lv2:AudioPort , lv2:OutputPort ; lv2:index 1 ; lv2:symbol "out" ; lv2:name "Out" ] .
            """
        try manifest.write(toFile: bundle.folder("made.lv2/manifest.ttl"), atomically: true, encoding: .utf8)
        return bundle
    }

    var list: PluginList { get throws { try PluginList(path: folder.path) } }

    func plugin(channels: Int = 1, maximumFrames: Int = 1024) throws -> Plugin {
        try Plugin("urn:iounit:probe", channels: channels, maximumFrames: maximumFrames, in: list)
    }
}

extension Engine {
    /// An offline engine that has the node between its input and its output.
    static func hosting(_ node: some Node, channels: Int = 1, periodFrames: Int = 256) throws -> Engine {
        let engine = try Engine(
            offline: 48_000, inputs: channels, outputs: channels, rampMilliseconds: 0.001, periodFrames: periodFrames)
        engine.attach(node)
        try engine.connect(engine.input, to: node)
        try engine.connect(node, to: engine.output)
        try engine.start()
        return engine
    }

    func render(_ signal: [Float]) throws -> [Float] { try render(signal.count, input: [signal])[0] }
}

extension Plugin {
    func set(_ name: String, _ number: Double) throws {
        guard let parameter = parameters.first(where: { $0.info.name == name }) else {
            throw DidNotHappen(description: "\(info.shown) has no parameter \(name)")
        }
        try parameter.set(parameter.info.value(number))
    }

    func meter(_ name: String) -> Float? { meters.first { $0.info.name == name }?.value }
}
