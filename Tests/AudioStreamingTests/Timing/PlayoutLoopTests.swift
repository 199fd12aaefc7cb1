import Testing

@testable import AudioStreaming

@Suite("The loop that follows a sender's clock") struct PlayoutLoopTests {
    @Test func `a sender 200 ppm off for an hour: no underrun, pitch within 1 ppm, delay within 1 ms`() throws {
        for error in [200e-6, -200e-6] {
            var simulation = SimulatedPlayout()
            simulation.senderError = error
            let outcome = simulation.run(seconds: 3600, settled: 120)
            #expect(outcome.underruns == 0 && outcome.jumps == 0)
            #expect(outcome.pitchError <= 1, "\(outcome.pitchError) ppm")
            #expect(outcome.delay.most - outcome.delay.least < 0.001)
            let drift = try #require(outcome.drift)
            #expect(abs(drift - error * 1e6) < 1, "\(drift)")
        }
    }

    @Test func `clocks that agree are left alone`() {
        let outcome = SimulatedPlayout().run(seconds: 600, settled: 120)
        #expect(outcome.underruns == 0 && outcome.jumps == 0)
        #expect(outcome.pitchError < 1, "\(outcome.pitchError) ppm")
    }

    @Test(arguments: [(44100, 48000), (48000, 44100), (96000, 48000), (8000, 48000)])
    func `a stream of another rate is held as well`(streamRate: Int, serverRate: Int) {
        var simulation = SimulatedPlayout()
        (simulation.streamRate, simulation.serverRate) = (streamRate, serverRate)
        simulation.packetFrames = streamRate / 100
        (simulation.senderError, simulation.serverError) = (-50e-6, 80e-6)
        let outcome = simulation.run(seconds: 600, settled: 150)
        #expect(outcome.underruns == 0 && outcome.jumps == 0)
        #expect(outcome.pitchError < 1.5, "\(outcome.pitchError) ppm")
        #expect(outcome.delay.most - outcome.delay.least < 0.001)
    }

    @Test func `after lost time of the server the delay is what it was, by one jump`() {
        var simulation = SimulatedPlayout()
        simulation.lostTime = (at: 200, seconds: 0.05)
        let outcome = simulation.run(seconds: 600, settled: 210)
        #expect(outcome.jumps == 1)
        #expect(outcome.delay.most - outcome.delay.least < 0.001)
        let nominal = simulation.buffer + (1024 + 33 + 480) / 48000.0 + 0.001
        #expect(abs(outcome.delay.most - nominal) < 0.001, "\(outcome.delay.most), and not \(nominal)")
    }

    @Test func `a burst at the beginning does not count`() {
        var filter = ClockFilter(
            .init(
                sampleRate: 48000, bandwidth: 0.02, jitter: 0.003, patience: 2, tolerance: 0.002, beginsWithBurst: true)
        )
        // A second of sound comes at once, the rest in time.
        for packet in 0..<100 { _ = filter.add(Double(packet * 480), at: 10 + Double(packet) * 1e-5) }
        for packet in 100..<2000 { _ = filter.add(Double(packet * 480), at: 10 + Double(packet - 99) * 0.01) }
        #expect(abs(filter.time(of: 2000 * 480) - (10 + 1901 * 0.01)) < 0.0005)
        #expect(abs(filter.rateError) < 20e-6)
    }

    @Test func `one callback that was late at the beginning, or times that step later on, do not spoil the place`() {
        for first in [0.1, 0.0] {
            var filter = ClockFilter(
                .init(sampleRate: 48000, bandwidth: 0.05, jitter: 0.0002, patience: 0.05, tolerance: 0.0005))
            for block in 0..<400 {
                let time = Double(block * 256) / 48000 + (block == 0 ? first : 0) + (block > 200 ? 0.1 - first : 0)
                _ = filter.add(Double(block * 256), at: time)
            }
            let error = filter.time(of: 400 * 256) - (400 * 256 / 48000.0 + 0.1 - first)
            #expect(abs(error) < 0.0005, "\(error)")
        }
    }

    @Test func `the settled loop has the bandwidth that is said`() {
        // The answer of a loop of second order with a damping of 0.7 to a step of time: it crosses zero after 1.11 / ω and
        // overshoots by 21 %.
        var filter = ClockFilter(.init(sampleRate: 1000, bandwidth: 0.1, jitter: 0.001, patience: 1e9, tolerance: 1))
        func time(_ frame: Int) -> Double { Double(frame) / 1000 + (frame % 20 == 0 ? 0.001 : -0.001) }
        for frame in stride(from: 0, to: 1_000_000, by: 10) { _ = filter.add(Double(frame), at: time(frame)) }
        let step = 0.0005
        var crossed: Double?
        var overshoot = 0.0
        for frame in stride(from: 1_000_000, to: 1_100_000, by: 10) {
            _ = filter.add(Double(frame), at: time(frame) + step)
            let error = Double(frame) / 1000 + step - filter.time(of: Double(frame))
            if error < 0, crossed == nil { crossed = Double(frame - 1_000_000) / 1000 }
            overshoot = max(overshoot, -error / step)
        }
        #expect(crossed.map { 9 < $0 && $0 < 13 } == true, "\(crossed ?? 0)")
        #expect(0.1 < overshoot && overshoot < 0.3, "\(overshoot)")
    }

    @Test func `the buffer grows at once, shrinks slowly, and stays in its range`() {
        var window = DelayWindow(0.002...0.5, first: 0.01)
        for packet in 0..<200 { window.add(packet % 20 == 0 ? 0.04 : 0.001, at: Double(packet) * 0.01) }
        #expect(abs(window.target - 0.044) < 1e-9)
        for packet in 200..<3000 { window.add(0.001, at: Double(packet) * 0.01) }
        #expect(abs(window.target - 0.044) < 1e-9)
        for packet in 3000..<9000 { window.add(0.001, at: Double(packet) * 0.01) }
        #expect(window.target == 0.002)
        for packet in 9000..<9200 { window.add(7, at: Double(packet) * 0.01) }
        #expect(window.target == 0.5)
    }
}
