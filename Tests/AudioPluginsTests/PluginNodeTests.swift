import AudioDSP
import AudioIO
import AudioRealtime
import TestSupport
import Testing
import Threads

@testable import AudioPlugins

@Suite("A plug-in in an engine") struct PluginNodeTests {
    @Test func `a counter that has gone backwards tells of no run`() {
        let longest = LongestRun()
        longest.note(ticks: 1000, frames: 64, sampleRate: 48_000)
        longest.note(ticks: 0 &- 5, frames: 64, sampleRate: 48_000)
        #expect(
            longest.take(.shared).nanoseconds < 1_000_000,
            "1000 ticks, and not as many as there can be")
    }

    @Test func `its ports are parameters, with range, taper, unit and words`() throws {
        let plugin = try Bundle.probe().plugin()
        let infos = plugin.parameters.map(\.info)
        #expect(
            infos.map(\.name) == [
                "bypass", "gain", "broken", "delay", "rounds", "job", "mode", "cutoff", "burn", "counts",
            ])
        #expect(infos[1] == .number("gain", "Gain", 0...4, initial: 1))
        #expect(infos[2] == .flag("broken", "Writes NaN"))
        #expect(infos[3] == .number("delay", "Delay", 0...500, unit: "frames", step: 1))
        #expect(infos[6] == .choice("mode", "Mode", ["low-pass", "high-pass-12-db"], initial: "low-pass"))
        // The bounds are parts of the rate, and the initial value is not.
        guard case .number(let range, "Hz", _, .logarithmic) = infos[7].kind else {
            return #expect(Bool(false), "\(infos[7])")
        }
        #expect(abs(range.lowerBound - 48) < 0.01 && range.upperBound == 24_000 && infos[7].initial == .number(1000))
        #expect(plugin.meters.map(\.info.name) == ["answer", "longest", "note"])
        try plugin.set("delay", 3.7)
        #expect(plugin.parameters[3].value == .number(4))
        #expect(throws: ParameterError.self) { try plugin.set("gain", 5) }
        try plugin.parameters[6].set(.choice("high-pass-12-db"))
        #expect(plugin.parameters[6].value == .choice("high-pass-12-db"))
    }

    @Test func `a parameter is heard from the next block on`() throws {
        let plugin = try Bundle.probe().plugin()
        let engine = try Engine.hosting(plugin)
        #expect(try engine.render([Float](repeating: 0.25, count: 512)) == [Float](repeating: 0.25, count: 512))
        try plugin.set("gain", 3)
        #expect(try engine.render([Float](repeating: 0.25, count: 512)) == [Float](repeating: 0.75, count: 512))
    }

    @Test func `a plug-in of one channel is run for each channel`() throws {
        let plugin = try Bundle.probe().plugin(channels: 3)
        let engine = try Engine.hosting(plugin, channels: 3)
        try plugin.set("gain", 2)
        let output = try engine.render(2, input: [[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])
        #expect(output == [[0.2, 0.4], [0.6, 0.8], [1, 1.2]] && plugin.instanceCount == 3)
    }

    @Test func `its latency is declared, aligned, and declared again when it changes`() throws {
        let plugin = try Bundle.probe().plugin()
        #expect(plugin.latencyFrames == 0)
        try plugin.set("delay", 100)
        let engine = try Engine.hosting(plugin)
        let beside = engine.attach(Gain())
        try engine.connect(engine.input, to: beside)
        try engine.connect(beside, to: engine.output)
        func places() throws -> [Int] {
            var impulse = [Float](repeating: 0, count: 4000)
            impulse[1000] = 0.25
            let heard = try engine.render(impulse)
            return heard.indices.filter { heard[$0] != 0 }
        }
        // From the first frame on: a recorder asks before anything is rendered.
        #expect(plugin.latencyFrames == 100)
        #expect(try places() == [1100] && engine.latencyFrames == 100)
        try plugin.set("delay", 300)
        _ = try engine.render([Float](repeating: 0, count: 4000))
        #expect(try places() == [1300] && engine.latencyFrames == 300)
    }

    @Test func `bypassed, the sound goes by bit for bit and as late`() throws {
        let plugin = try Bundle.probe().plugin()
        try plugin.set("delay", 50)
        try plugin.set("gain", 3)
        let engine = try Engine.hosting(plugin)
        _ = try engine.render([Float](repeating: 0, count: 1000))
        plugin.isBypassed = true
        _ = try engine.render([Float](repeating: 0, count: 1000))
        var generator = SeededGenerator(seed: 3)
        let signal = generator.signal(count: 1000)
        let heard = try engine.render(signal)
        #expect(Array(heard[50...]) == Array(signal[..<950]))
    }

    @Test func `longer blocks are given to it in parts`() throws {
        let plugin = try Bundle.probe().plugin(maximumFrames: 100)
        let engine = try Engine.hosting(plugin, periodFrames: 1000)
        var generator = SeededGenerator(seed: 4)
        let signal = generator.signal(count: 2500)
        #expect(try engine.render(signal) == signal)
        #expect(plugin.meter("longest") == 100)
    }

    @Test func `its longest run is known, with the period that it was in`() throws {
        let plugin = try Bundle.probe().plugin(channels: 2, maximumFrames: 100)
        #expect(
            plugin.longestRun == PluginRunTime(nanoseconds: 0, periodNanoseconds: 0) && plugin.longestRun.share == 0)
        let engine = try Engine.hosting(plugin, channels: 2, periodFrames: 250)
        _ = try engine.render(250, input: [])
        // Longer than a busy machine holds the other cycles up.
        try plugin.set("burn", 50)
        _ = try engine.render(240, input: [])
        try plugin.set("burn", 0)
        _ = try engine.render(1000, input: [])
        // Of two instances in three parts, and of the cycle's length.
        let longest = plugin.longestRun
        #expect(longest.nanoseconds >= 299_000_000 && longest.periodNanoseconds == 5_000_000 && longest.share >= 59)
        #expect(plugin.takeRecentRun() == longest && plugin.takeRecentRun().nanoseconds == 0)
        _ = try engine.render(48, input: [])
        #expect(plugin.takeRecentRun().periodNanoseconds == 1_000_000 && plugin.longestRun == longest)
        // At another rate as many frames would last another time, but they were rendered at that one.
        plugin.core.driver.follow(
            NodeFormat(channels: 2, sampleRate: 96_000, rampMilliseconds: 0, hasWorkers: false))
        #expect(plugin.takeNotices().contains("made at 96000 Hz") && plugin.longestRun == longest)
    }

    @Test func `the time of a run is counted as the system's clock has it`() {
        let clock = PluginClock.shared
        // Between two readings of the system's clock each, wherever this thread loses its processor.
        let (before, ticks, after) = (MonotonicClock.nanoseconds(), clock.ticks, MonotonicClock.nanoseconds())
        // A tenth of a per cent of this is far more than a reading may be off. Nothing is waited for.
        MonotonicClock.sleep(milliseconds: 50)
        let (early, end, late) = (MonotonicClock.nanoseconds(), clock.ticks, MonotonicClock.nanoseconds())
        let counted = Double(clock.nanoseconds(end - ticks))
        #expect(counted >= Double(early - after) * 0.999 && counted <= Double(late - before) * 1.001)
    }

    @Test func `what is not finite becomes silence and is counted`() throws {
        let plugin = try Bundle.probe().plugin()
        let engine = try Engine.hosting(plugin)
        try plugin.set("broken", 1)
        #expect(try engine.render([1, 1, 1]) == [0, 0, 0] && plugin.nonFiniteSamples == 3)
        try plugin.set("broken", 0)
        #expect(try engine.render([1, 1, 1]) == [1, 1, 1] && plugin.nonFiniteSamples == 3)
    }

    #if arch(x86_64)
        @Test func `a change of the rounding does not leave it`() throws {
            let plugin = try Bundle.probe().plugin()
            let engine = try Engine.hosting(plugin)
            // Rounded to the nearest, a third has its last bit set.
            let three = try #require(Float("3"))
            try plugin.set("rounds", 1)
            let after = engine.attach(Processor(Thirds(three), channels: 1, process: thirds))
            engine.disconnect(plugin, from: engine.output)
            try engine.connect(plugin, to: after)
            try engine.connect(after, to: engine.output)
            _ = try engine.render([Float](repeating: 1, count: 4000))
            #expect(try engine.render([1, 1, 1]).last == 1 / three)
        }
    #endif

    @Test func `its worker answers, and it hears MIDI and logs`() throws {
        let plugin = try Bundle.probe().plugin(channels: 2)
        #expect(plugin.takeNotices() == ["made at 48000 Hz"])
        let engine = try Engine.hosting(plugin, channels: 2)
        #expect(plugin.takeNotices() == ["made at 48000 Hz"])
        try plugin.set("job", 7)
        #expect(plugin.send(MIDIMessage(0x90, 61, 100)))
        // Asked in the first block, done before the second, and taken in it, shown by the third.
        _ = try engine.render(3 * 256, input: [])
        #expect(plugin.meter("answer") == 70 && plugin.meter("note") == 61)
    }

    @Test func `is not deactivated while its worker works`() throws {
        let bundle = try Bundle.probe()
        defer { withExtendedLifetime(bundle) {} }
        let list = try bundle.list
        let info = try list.info("urn:iounit:probe")
        let controls = PluginControls(info.ports)
        let instance = try PluginInstance(
            info, list.world, PluginLog(), sampleRate: 48_000, maximumFrames: 256, controls.values, snapshot: nil)
        let side = unsafe instance.side
        let (job, answer) = (7, 8)
        // Which takes its worker 0.3 s.
        controls.values.set(job, to: 1000)
        unsafe side.pointee.readControls(controls.values)
        #expect(unsafe side.pointee.run(frames: 64, outputs: 1))
        let worker = try Worker("works") { instance.work() }
        // No event tells that it is at it. Where it has not begun by then, one comes after the other, and nothing is tested.
        MonotonicClock.sleep(milliseconds: 100)
        instance.restart()
        worker.join()
        // Taken behind one block, and shown by the next.
        for _ in 0..<2 { #expect(unsafe side.pointee.run(frames: 64, outputs: 1)) }
        unsafe side.pointee.publishMeters(controls.values)
        #expect(controls.values[answer] == 10_000)
    }

    @Test func `presets set parameters, within their ranges, and what it keeps`() throws {
        let plugin = try Bundle.probe().plugin()
        let engine = try Engine.hosting(plugin)
        #expect(plugin.presets.map(\.name) == ["Kept", "Loud"])
        try plugin.load(preset: "Loud")
        #expect(plugin.parameters[1].value == .number(3) && plugin.parameters[3].value == .number(500))
        try plugin.set("delay", 0)
        try plugin.load(preset: "Kept")
        _ = try engine.render([Float](repeating: 1, count: 2560))
        #expect(try engine.render([1]) == [2] && plugin.meter("note") == 64)
        #expect(throws: PluginError.self) { try plugin.load(preset: "Nothing") }
    }

    @Test func `its state survives`() throws {
        let bundle = try Bundle.probe()
        let plugin = try bundle.plugin()
        let engine = try Engine.hosting(plugin)
        try plugin.set("gain", 2.5)
        plugin.send(MIDIMessage(0x90, 33, 1))
        _ = try engine.render([1])
        let text = try plugin.savedState()
        let other = try bundle.plugin()
        try other.restore(text)
        let second = try Engine.hosting(other)
        #expect(try second.render([1]) == [2.5] && other.meter("note") == 33)
        // What it has its worker load is there in the first block.
        #expect(other.meter("answer") == 330)
        #expect(throws: PluginError.self) { try other.restore("nonsense") }
        #expect(throws: PluginError.self) { try other.restore("") }
        #expect(try plugin.ownState() == text)
        // Whatever is missing of it, it is taken or refused.
        for end in 0..<text.count { try? other.restore(String(text.prefix(end))) }
        // Statements that are none of a state, at which lilv alone crashes; a state of nothing; one without its end.
        for broken in [
            "<urn:a> <urn:b> <urn:c> .", "<urn:a> a <http://lv2plug.in/ns/ext/presets#Preset> .",
            String(text.prefix(text.count / 2)),
        ] {
            #expect(throws: PluginError.self) { try other.restore(broken) }
        }
        #expect(throws: PluginError.self) { try other.restore(text.replacing("urn:iounit:probe", with: "urn:other")) }
    }

    @Test func `tells at which frame its latency has become another one`() throws {
        let plugin = try Bundle.probe().plugin(maximumFrames: 100)
        let engine = try Engine.hosting(plugin)
        _ = try engine.render([Float](repeating: 0, count: 1000))
        #expect(plugin.takeLatencyChange() == nil)
        try plugin.set("delay", 40)
        _ = try engine.render([Float](repeating: 0, count: 256))
        try plugin.set("delay", 50)
        _ = try engine.render([Float](repeating: 0, count: 256))
        #expect(plugin.takeLatencyChange() == 1256 && plugin.latencyFrames == 50, "the last of the two")
        #expect(plugin.takeLatencyChange() == nil)
    }

    @Test func `a bypass is as late as the plug-in, however late that becomes`() throws {
        let plugin = try Plugin("lookahead_limiter-swh/lookaheadLimiter", channels: 2)
        // What it remembers is as long as this, and has to grow.
        try plugin.set("delay_s", 0.01)
        let engine = try Engine.hosting(plugin, channels: 2)
        plugin.isBypassed = true
        var generator = SeededGenerator(seed: 29)
        let signal = generator.signal(count: 400_000, magnitude: 0.5)
        var (heard, done) = ([Float](), 0)
        for seconds in [0.01, 1.9, 0.5] {
            try plugin.set("delay_s", seconds)
            let count = seconds == 1.9 ? 200_000 : 100_000
            let part = Array(signal[done..<done + count])
            heard += try engine.render(count, input: [part, part])[0]
            done += count
            let latency = plugin.latencyFrames
            #expect(abs(Double(latency) - seconds * 48_000) <= 1)
            #expect(heard.suffix(1000) == signal[done - 1000 - latency..<done - latency], "\(seconds) s")
            // Nowhere is more silent than the latency that it begins with.
            #expect(heard.dropFirst(481).allSatisfy { $0 != 0 }, "\(seconds) s")
        }
    }

    @Test func `what a bypass remembers is as long as the plug-in is late`() {
        func capacity(_ dry: DryExchange) -> Int { dry.newest.pointee.capacity }
        #expect(capacity(DryExchange(channels: 2, latencyFrames: nil)) == 1)
        let dry = DryExchange(channels: 2, latencyFrames: 300)
        #expect(capacity(dry) == 8192, "no more memory than for one of 0")
        dry.reach(latencyFrames: 8192)
        #expect(capacity(dry) == 8192)
        dry.reach(latencyFrames: 20_000)
        #expect(capacity(dry) == 40_000)
        dry.reach(latencyFrames: 100)
        #expect(capacity(dry) == 40_000)
        dry.reach(latencyFrames: 500_000)
        #expect(capacity(dry) == 524_287)
    }

    @Test func `one with nothing beside its parameters has no state of its own`() throws {
        let plugin = try Plugin("fomp/autowah", channels: 1)
        #expect(try plugin.ownState() == nil)
        #expect(try plugin.savedState().contains("drive"))
    }
}

private struct Thirds: AudioProcessor {
    let three: Float
    init(_ three: Float) { self.three = three }

    mutating func process(_ block: borrowing ProcessorBlock) {
        for frame in 0..<block.frames { block[0, frame] /= three }
    }
}

@_noLocks @_noAllocation
private func thirds(_ call: ProcessorCall) { call.process(Thirds.self) }
