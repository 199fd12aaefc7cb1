import AudioDSP
import AudioIO
import TestSupport
import Testing

@Suite("Compressor and limiter in an engine") struct DynamicsNodeTests {
    private func engine(with node: some Node) throws -> Engine {
        let engine = try offlineEngine(rampFrames: 0)
        engine.attach(node)
        try engine.change {
            try engine.connect(engine.input, to: node)
            try engine.connect(node, to: engine.output)
        }
        return engine
    }

    @Test func `a compressor does what it is told, at once and later, and tells its reduction`() throws {
        let compressor = Compressor(CompressorSetting(threshold: -20, ratio: 2, knee: 0, attack: 1, release: 10))
        let engine = try engine(with: compressor)
        let heard = try engine.render(ones(4800))
        // 20 dB above the threshold, 10 of them are left.
        #expect(abs(Decibels.decibels(Double(heard[4799])) + 10) < 0.05)
        #expect(abs(compressor.reductionDecibels - 10) < 0.05)
        compressor.ratio = 4
        try compressor.parameters.first { $0.info.name == "makeup" }?.set(.number(5))
        #expect(compressor.setting.makeUp == 5)
        #expect(abs(Decibels.decibels(Double(try engine.render(ones(4800))[4799])) + 10) < 0.05)
        compressor.isBypassed = true
        _ = try engine.render(ones(480))
        let plain = try engine.render(ones(480))
        #expect(plain == ones(480) && compressor.reductionDecibels == 0)
    }

    @Test func `a limiter declares its latency, which parallel ways make up for`() throws {
        let limiter = Limiter(LimiterSetting(ceiling: -6, release: 20))
        let engine = try engine(with: limiter)
        let beside = engine.attach(Gain())
        try engine.change {
            try engine.connect(engine.input, to: beside)
            try engine.connect(beside, to: engine.output)
        }
        var impulse = [Float](repeating: 0, count: 2000)
        impulse[1000] = 0.25
        let heard = try engine.render(impulse)
        #expect(Limiter.latencyFrames == 119 && engine.latencyFrames == 119)
        #expect(heard.indices.filter { heard[$0] != 0 } == [1119] && heard[1119] == 0.5)
        engine.disconnect(beside, from: engine.output)
        // The ways fade, and the limiter's delay has to be filled.
        _ = try engine.render(ones(4800))
        let limited = try engine.render(ones(4800))
        #expect(limited.allSatisfy { abs(Decibels.decibels(Double($0)) + 6) < 0.05 })
        #expect(abs(limiter.reductionDecibels - 6) < 0.05)
    }

    @Test func `what is set while they do not run holds from the first frame`() throws {
        let limiter = Limiter(LimiterSetting(ceiling: -20, release: 20))
        let compressor = Compressor(CompressorSetting(threshold: -40, ratio: 10, makeUp: 20))
        for (engine, latency) in try [(engine(with: limiter), 119), (engine(with: compressor), 0)] {
            _ = try engine.render(ones(480))
            engine.stop()
            limiter.isBypassed = true
            compressor.isBypassed = true
            try engine.start()
            #expect(try engine.render(ones(480)).dropFirst(latency) == ones(480 - latency)[...])
        }
    }

    @Test(arguments: [8000, 48_000, 192_000]) func `the limiter's bypass takes 10 ms at any rate`(sampleRate: Int)
        throws
    {
        let limiter = Limiter(LimiterSetting(ceiling: -20, release: 20))
        let engine = try offlineEngine(sampleRate: sampleRate, rampFrames: 0)
        engine.attach(limiter)
        try engine.change {
            try engine.connect(engine.input, to: limiter)
            try engine.connect(limiter, to: engine.output)
        }
        _ = try engine.render(ones(sampleRate / 4))
        limiter.isBypassed = true
        let heard = try engine.render(ones(sampleRate / 50))
        let first = try #require(heard.firstIndex { $0 == 1 })
        #expect(abs(first - sampleRate / 100) <= 1)
    }
}
