import Testing

@testable import AudioStreaming

@Suite("The loop that follows a sender's clock") struct PlayoutLoopTests {
    /// An hour of one of them: the others differ in what the loop settles to, which it has in two minutes.
    @Test(arguments: [(200e-6, 3600.0), (-200e-6, 600), (1000e-6, 600), (-1000e-6, 600)])
    func `a sender that is off for an hour: no underrun, pitch within 1 ppm, delay within 1 ms`(
        error: Double, seconds: Double
    ) throws {
        var simulation = SimulatedPlayout()
        simulation.senderError = error
        let outcome = simulation.run(seconds: seconds, settled: 120)
        #expect(outcome.underruns == 0 && outcome.jumps == 0)
        #expect(outcome.pitchError <= 1, "\(outcome.pitchError) ppm")
        #expect(outcome.spread < 0.001)
        let drift = try #require(outcome.drift)
        #expect(abs(drift - error * 1e6) < 1, "\(drift)")
    }

    @Test(arguments: [200e-6, -1000e-6])
    func `delays of 50 ± 20 ms that put packets out of order do not move the place`(error: Double) {
        var simulation = SimulatedPlayout()
        simulation.senderError = error
        (simulation.network.transit, simulation.network.overtakes) = (0.03...0.07, true)
        simulation.buffer = 0.03
        let outcome = simulation.run(seconds: 1200, settled: 300)
        // The place is looked for in the first seconds.
        #expect(outcome.underruns == 0 && outcome.lastJump < 10, "\(outcome)")
        #expect(outcome.pitchError < 6, "\(outcome.pitchError) ppm")
        #expect(outcome.spread < 0.001)
    }

    @Test func `a network that keeps packets and hands them over at once, every second, does not move it either`() {
        var simulation = SimulatedPlayout()
        simulation.senderError = 200e-6
        simulation.network.hold = (every: 1, seconds: 0.06)
        simulation.buffer = 0.065
        let outcome = simulation.run(seconds: 1200, settled: 120)
        #expect(outcome.underruns == 0 && outcome.jumps == 0)
        #expect(outcome.pitchError <= 1, "\(outcome.pitchError) ppm")
        #expect(outcome.spread < 0.001)
    }

    /// The place is off by what the two clocks come apart until the change is noticed, some seconds later.
    @Test(arguments: [(200e-6, -200e-6), (-100e-6, 100e-6), (0, 30e-6), (0, 1000e-6)])
    func `a sender's clock that changes is followed before anything is missing`(first: Double, second: Double) {
        var simulation = SimulatedPlayout()
        (simulation.senderError, simulation.change) = (first, (at: 600, error: second))
        let outcome = simulation.run(seconds: 1000, settled: 120)
        #expect(outcome.underruns == 0 && outcome.jumps == 0)
        #expect(outcome.spread < (second > 500e-6 ? 0.003 : 0.0015), "\(outcome.spread)")
        #expect(outcome.lastOff < 600 + 300, "\(outcome.lastOff)")
    }

    @Test func `this machine's clock may be corrected by NTP meanwhile, by 500 ppm`() {
        var simulation = SimulatedPlayout()
        (simulation.senderError, simulation.slew) = (50e-6, (at: 600, seconds: 100, error: 500e-6))
        let outcome = simulation.run(seconds: 1000, settled: 120)
        #expect(outcome.underruns == 0 && outcome.jumps == 0)
        #expect(outcome.spread < 0.0015, "\(outcome.spread)")
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
        #expect(outcome.spread < 0.001)
    }

    @Test func `after lost time of the server the delay is what it was, by one jump`() {
        var simulation = SimulatedPlayout()
        simulation.lostTime = (at: 200, seconds: 0.05)
        let outcome = simulation.run(seconds: 600, settled: 210)
        #expect(outcome.jumps == 1)
        #expect(outcome.spread < 0.001)
        let nominal = simulation.buffer + (1024 + 33 + 480) / 48000.0 + 0.001
        #expect(abs(outcome.delay.most - nominal) < 0.001, "\(outcome.delay.most), and not \(nominal)")
    }

    /// As of a server that went away and came back at the rate that it had.
    @Test func `the first block of another feed is judged by nothing of the callbacks before it`() throws {
        var loop = PlayoutLoop(streamRate: 48000, serverRate: 48000, delay: 0.02)
        // Packets of 10 ms for 6 s, and callbacks of 10 ms for the first 4 s.
        for number in 0..<600 {
            let time = Double(number) * 0.01
            _ = loop.arrive(480 * number, at: time)
            guard number < 400 else { continue }
            let place = try #require(loop.place(at: time))
            _ = loop.read(
                PlayoutLoop.Block(time: time, position: Double(480 * number), streamFrame: place, jumps: 0))
        }
        loop.beginAgain(serverRate: 48000)
        // It is read where it ought to be.
        let place = try #require(loop.place(at: 6))
        let jump = loop.read(PlayoutLoop.Block(time: 6, position: 480 * 400, streamFrame: place, jumps: 0))
        #expect(jump == 0 && abs(loop.error) < 0.001)
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
        var filter = ClockFilter(.init(sampleRate: 1000, bandwidth: 0.1, jitter: 0.0004, patience: 1e9, tolerance: 1))
        func time(_ frame: Int) -> Double { Double(frame) / 1000 + (frame % 20 == 0 ? 0.0004 : -0.0004) }
        for frame in stride(from: 0, to: 1_000_000, by: 10) { _ = filter.add(Double(frame), at: time(frame)) }
        let step = 0.0002
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

    @Test func `the buffer grows while a late packet leaves a hole, and not when that is over`() {
        var window = DelayWindow(0.002...0.5, first: 0.01)
        for packet in 0..<5 { window.add(0.001, at: Double(packet) * 0.01) }
        window.add(0.04, at: 0.05)
        #expect(abs(window.target - 0.044) < 1e-9)
        // Of many the first ones are too few, and those that come with them are heeded with the next packet.
        for packet in 6..<1500 { window.add(0.001, at: Double(packet) * 0.01) }
        for packet in 0..<20 { window.add(0.08 - Double(packet) * 0.001, at: 15) }
        #expect(abs(window.target - 0.044) < 1e-9)
        window.add(0.001, at: 15.03)
        #expect(window.target > 0.06)
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
