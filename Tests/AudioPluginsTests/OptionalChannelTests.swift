import AudioIO
import TestSupport
import Testing

@testable import AudioPlugins

/// By `stereo`, whose right channel may be left unconnected: see Bundles/stereo.lv2.
@Suite("Channels that may be left unconnected") struct OptionalChannelTests {
    private func plugin(channels: Int) throws -> Plugin {
        let bundle = try Bundle(folder: ProbeBundle.folder("stereo"))
        return try Plugin("urn:iounit:stereo", channels: channels, in: bundle.list)
    }

    @Test func `a group makes them channels, and a side chain without a group is none`() throws {
        let info = try plugin(channels: 2).info
        #expect(info.inputs == 2 && info.outputs == 2)
        #expect(info.ports.filter(\.isChannel).map(\.symbol) == ["in_l", "in_r", "out_l", "out_r"])
    }

    @Test(arguments: [
        ("", "", [String]()), ("pg:group <urn:g> ;", "", []),
        ("pg:group <urn:g> ;", "pg:mainInput <urn:g> ;", ["more"]),
        ("pg:group <urn:g> ; lv2:portProperty lv2:isSideChain ;", "pg:mainInput <urn:g> ;", []),
        ("pg:group <urn:other> ;", "pg:mainOutput <urn:g> ;", []),
    ])
    func `alone in its group, only the main one makes it a channel`(
        port: String, plugin: String, expected: [String]
    ) throws {
        let more = """
            \(plugin) lv2:port [ a lv2:AudioPort , lv2:InputPort ; lv2:index 2 ; lv2:symbol "more" ; lv2:name "More" ;
                \(port) lv2:portProperty lv2:connectionOptional ] ;
            """
        let info = try Bundle.made("urn:made", library: "made.so", more: more).list.info("urn:made")
        #expect(info.ports.filter { $0.isOptional && $0.isChannel }.map(\.symbol) == expected)
    }

    @Test func `both channels go through one instance`() throws {
        let plugin = try plugin(channels: 2)
        let engine = try Engine.hosting(plugin, channels: 2)
        #expect(try engine.render(2, input: [[0.1, 0.2], [0.3, 0.4]]) == [[0.2, 0.4], [0.6, 0.8]])
        #expect(plugin.instanceCount == 1)
    }

    @Test(arguments: [1, 3]) func `where they do not fit, they stay unconnected`(channels: Int) throws {
        let plugin = try plugin(channels: channels)
        let engine = try Engine.hosting(plugin, channels: channels)
        let sound = (0..<channels).map { [Float](repeating: 0.1 * Float($0 + 1), count: 2) }
        #expect(try engine.render(2, input: sound) == sound.map { $0.map { 2 * $0 } })
        #expect(plugin.instanceCount == channels)
    }
}
