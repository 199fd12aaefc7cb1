import AudioFigures
import AudioMeasurement
import AudioReports
import CommandSyntax
import Jack
import ServerRuns
import Threads

/// One measurement of a path: the probe, between its ports.
final class LatencySession {
    private let options: LatencyOptions
    let facts: ServerFacts
    let probe: LatencyProbe
    private let send: String
    private let heard: String
    private let start: UInt64
    private let scheduling: Scheduling?
    private var declared: DeclaredLatency?
    private var periodFrames: Int
    private var seconds = 0.0

    /// The signal repeats after half a second or more, up to a second.
    private static func signal(sampleRate: Int) -> ProbeSignal { ProbeSignal(lengthFrames: sampleRate / 2) }

    /// Finds out whether all of it can be had, in the order: server, ports, time; and begins.
    init(_ options: LatencyOptions, on server: Server?) throws {
        self.options = options
        let asking = try ServerProbe(options.server, on: server)
        facts = asking.facts
        periodFrames = facts.periodFrames
        let serverName = server?.name ?? options.server.name
        let signal = Self.signal(sampleRate: facts.sampleRate)
        let needed = 3.1 * Double(signal.lengthFrames) / Double(facts.sampleRate)
        guard options.seconds >= needed else {
            let told = fixed((needed * 10).rounded(.up) / 10, 1)
            throw Failure(
                .usage,
                "--seconds is too short: at \(facts.sampleRate) Hz it takes \(told) s to hear the signal "
                    + "twice and know it", of: "seconds")
        }
        if let ports = options.ports {
            send = try Self.port(ports.send, option: "send", .input, on: asking.client)
            heard = try Self.port(ports.heard, option: "return", .output, on: asking.client)
            probe = try LatencyProbe(through: LatencyReport.clientName, inputs: 1, server: serverName, signal: signal)
        } else {
            probe = try LatencyProbe(roundTrip: LatencyReport.clientName, server: serverName, signal: signal)
            (send, heard) = (probe.returnPorts[0], probe.sendPort)
        }
        try probe.connectSend(to: send)
        if options.ports != nil { try probe.connectReturn(from: heard) }
        scheduling = probe.scheduling
        probe.begin()
        start = MonotonicClock.nanoseconds()
    }

    /// Whether the signal was heard often enough to say something of it.
    var hasFinding: Bool { probe.rounds() >= 2 }

    /// What is known by now, in a few words.
    var progress: String {
        switch probe.readings().last?.finding {
        case .measured(let estimate)?:
            "\(fixed(estimate.frames, 3)) frames, \(fixed(estimate.levelDecibels, 1)) dB"
        case .absent?: "nothing of the signal is heard"
        case .ambiguous?: "the signal is heard on several paths"
        case .moving?: "the latency is moving"
        case nil: "listening"
        }
    }

    /// For the live view, but for its time.
    var scene: LatencyScene {
        var present = facts
        (present.periodFrames, present.sampleRate) = (periodFrames, probe.sampleRate)
        let readings = probe.readings()
        var scene = LatencyScene(
            title: present.title, path: "\(shown(send)) to \(shown(heard))", words: progress,
            sampleRate: probe.sampleRate, declared: declared, discarded: probe.discarded(),
            peakDecibels: probe.peakDecibels())
        scene.rounds = readings.compactMap(\.finding.estimate)
        return scene
    }

    /// Notes what cannot be asked any more once the server is gone.
    func note() {
        guard !probe.hasLostServer else { return }
        seconds = Double(MonotonicClock.nanoseconds() - start) / 1e9
        declared = probe.declared() ?? declared
        if probe.periodFrames > 0 { periodFrames = probe.periodFrames }
    }

    func report(_ end: Report.End) -> LatencyReport {
        // What is asked for below belongs to one rate.
        probe.end()
        var server = facts
        server.periodFrames = periodFrames
        server.sampleRate = probe.sampleRate
        var report = LatencyReport(
            finding: probe.finding(), end: end, seconds: (seconds * 1e6).rounded() / 1e6, server: server,
            host: HostFacts.current(), send: send, return: heard, blocks: probe.rounds(),
            discarded: probe.discarded(), restarts: probe.restarts, peakDecibels: probe.peakDecibels(),
            longestFrames: probe.signal.lengthFrames, declared: declared,
            expected: options.expectation?.text, foreignConnections: probe.foreignConnections,
            lostConnections: probe.lostConnections,
            heardSeconds: Double(probe.heardFrames) / Double(max(1, probe.sampleRate)), isContested: probe.isContested)
        report.provenance = Nullable(.current)
        report.scheduling = Nullable(scheduling.map(SchedulingFacts.init))
        if let expectation = options.expectation { report.limits.append(expectation.result(report)) }
        for limit in options.limits { report.limits.append(limit.result(report)) }
        return report
    }
}

extension LatencySession {
    /// The one port that a name or a pattern stands for.
    ///
    /// - Parameters:
    ///   - option: which asks for it: `send` or `return`.
    ///   - direction: that it must have: sound is sent to an input, and heard at an output.
    private static func port(
        _ wanted: String, option: String, _ direction: PortDirection, on client: borrowing some JackClient & ~Copyable
    ) throws -> String {
        func failure(_ text: String) -> Failure { Failure(.usage, "--\(option)\(text)", of: option) }
        let word = direction == .input ? "input" : "output"
        // A name is no pattern, though it may look like one.
        if let port = client.port(named: wanted) {
            guard port.direction == direction else {
                let other = direction == .input ? "output" : "input"
                throw failure(": \(shown(port.name)) is an \(other), and it takes an \(word)")
            }
            guard port.isAudio else { throw failure(": \(shown(port.name)) carries no audio") }
            return port.name
        }
        let found = try client.ports(PortQuery(pattern: wanted, direction: direction)).map(\.name)
        guard let first = found.first else {
            let others = try client.ports(PortQuery(pattern: wanted)).map(\.name)
            guard others.isEmpty else {
                throw failure(" takes an \(word), and \"\(shown(wanted))\" matches only \(list(others))")
            }
            let names = try client.ports(PortQuery(direction: direction)).map(\.name)
            let near = didYouMean(wanted, among: names) ?? "the \(word)s are: \(list(names))"
            throw failure(": no port matches \"\(shown(wanted))\"; \(near)")
        }
        guard found.count == 1 else {
            throw failure(
                " takes one port, and \"\(shown(wanted))\" matches \(found.count): \(list(found))")
        }
        return first
    }

    private static func list(_ names: [String]) -> String {
        names.isEmpty ? "there are none" : names.map(shown).joined(separator: ", ")
    }
}
