import AudioDSP
import AudioIO
import AudioMeasurement
import Jack
import TestSupport
import Testing

@Suite("The latency of a shaper without aliases", .serialized, .ownServers) struct ShaperLatencyTests {
    /// A unit between the two clients of a probe. The drive is so low that the shaper does next to nothing but wait.
    private func measured(_ body: (IOUnit, LatencyProbe) throws -> Void) throws {
        var server = ServerConfiguration()
        server.isSync = true
        let running = try Server(server)
        defer { running.stop() }
        var configuration = UnitConfiguration()
        configuration.serverName = running.name
        configuration.channels = 1
        configuration.inputs = .none
        configuration.outputs = .none
        configuration.shape = .cubic
        configuration.driveDecibels = -30
        configuration.gainDecibels = 30
        configuration.antialiasing = .best
        let unit = try IOUnit(configuration)
        try unit.start()
        defer { unit.stop() }
        let probe = try LatencyProbe(
            through: "probe", inputs: 1, server: running.name, signal: ProbeSignal(lengthFrames: 1 << 12))
        defer { probe.stop() }
        try probe.connectSend(to: "iounit:in_1")
        try probe.connectReturn(from: "iounit:out_1")
        try body(unit, probe)
    }

    private func frames(_ probe: LatencyProbe) throws -> Double {
        probe.begin()
        try waitUntil("the probe has heard two rounds", within: 60) { probe.rounds() >= 2 }
        return try #require(probe.finding()?.estimate, "\(String(describing: probe.finding()))").frames
    }

    @Test func `is as stated when measured, and the ports declare it, also when it changes on the way`() throws {
        try measured { unit, probe in
            for (antialiasing, phase, declared) in [
                (Antialiasing.best, FilterPhase.linear, 70), (.adaa, .linear, 1), (.adaaTwofold, .linear, 65),
                (.fourfold, .linear, 70), (.off, .linear, 0),
            ] {
                unit.setAntialiasing(antialiasing)
                unit.setFilterPhase(phase)
                try waitUntil("the ports declare the latency of \(antialiasing)") {
                    probe.declaredFrames() == declared
                }
                // The crossfade and what the filters remember are over by the second round.
                let measured = try frames(probe)
                #expect(abs(measured - unit.setting.latencyFrames) < 0.02, "\(antialiasing): \(measured)")
                #expect(unit.setting.latencyFrames.rounded() == Double(declared), "\(antialiasing)")
            }
        }
    }

    @Test func `is none in a bypass`() throws {
        try measured { unit, probe in
            try waitUntil("the ports declare the latency") { probe.declaredFrames() == 70 }
            unit.setBypass(true)
            try waitUntil("the ports declare none") { probe.declaredFrames() == 0 }
            #expect(abs(try frames(probe)) < 0.001)
        }
    }
}
