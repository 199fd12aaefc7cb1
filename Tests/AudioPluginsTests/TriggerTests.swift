import AudioDSP
import AudioIO
import AudioPlugins
import TestSupport
import Testing

/// By `stereo`, which counts the blocks that saw its triggers: see Bundles/stereo.lv2.
@Suite("A trigger of a plug-in") struct TriggerTests {
    private let plugin: Plugin
    private let engine: Engine

    init() throws {
        let bundle = try Bundle(folder: ProbeBundle.folder("stereo"))
        plugin = try Plugin("urn:iounit:stereo", channels: 2, in: bundle.list)
        engine = try Engine.hosting(plugin, channels: 2)
    }

    private func counts(_ frames: Int = 1024) throws -> [Float?] {
        _ = try engine.render(frames, input: [])
        return [plugin.meter("resets"), plugin.meter("jumps")]
    }

    @Test func `is an action, and of one block each time that it is set`() throws {
        let reset = try #require(plugin.parameters.first { $0.info.name == "reset" })
        #expect(reset.info == .action("reset", "Reset") && reset.value == .action)
        #expect(try counts() == [0, 0])
        for count in 1...3 {
            try reset.set(.action)
            // Four blocks.
            #expect(try counts() == [Float(count), 0])
            #expect(try counts() == [Float(count), 0])
        }
    }

    @Test func `of several numbers goes back to its initial one`() throws {
        let jump = try #require(plugin.parameters.first { $0.info.name == "jump" })
        #expect(jump.info == .number("jump", "Jump", -1...9, step: 1, initial: -1))
        try jump.set(.number(4))
        #expect(try counts() == [0, 4] && jump.value == .number(-1))
        try jump.set(.number(4))
        #expect(try counts() == [0, 8])
    }

    @Test func `is seen by each instance side by side`() throws {
        let bundle = try Bundle(folder: ProbeBundle.folder("stereo"))
        let plugin = try Plugin("urn:iounit:stereo", channels: 4, in: bundle.list)
        let engine = try Engine.hosting(plugin, channels: 4)
        try plugin.parameters.first { $0.info.name == "reset" }?.set(.action)
        func sound(_ number: Float) -> [[Float]] { Array(repeating: Array(repeating: number, count: 256), count: 4) }
        #expect(try engine.render(256, input: sound(0.125)) == sound(0.5) && plugin.instanceCount == 2)
        #expect(try engine.render(256, input: sound(0.125)) == sound(0.25))
    }

    @Test func `is in no state, and no preset sets it`() throws {
        try plugin.load(preset: "Reset, all=1")
        #expect(try counts() == [0, 0])
        try plugin.parameters.first { $0.info.name == "reset" }?.set(.action)
        let state = try plugin.savedState()
        #expect(!state.contains("\"reset\"") && !state.contains("\"jump\""), "\(state)")
        try plugin.restore(state)
        #expect(try counts() == [1, 0])
    }

    @Test func `that is set before the first block is seen by that`() throws {
        let bundle = try Bundle(folder: ProbeBundle.folder("stereo"))
        let plugin = try Plugin("urn:iounit:stereo", channels: 2, in: bundle.list)
        try plugin.parameters.first { $0.info.name == "reset" }?.set(.action)
        let engine = try Engine.hosting(plugin, channels: 2)
        _ = try engine.render(1024, input: [])
        #expect(plugin.meter("resets") == 1)
    }
}
