import AudioDSP
import AudioIO
import AudioRealtime
import TestSupport
import Testing

@Suite("An engine's nodes") struct EngineNodesTests {
    @Test func `render what is connected, and nothing else`() throws {
        let engine = try offlineEngine()
        let (half, loud) = (engine.attach(Gain(linear: 0.5)), engine.attach(Gain(linear: 4)))
        try engine.connect(engine.input, to: half)
        try engine.connect(half, to: engine.mixer)
        try engine.connect(engine.input, to: loud)
        #expect(try engine.render(ones(2000)).last == 0.5)
        try engine.connect(loud, to: engine.mixer)
        #expect(try engine.render(ones(2000)).last == 4.5)
    }

    @Test func `of a unit are input, shaper and output, and give the samples that the unit gives`() throws {
        var parameters = ShaperSetting()
        parameters.shape = .tanh
        parameters.drive = 3
        var generator = SeededGenerator(seed: 2000)
        let signal = generator.signal(count: 5000)
        let engine = try Engine(offline: 48_000, inputs: 1, outputs: 1)
        let shaper = engine.attach(Shaper(.tanh, driveDecibels: 20 * 0.47712125471966244))
        try engine.connect(engine.input, to: shaper)
        try engine.connect(shaper, to: engine.output)
        try engine.start()
        let rendered = try engine.render(signal)
        let plan = ShaperPlan(channels: 1, parameters: shaper.setting)
        #expect(abs(shaper.setting.drive - parameters.drive) < 1e-6)
        #expect(renderOnce(plan.makeRenderer(), signal) == rendered)
    }

    @Test func `change without a click while sound runs, one property after the other`() throws {
        let engine = try offlineEngine()
        let shaper = engine.attach(Shaper(.tanh))
        let gain = engine.attach(Gain())
        let delay = engine.attach(Delay(frames: 100, maximumFrames: 1000))
        try engine.connect(engine.input, to: shaper)
        try engine.connect(shaper, to: gain)
        try engine.connect(gain, to: delay)
        try engine.connect(delay, to: engine.output)
        var heard = try engine.render(ones(3000)).suffix(1)
        let changes: [() -> Void] = [
            { shaper.driveDecibels = 18 }, { shaper.shape = .hard }, { shaper.antialiasing = .adaa },
            { shaper.isMuted = true }, { shaper.isMuted = false }, { gain.decibels = -12 }, { gain.linear = 2 },
            { delay.frames = 700 }, { delay.frames = 0 }, { shaper.isBypassed = true }, { shaper.hasMakeUpGain = true },
        ]
        for change in changes {
            change()
            heard += try engine.render(ones(3000))
        }
        // Of a change of 4 at the most, over 480 frames, shaped by a slope of one.
        #expect(Array(heard).largestStep < 8.0 / 480)
        #expect(heard.last == 2)
    }

    @Test func `that nobody else holds sound all the same`() throws {
        let engine = try offlineEngine()
        func build() throws {
            let gain = engine.attach(Gain(linear: 0.25))
            try engine.connect(engine.input, to: gain)
            try engine.connect(gain, to: engine.mixer)
        }
        try build()
        #expect(try engine.render(ones(1000)).last == 0.25)
    }

    @Test func `are silent at an empty mixer, and heard once something is connected to it while it runs`() throws {
        let engine = try offlineEngine()
        let outer = engine.mixer
        #expect(try engine.render(ones(500)).allSatisfy { $0 == 0 })
        let inner = engine.attach(Mixer())
        try engine.connect(inner, to: outer)
        #expect(try engine.render(ones(500)).allSatisfy { $0 == 0 })
        try engine.connect(engine.input, to: inner)
        #expect(try engine.render(ones(1000)).last == 1)
    }

    @Test func `may be removed in any order, a mixer inside another one too, and what is not connected disconnected`()
        throws
    {
        let engine = try offlineEngine()
        let inner = engine.attach(Mixer())
        let stranger = Gain()
        try engine.connect(engine.input, to: inner)
        try engine.connect(inner, to: engine.mixer)
        engine.disconnect(inner, from: engine.output)
        engine.disconnect(stranger, from: inner)
        engine.detach(stranger)
        engine.detach(engine.output)
        var heard = try engine.render(ones(1000))
        engine.detach(inner)
        engine.detach(inner)
        #expect(!inner.isAttached)
        heard += try engine.render(ones(1000))
        #expect(heard[999] == 1 && heard.last == 0)
        #expect(heard.largestStep < 2.1 / 480, "both its connections faded out")
        engine.attach(inner)
        try engine.connect(engine.input, to: inner)
        try engine.connect(inner, to: engine.mixer)
        #expect(try engine.render(ones(1000)).last == 1, "and came back")
    }

    @Test func `change together where they are told to`() throws {
        let engine = try offlineEngine()
        let (a, b) = (engine.attach(Gain()), engine.attach(Gain()))
        try engine.connect(engine.input, to: a)
        try engine.connect(a, to: engine.mixer)
        _ = try engine.render(ones(1000))
        try engine.change { () throws(NodeError) in
            engine.disconnect(a, from: engine.mixer)
            try engine.connect(engine.input, to: b)
            try engine.connect(b, to: engine.mixer)
        }
        let heard = try engine.render(ones(1000))
        // The one comes as the other goes: their sum is 1 all the while.
        #expect(heard.allSatisfy { abs($0 - 1) < 1e-5 })
    }

    @Test func `that would close a loop without a delay are refused, and the error names the way`() throws {
        let engine = try offlineEngine()
        let (a, b) = (engine.attach(Gain(linear: 0.5)), engine.attach(Mixer()))
        try engine.connect(engine.input, to: b)
        try engine.connect(b, to: a)
        try engine.connect(a, to: engine.output)
        let error = #expect(throws: NodeError.self) { try engine.connect(a, to: b) }
        #expect(error == .loop(["mixer", "gain", "mixer"]))
        #expect(
            error?.description
                == "the connection closes a loop without a delay: mixer → gain → mixer; put a Delay into it")
        #expect(throws: NodeError.self) { try engine.connect(a, to: a) }
        #expect(try engine.render(ones(1000)).last == 0.5, "nothing has changed")

        let echo = engine.attach(Delay(frames: 300))
        try engine.connect(a, to: echo)
        try engine.connect(echo, to: b)
        let heard = try engine.render(ones(48_000)).last ?? 0
        #expect(abs(heard - 1) < 1e-4, "1/2 + 1/4 + 1/8 …")
    }

    @Test func `whose channels do not match are refused, and the error says what to insert`() throws {
        let engine = try offlineEngine(channels: 2)
        let (mono, stereo) = (engine.attach(Gain(channels: 1)), engine.attach(Gain()))
        let error = #expect(throws: NodeError.self) { try engine.connect(mono, to: stereo) }
        #expect(
            error?.description
                == "the gain of 1 channel does not fit the gain of 2 channels; put a Mixer(channels: 2) between them")
        #expect(throws: NodeError.self) { try engine.connect(engine.input, to: mono) }
        let narrow = engine.attach(Mixer(channels: 1))
        try engine.connect(engine.input, to: narrow)
        try engine.connect(narrow, to: mono)
        try engine.connect(mono, to: engine.mixer)
        let heard = try engine.render(1000, input: [ones(1000), [Float](repeating: 0.5, count: 1000)])
        #expect(heard.map(\.last) == [0.75, 0.75], "the mean, and then the same on both sides")
        #expect(throws: NodeError.wrongDirection("output")) { try engine.connect(engine.output, to: stereo) }
        #expect(throws: NodeError.wrongDirection("input")) { try engine.connect(stereo, to: engine.input) }
        #expect(throws: NodeError.notAttached("gain")) { try engine.connect(Gain(), to: stereo) }
    }

    @Test func `belong to one engine at a time`() throws {
        let (first, second) = (try offlineEngine(), try offlineEngine())
        let gain = first.attach(Gain())
        second.attach(gain)
        #expect(throws: NodeError.notAttached("gain")) { try second.connect(second.input, to: gain) }
        first.detach(gain)
        second.attach(gain)
        try second.connect(second.input, to: gain)
    }

    @Test func `of an engine that is gone can go to another`() throws {
        let gain = Gain()
        do {
            let engine = try offlineEngine()
            engine.attach(gain)
        }
        #expect(!gain.isAttached)
        let engine = try offlineEngine()
        engine.attach(gain)
        try engine.connect(engine.input, to: gain)
    }

    @Test func `are placed between two channels by a law`() throws {
        for (pan, left, right) in [(-1.0, 1, 0), (0, 0.70710678, 0.70710678), (1, 0, 1), (0.5, 0.38268343, 0.92387953)]
        {
            let engine = try Engine(offline: 48_000, inputs: 1, outputs: 2)
            try engine.connect(engine.input, to: engine.mixer, pan: pan)
            try engine.start()
            let heard = try engine.render(10, input: [ones(10)]).map { Double($0[9]) }
            #expect(abs(heard[0] - left) < 1e-6 && abs(heard[1] - right) < 1e-6, "pan \(pan)")
        }
        let engine = try offlineEngine(channels: 2)
        try engine.connect(engine.input, to: engine.mixer, gainDecibels: -20, pan: 0.75)
        #expect(
            try engine.render(1000, input: [ones(1000), ones(1000)]).map { ($0[999] * 1000).rounded() } == [25, 100])
        try engine.connect(engine.input, to: engine.mixer)
        let heard = try engine.render(1000, input: [ones(1000), ones(1000)])
        #expect(heard.map(\.last) == [1, 1] && heard.allSatisfy { $0.largestStep < 1.0 / 480 }, "in a ramp")
    }

    @Test
    func `stay aligned though one of them has latency, also where that changes while sound runs, and after a restart`()
        throws
    {
        let engine = try offlineEngine(rampFrames: 100)
        let shaper = engine.attach(Shaper(.off, antialiasing: .off))
        try engine.connect(engine.input, to: shaper)
        try engine.connect(shaper, to: engine.mixer)
        try engine.connect(engine.input, to: engine.mixer)
        func offset() throws -> [Int] {
            _ = try engine.render([Float](repeating: 0, count: 4000))
            let heard = try engine.render([1] + [Float](repeating: 0, count: 999))
            return heard.indices.filter { abs(heard[$0]) > 0.2 }
        }
        #expect(try offset() == [0])
        shaper.shape = .hard
        shaper.antialiasing = .best
        #expect(try offset() == [70], "the dry one waits for the other")
        #expect(engine.latencyFrames == 70)
        engine.stop()
        try engine.start()
        #expect(try offset() == [70])
        shaper.antialiasing = .off
        #expect(try offset() == [0])
        #expect(engine.latencyFrames == 0)
    }
}

/// What a unit makes of a signal in one cycle.
private func renderOnce(_ unit: consuming RenderUnit, _ signal: [Float]) -> [Float] {
    var unit = unit
    let planes = Planes(channels: 2, capacity: 8192)
    let (input, output) = (planes.run(0, count: signal.count), planes.run(1, count: signal.count))
    for frame in signal.indices { input[frame] = signal[frame] }
    unit.inputs.set(0, to: input.baseAddress)
    unit.outputs.set(0, to: output.baseAddress)
    unit.render(frames: signal.count, frameTime: 0, entryNanoseconds: 0)
    return signal.indices.map { output[$0] }
}
