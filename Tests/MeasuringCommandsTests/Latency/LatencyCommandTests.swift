import CommandTestSupport
import Foundation
import Jack
import TestSupport
import Testing

/// At this rate a round of the signal takes half a second, and stalls of the machine lose nothing in sync mode.
private let sampleRate = 32000
private let onPrivateServer = ["--dummy", "--sync", "--rate", "\(sampleRate)"]
/// Two rounds are needed, which a machine that stands still for two seconds leaves time for.
private let briefly = ["--seconds", "3"]

private func syncServer(periodFrames: Int = 64) throws -> Server {
    var configuration = ServerConfiguration()
    configuration.sampleRate = sampleRate
    configuration.periodFrames = periodFrames
    configuration.isSync = true
    // Else it goes on without a client after twenty periods, which are 10 ms of the shortest ones.
    configuration.isPatient = true
    return try Server(configuration)
}

/// A busy server may be slow to let it go, which says nothing of the measurement.
private func withoutWaits(_ errors: String) -> String {
    errors.replacing("iounit: the JACK server does not let us go yet; it is waited for up to 8 s\n", with: "")
}

private func latency(_ words: [String]) throws -> CommandRun { try CommandRun(["latency"] + words) }

/// Waits until a run has made its connections. Two that open clients of one name at the same time, be it on two servers,
/// may take each other's socket: libjack names it for the client alone.
///
/// - Parameters:
///   - port: that it connects last.
///   - server: `nil` for its private one.
private func waitUntilItListens(
    _ run: CommandRun, at port: String = "iounit-latency:in_1", on server: String? = nil,
    _ location: SourceLocation = #_sourceLocation
) throws {
    let server = server ?? "iounit-\(run.identifier)-1"
    // On a machine that stalls it may have measured and ended before it is looked at; then it opens no client any more.
    func wait(until what: String, _ holds: () -> Bool) throws {
        try run.wait(until: what, location) { holds() || !run.isRunning }
    }
    try wait(until: "it is on the server") {
        Belongings.sharedMemory(of: server).contains { $0.contains("iounit-latency") }
    }
    guard let watcher = try? Client(name: "watcher", server: server) else {
        return try wait(until: "it has ended, with its server") { false }
    }
    try wait(until: "it listens") { watcher.port(named: port)?.connections.isEmpty == false }
}

/// What a measurement that ends by itself has printed with `--json`.
private struct MeasuredLatency {
    let code: Int32
    let report: [String: Any]
    let errors: String

    init(_ run: CommandRun, _ location: SourceLocation = #_sourceLocation) throws {
        code = try run.end(location)
        errors = withoutWaits(run.err)
        report = try object(run.out, location)
        try SchemaCheck.expect("latency", describes: run.out, location)
    }

    var outcome: String? { report["outcome"] as? String }
    var verdict: String { report["verdict"] as? String ?? "" }
    var latencyFields: [String: Any] { report["latency"] as? [String: Any] ?? [:] }

    var declaredFrames: ClosedRange<Int>? {
        guard let declared = report["declared"] as? [String: Any], let least = declared["minFrames"] as? Int,
            let most = declared["maxFrames"] as? Int
        else { return nil }
        return least...most
    }

    func figure(_ name: String, _ location: SourceLocation = #_sourceLocation) throws -> Double {
        try #require(latencyFields[name] as? Double, "\(report)", sourceLocation: location)
    }
}

@Suite("iounit latency measures", .serialized, .ownServers)
struct LatencyCommandTests {
    @Test func `a self-loop as exactly one period, short or long`() throws {
        let periods = [16, 64, 256, 1024]
        let servers = try periods.map { try syncServer(periodFrames: $0) }
        defer { for server in servers { server.stop() } }
        let runs = try servers.map { server in
            let run = try latency(briefly + ["--server", server.name, "--self-loop", "--json"])
            try waitUntilItListens(run, on: server.name)
            return run
        }
        for (period, run) in zip(periods, runs) {
            let measured = try MeasuredLatency(run)
            #expect(measured.code == 0, "\(measured.errors)")
            #expect(abs(try measured.figure("frames") - Double(period)) <= 0.001)
            #expect(try measured.figure("errorFrames") <= 0.001)
            #expect(abs(try measured.figure("milliseconds") - Double(period) / 32) <= 0.0001)
            #expect(measured.report["declared"] is NSNull, "there is nothing between that could declare it")
        }
    }

    @Test func `nothing between input and output of a unit that monitors`() throws {
        let server = try syncServer()
        defer { server.stop() }
        let monitor = try CommandRun([
            "monitor", "--server", server.name, "--no-connect", "--drive", "0", "--shape", "off", "--gain", "-6",
            "--seconds", "60",
        ])
        try monitor.wait(until: "it runs") { monitor.err.contains("peak") }
        let measured = try MeasuredLatency(
            latency(
                briefly + [
                    "--server", server.name, "--send", "iounit:in_1", "--return", "iounit:out_1", "--expect",
                    "0+-0.001",
                    "--json",
                ]))
        monitor.send(SIGINT)
        #expect(try monitor.end() == -SIGINT)
        #expect(measured.code == 0, "\(measured.errors)")
        #expect(abs(try measured.figure("frames")) <= 0.001)
        #expect(abs(try measured.figure("levelDecibels") + 6) < 0.01)
        #expect(measured.declaredFrames == 0...0)
        #expect(measured.verdict.contains("as the ports declare"), "\(measured.verdict)")
    }

    /// Measures paths that lie side by side on one server.
    private func measure(_ paths: [Effect.Settings], _ words: String...) throws -> [MeasuredLatency] {
        let server = try syncServer()
        defer { server.stop() }
        let effects = try paths.enumerated().map { try Effect($1, name: "effect\($0)", on: server) }
        let runs = try effects.map { effect in
            let run = try latency(
                briefly + words + [
                    "--server", server.name, "--send", "\(effect.name):in", "--return", "\(effect.name):out", "--json",
                ])
            try waitUntilItListens(run, at: "\(effect.name):out", on: server.name)
            return run
        }
        let measured = try runs.map { try MeasuredLatency($0) }
        withExtendedLifetime(effects) {}
        return measured
    }

    @Test func `a client's delay, and names what its ports declare wrong and what was expected in vain`() throws {
        let measured = try measure(
            [
                Effect.Settings(delayFrames: 100, declaredFrames: 37),
                Effect.Settings(delayFrames: 37, declaredFrames: 37),
            ],
            "--expect", "37±1")
        let (wrong, right) = (measured[0], measured[1])
        #expect(abs(try wrong.figure("frames") - 100) <= 0.001)
        #expect(wrong.code == 1)
        #expect(wrong.errors == "iounit: expect=37±1 was not met: 100.000 frames\n")
        #expect(wrong.verdict.contains("the ports declare 37 frames, 63.0 less than measured"), "\(wrong.verdict)")
        #expect(abs(try #require(wrong.report["extraFrames"] as? Double) - 63) <= 0.001)
        #expect(right.code == 0 && right.errors.isEmpty, "\(right.errors)")
        #expect(right.verdict.contains("as the ports declare"), "\(right.verdict)")
    }

    @Test func `polarity, level, noise and clipping beside the delay`() throws {
        let measured = try measure([
            Effect.Settings(delayFrames: 20, gain: -0.5), Effect.Settings(delayFrames: 21, gain: 10, ceiling: 1),
            Effect.Settings(delayFrames: 22, noise: 0.05),
        ])
        for (index, path) in measured.enumerated() {
            #expect(path.code == 0, "\(path.errors)")
            let error = abs(try path.figure("frames") - Double(20 + index))
            #expect(try error <= path.figure("errorFrames"))
        }
        let (inverted, clipped, noisy) = (measured[0], measured[1], measured[2])
        #expect(inverted.latencyFields["polarity"] as? String == "inverted")
        #expect(inverted.verdict.contains("upside down") && !inverted.verdict.contains("clipped"))
        #expect(abs(try inverted.figure("levelDecibels") + 6.02) < 0.01)
        #expect(abs(try #require(inverted.report["peakDecibels"] as? Double) + 18.02) < 0.1)
        #expect(clipped.latencyFields["polarity"] as? String == "normal")
        #expect(clipped.report["peakDecibels"] as? Double == 0)
        #expect(clipped.verdict.contains("is clipped: turn it down"), "\(clipped.verdict)")
        // A sweep with its peak at -12 dB has about -15 dB; white noise with this peak -30.8, of which the band holds
        // nine tenths.
        let ratio = try noisy.figure("signalToNoiseDecibels")
        #expect(ratio > 12 && ratio < 20, "\(ratio)")
    }

    @Test func `nothing where the signal does not come back, or comes back twice, and says which`() throws {
        let measured = try measure([
            Effect.Settings(gain: 0), Effect.Settings(gain: 0, noise: 0.1),
            Effect.Settings(delayFrames: 50, echoFrames: 40),
        ])
        for path in measured {
            #expect(path.code == 1)
            #expect(path.report["latency"] is NSNull, "it is not guessed")
            #expect(path.errors == "iounit: \(path.verdict)\n")
        }
        let (silent, noisy, twofold) = (measured[0], measured[1], measured[2])
        #expect(silent.outcome == "absent" && silent.verdict.contains("only silence"), "\(silent.verdict)")
        #expect(silent.report["heardDecibels"] is NSNull && silent.report["peakDecibels"] is NSNull)
        #expect(noisy.outcome == "absent" && noisy.verdict.contains("something else"), "\(noisy.verdict)")
        // White noise has a third of the power of its peak.
        #expect(abs(try #require(noisy.report["heardDecibels"] as? Double) + 24.8) < 0.2)
        #expect(twofold.outcome == "ambiguous")
        let delays = try #require(twofold.report["candidateFrames"] as? [Double]).sorted()
        #expect(delays.count == 2 && abs(delays[0] - 50) < 0.3 && abs(delays[1] - 90) < 0.3, "\(delays)")
    }

    /// An input of which nothing is connected, and a pretended card's, which is silent.
    @Test func `nothing through a card without a cable, whose ports declare all the same`() throws {
        let measured = try MeasuredLatency(
            latency(onPrivateServer + briefly + ["--send", "playback_1", "--return", "capture_1", "--json"]))
        #expect(measured.code == 1 && measured.outcome == "absent")
        #expect(measured.errors.contains("look at the cable"), "\(measured.errors)")
        #expect(measured.declaredFrames == 128...128)
    }

    /// Measures a way of 100 frames while another client connects one of 986 frames with the probe's ports: once when it
    /// listens, or until it ends.
    private func measureDisturbed(again: Bool) throws -> MeasuredLatency {
        let server = try syncServer()
        defer { server.stop() }
        let way = try Effect(Effect.Settings(delayFrames: 100, noise: 0.01), name: "way", on: server)
        let other = try Effect(Effect.Settings(delayFrames: 986, noise: 0.5), name: "other", on: server)
        let manager = try Client(name: "manager", server: server.name).activate()
        let run = try latency(
            ["--seconds", "4", "--server", server.name, "--send", "way:in", "--return", "way:out", "--json"])
        try waitUntilItListens(run, at: "way:out", on: server.name)
        func disturb() {
            try? manager.connect("other:out", to: "iounit-latency:in_1")
            try? manager.connect("iounit-latency-send:out_1", to: "other:in")
        }
        disturb()
        if again {
            try waitUntil("it ends") {
                disturb()
                return !run.isRunning
            }
        }
        let measured = try MeasuredLatency(run)
        withExtendedLifetime((way, other)) {}
        return measured
    }

    @Test func `its own way where a session manager connects another one, and tells that`() throws {
        let measured = try measureDisturbed(again: false)
        #expect(measured.code == 0, "\(measured.errors)")
        let error = abs(try measured.figure("frames") - 100)
        #expect(try error <= measured.figure("errorFrames"), "\(measured.verdict)")
        #expect(try measured.figure("falseAlarmProbability") <= 1e-6)
        let foreign = try #require(measured.report["foreignConnections"] as? [[String: Any]])
        #expect(foreign.map { $0["port"] as? String } == ["iounit-latency-send:out_1", "iounit-latency:in_1"])
        #expect(foreign.map { $0["other"] as? String } == ["other:in", "other:out"])
        #expect(foreign.allSatisfy { $0["times"] as? Int == 1 }, "\(foreign)")
        #expect(measured.verdict.contains("other:out with iounit-latency:in_1"), "\(measured.verdict)")
    }

    @Test func `nothing where a session manager connects another way again and again`() throws {
        let measured = try measureDisturbed(again: true)
        #expect(measured.code == 1)
        #expect(measured.outcome == "disturbed" && measured.report["latency"] is NSNull)
        #expect(measured.errors == "iounit: \(measured.verdict)\n")
        #expect(measured.verdict.contains("have it leave the probe's ports alone"), "\(measured.verdict)")
        let foreign = try #require(measured.report["foreignConnections"] as? [[String: Any]])
        #expect(foreign.contains { ($0["times"] as? Int ?? 0) > 8 }, "\(foreign)")
    }

    /// Adriaensen's tool, by another method: the phases of thirteen tones.
    @Test func `the same as jack_iodelay on the same loop`() throws {
        let server = try syncServer()
        defer { server.stop() }
        let other = try CommandRun(
            ["-oL", "jack_iodelay"], program: "/usr/bin/stdbuf",
            environment: ["JACK_DEFAULT_SERVER": server.name, "JACK_NO_START_SERVER": "1"])
        // It ends by nothing else.
        defer {
            other.send(SIGKILL)
            _ = try? other.end()
        }
        let ours = try latency(briefly + ["--server", server.name, "--self-loop", "--json"])
        try other.wait(until: "it listens") { other.out.contains("Signal below threshold") }
        let wiring = try Client(name: "wiring", server: server.name).activate()
        try wiring.connect("jack_delay:out", to: "jack_delay:in")
        var readings: [Double] = []
        try other.wait(until: "it has measured") {
            readings = other.out.split(separator: "\n").filter { $0.contains("total roundtrip latency") }
                .compactMap { $0.split(separator: " ").first.flatMap { Double($0) } }
            return readings.count >= 3
        }
        try wiring.close()
        let frames = try MeasuredLatency(ours).figure("frames")
        #expect(abs(frames - readings[readings.count - 1]) <= 0.001, "\(frames) against \(readings)")
    }
}

@Suite("iounit latency writes", .serialized, .ownServers)
struct LatencyOutputTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func text(_ name: String) throws -> String { try String(contentsOfFile: folder(name), encoding: .utf8) }

    @Test func `a page, percentiles, rows and test cases beside the JSON, which tell the same`() throws {
        let server = try syncServer(periodFrames: 128)
        defer { server.stop() }
        let measured = try MeasuredLatency(
            latency(
                briefly + [
                    "--server", server.name, "--self-loop", "--json", "--expect", "64±1", "--limit", "latency=5ms",
                    "--html", folder("a.html"), "--hgrm", folder("a.hgrm"), "--csv", folder("a.csv"),
                    "--junit", folder("a.xml"),
                ]))
        #expect(measured.code == 1)
        #expect(measured.report["schema"] as? String == "iounit.latency/2")
        let limits = try #require(measured.report["limits"] as? [[String: Any]])
        #expect(limits.map { $0["isMet"] as? Bool } == [false, true])
        let page = try text("a.html")
        #expect(page.contains("<svg") && page.contains("128.000 frames = 4.0000 ms"))
        #expect(page.contains("NOT MET") && page.contains("expect=64±1"))
        let rows = try text("a.csv").split(separator: "\n")
        #expect(rows.count == 1 + (measured.report["blocks"] as? Int ?? 0))
        #expect(rows.dropFirst().allSatisfy { $0.contains(",measured,128.000") }, "\(rows)")
        // 4 ms in microseconds.
        #expect(try text("a.hgrm").contains("#[Max     =     400"))
        let cases = try text("a.xml")
        #expect(cases.contains("tests=\"3\" failures=\"1\" errors=\"0\""), "\(cases)")
        #expect(cases.contains("expect=64±1 of latency was not met: measured 128.000 frames"), "\(cases)")
    }

    @Test func `a table whose last sentence is the answer`() throws {
        let run = try latency(onPrivateServer + briefly + ["--self-loop"])
        #expect(try run.end() == 0)
        #expect(withoutWaits(run.err).isEmpty, "\(run.err)")
        let lines = run.out.split(separator: "\n")
        #expect(lines.first == "iounit latency")
        #expect(lines.last == "The latency is 64.000 frames = 2.000 ms (± 0.001 frames).")
        #expect(run.out.contains("heard at      iounit-latency:out_1"), "\(run.out)")
    }

    @Test func `what was measured until an interruption, marked, and ends by SIGINT`() throws {
        let run = try latency(
            onPrivateServer + ["--self-loop", "--seconds", "60", "--json", "--junit", folder("b.xml")])
        try waitUntilItListens(run)
        run.send(SIGINT)
        let measured = try MeasuredLatency(run)
        #expect(measured.code == -SIGINT)
        #expect(measured.report["end"] as? String == "interrupted")
        #expect(try text("b.xml").contains("INCOMPLETE"))
    }

    @Test func `what was measured until the server was killed, marked, and 69`() throws {
        let server = try syncServer()
        defer { server.stop() }
        let run = try latency(["--server", server.name, "--self-loop", "--seconds", "60", "--html", folder("c.html")])
        try waitUntilItListens(run, on: server.name)
        server.signal(SIGKILL)
        #expect(try run.end() == 69)
        #expect(run.err.contains("went away"), "\(run.err)")
        #expect(run.out.hasPrefix("INCOMPLETE: the JACK server went away"), "\(run.out)")
        #expect(try text("c.html").contains("INCOMPLETE"))
    }

    @Test(arguments: ["html", "hgrm", "csv", "junit"])
    func `nothing where a file cannot be written, which it knows before it looks for a server`(_ kind: String) throws {
        let run = try latency(["--server", "iounit-no-such-server", "--self-loop", "--\(kind)", folder("none/x")])
        #expect(try run.end() == 73)
        #expect(run.out.isEmpty && run.err.contains("none/x"), "\(run.err)")
    }

    @Test func `nothing at all where there is no server`() throws {
        let run = try latency(["--server", "iounit-no-such-server", "--self-loop", "--html", folder("d.html")])
        #expect(try run.end() == 69)
        #expect(run.err.contains("--dummy"), "\(run.err)")
        #expect(folder.names.isEmpty, "\(folder.names)")
    }
}

@Suite("iounit latency refuses", .serialized, .ownServers)
struct LatencyUsageTests {
    private static let noPath = ["--server", "x"]

    /// Words, and what the one sentence on stderr must say.
    static let wrong: [([String], String)] = [
        (["--dummy"], "Give --send PORT and --return PORT, or --self-loop"),
        (["--send", "a"], "--send needs --return: it says where the signal comes back"),
        (["--return", "a"], "--return needs --send: it says where the signal goes"),
        (["--self-loop", "--send", "a"], "--self-loop"),
        (["--self-loop", "--return", "a"], "--self-loop"),
        (["--send", "", "--return", "a"], "the name of a port"),
        (["--self-loop", "--expect", "64±"], "64±1"),
        (["--self-loop", "--expect", "soon"], "\"soon\""),
        (["--self-loop", "--expect=-1"], "\"-1\""),
        (["--self-loop", "--expect"], "FRAMES±TOL"),
        (["--self-loop", "--limit", "latncy=3"], "did you mean latency?"),
        (["--self-loop", "--limit", "latency"], "--limit"),
        (["--self-loop", "--limit", "p99=1ms"], "p99"),
        (["--self-loop", "--seconds", "0"], "0.01"),
        (["--dummy", "--self-loop", "--seconds", "1"], "--seconds is too short: at 48000 Hz it takes 2.2 s"),
        (["--self-loop", "--html", "a", "--csv", "a"], "the same file"),
        (["--selfloop"], "did you mean --self-loop?"),
    ]

    @Test(arguments: wrong)
    func `what makes no sense`(_ words: [String], _ says: String) throws { try refused(latency(words), says) }

    @Test func `ports that are not there, are several, or have the wrong direction`() throws {
        let server = try syncServer()
        defer { server.stop() }
        let effect = try Effect(on: server)
        func refused(_ send: String, _ heard: String, _ says: String, _ at: SourceLocation = #_sourceLocation) throws {
            try self.refused(latency(["--server", server.name, "--send", send, "--return", heard]), says, at)
        }
        try refused("efect:in", "effect:out", "--send: no port matches \"efect:in\"; did you mean effect:in?")
        try refused("effect:in", "effct:out", "did you mean effect:out?")
        try refused("zz", "effect:out", "the inputs are: system:playback_1, system:playback_2, effect:in")
        try refused("effect:out", "effect:in", "--send: effect:out is an output, and it takes an input")
        try refused("effect:in", "effect:in", "--return: effect:in is an input, and it takes an output")
        try refused("fect:ou", "effect:out", "--send takes an input, and \"fect:ou\" matches only effect:out")
        try refused("playback", "effect:out", "matches 2: system:playback_1, system:playback_2")
        try refused("effect:(", "effect:out", "regular expression")
        withExtendedLifetime(effect) {}
    }

    private func refused(_ run: CommandRun, _ says: String, _ location: SourceLocation = #_sourceLocation) throws {
        #expect(try run.end() == 64, "\(run.err)", sourceLocation: location)
        #expect(run.out.isEmpty, sourceLocation: location)
        #expect(run.err.split(separator: "\n").count == 1, "\(run.err)", sourceLocation: location)
        #expect(run.err.contains(says), "\(run.err)", sourceLocation: location)
    }
}
