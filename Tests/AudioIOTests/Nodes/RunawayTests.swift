import AudioDSP
import Glibc
import TestSupport
import Testing

@testable import AudioIO

@Suite("Sound that grows beyond all bounds within an engine") struct RunawayTests {
    private func troubles(of engine: Engine) -> Int {
        engine.events.count {
            if case .trouble(let words) = $0.kind { words.contains("beyond all bounds") } else { false }
        }
    }

    /// An engine that runs, whose sound goes through these nodes, one after the other.
    private func running(through nodes: [any Node]) throws -> Engine {
        let engine = try offlineEngine()
        var last: any Node = engine.input
        for node in nodes {
            engine.attach(node)
            try engine.connect(last, to: node)
            last = node
        }
        try engine.connect(last, to: engine.mixer)
        engine.stop()
        try engine.start()
        return engine
    }

    private func impulse(_ count: Int) -> [Float] { [1] + [Float](repeating: 0, count: count - 1) }

    @Test func `is silenced in a loop that amplifies, counted and told, and the loop is as new`() throws {
        let engine = try offlineEngine()
        let echo = engine.attach(Delay(frames: 10))
        try engine.connect(engine.input, to: engine.mixer)
        try engine.connect(engine.mixer, to: echo, gainDecibels: 6)
        try engine.connect(echo, to: engine.mixer)
        engine.stop()
        try engine.start()
        let heard = try engine.render(impulse(20_000))
        #expect(heard.allSatisfy { abs($0) <= 2e13 }, "\(heard.first { !(abs($0) <= 2e13) } ?? 0)")
        #expect((heard.map(abs).max() ?? 0) > 1e12, "it has grown")
        #expect(heard.suffix(10_000).allSatisfy { $0 == 0 })
        let totals = engine.meters.totals(0)
        #expect(totals.peak.isFinite && totals.sumOfSquares.isFinite)
        #expect(engine.graph.runawaySamples > 0 && troubles(of: engine) == 1)

        try engine.connect(engine.mixer, to: echo, gainDecibels: -6)
        _ = try engine.render([Float](repeating: 0, count: 1000))
        let half = Float(Decibels.linear(-6))
        let again = try engine.render(impulse(100))
        for round in 0..<10 { #expect(abs(again[10 * round] - pow(half, Float(round))) < 1e-6) }
        #expect(troubles(of: engine) == 1)
    }

    @Test func `does not stick in the filters behind gains, which are as new once the gains are lower`() throws {
        func engine(_ gains: [Gain]) throws -> Engine {
            let filters = Equaliser([EqualiserBand(.peak, hertz: 500, decibels: 6)])
            return try running(through: gains as [any Node] + [filters, Shaper(.tanh, antialiasing: .best)])
        }
        // 1000¹⁴ is beyond what a sample can be.
        let gains = (0..<14).map { _ in Gain(decibels: 60) }
        let spoilt = try engine(gains)
        let loud = try spoilt.render((0..<3000).map { Float(sin(Double($0) / 10)) })
        #expect(loud.allSatisfy { $0.isFinite })
        #expect(spoilt.graph.runawaySamples > 0 && troubles(of: spoilt) == 1)
        for gain in gains { gain.decibels = 0 }
        _ = try spoilt.render([Float](repeating: 0, count: 48_000))
        let whole = try engine([])
        _ = try whole.render([Float](repeating: 0, count: 48_000 + 3000))
        var generator = SeededGenerator(seed: 5)
        let signal = generator.signal(count: 2000)
        let difference = zip(try spoilt.render(signal), try whole.render(signal)).map { abs($0 - $1) }.max() ?? 1
        #expect(difference < 1e-6)
    }

    @Test func `is silence at the outputs as soon as an input would take it for none, though it is finite`() throws {
        // 220 dB are 1e11.
        let gains = [Gain(decibels: 60), Gain(decibels: 60), Gain(decibels: 60), Gain(decibels: 40)]
        let engine = try running(through: gains)
        let heard = try engine.render([Float](repeating: 99, count: 100) + [Float](repeating: 1e3, count: 100))
        #expect(heard.prefix(100).allSatisfy { abs($0 / 9.9e12 - 1) < 1e-3 }, "\(heard[0])")
        #expect(heard.suffix(100).allSatisfy { $0 == 0 } && engine.graph.runawaySamples == 100)
        #expect(engine.meters.totals(0).peak <= 1e13)
    }

    @Test func `is silenced between shapers in a row, unless a curve is behind it`() throws {
        // 240 dB are 1e12.
        let loud = (0..<4).map { _ in Shaper(.off) }
        for shaper in loud { shaper.gainDecibels = 60 }
        let engine = try running(through: loud + [Shaper(.cubic)])
        let sound = [Float](repeating: 99, count: 100) + [Float](repeating: 1, count: 100)
        let heard = try engine.render(sound)
        #expect(heard.prefix(100).allSatisfy { $0 == 0 } && heard.suffix(100).allSatisfy { $0 == 1 }, "\(heard[0])")
        #expect(engine.graph.runawaySamples == 100)
        loud[3].shape = .cubic
        _ = try engine.render([Float](repeating: 0, count: 48_000))
        #expect(try engine.render(sound).allSatisfy { $0 == 1 } && engine.graph.runawaySamples == 100)
        loud[3].shape = .off
        _ = try engine.render([Float](repeating: 0, count: 48_000))
        #expect(try engine.render(sound).prefix(100).allSatisfy { $0 == 0 } && engine.graph.runawaySamples == 200)
    }

    @Test func `is silence at the outputs, where nothing is behind that remembers`() throws {
        let engine = try running(through: (0..<14).map { _ in Gain(decibels: 60) })
        #expect(try engine.render(ones(1000)).allSatisfy { $0 == 0 })
        #expect(engine.meters.totals(0).sumOfSquares == 0 && engine.graph.runawaySamples == 1000)
    }
}
