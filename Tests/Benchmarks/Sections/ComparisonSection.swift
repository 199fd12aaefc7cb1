import AudioFigures
import AudioIO
import AudioMeasurement
import Jack
import Threads

extension Section {
    static let comparison = Section(
        name: "comparison",
        introduction: """
            What comparing two modes at the same time does to either: callback mode alone, a queue of 480 frames alone,
            and both together, as "iounit compare" runs them, with its signal and its sentinel. 64 frames at 48 kHz on
            a private server, in turns of three seconds, five of each.
            p50, p99: |interval - nominal| in microseconds. CPU: microseconds of the mode's threads for each of its
            callbacks. All are medians of the five; from, to: the least and the greatest of the five alone, for how much
            this machine differs from turn to turn. growth: together / alone.
            """
    ) { _ in
        let server = try Server()
        defer { server.stop() }
        var alone: [ModeReport.Mode: [ModeReport]] = [:]
        var together: [ModeReport.Mode: [ModeReport]] = [:]
        for turn in 0..<5 {
            // Back and forth, as in a race.
            let scenes: [Set<ModeReport.Mode>] = [[.callback], [.callback, .queued], [.queued]]
            for modes in turn % 2 == 0 ? scenes : scenes.reversed() {
                for report in try measure(modes, on: server) {
                    if modes.count > 1 {
                        together[report.mode, default: []].append(report)
                    } else {
                        alone[report.mode, default: []].append(report)
                    }
                }
            }
        }
        var rows: [[String]] = []
        var goals: [Goal] = []
        for mode in [ModeReport.Mode.callback, .queued] {
            for (figure, value) in figures {
                let before = (alone[mode] ?? []).map(value)
                let after = (together[mode] ?? []).map(value).median
                let growth = (after / before.median).text(2)
                let shown = [before.median, before.min() ?? 0, before.max() ?? 0, after].map { $0.text(1) }
                rows.append(["\(mode.rawValue), \(figure)"] + shown + [growth])
                goals.append(Goal("\(mode.rawValue), \(figure), together / alone", growth))
            }
        }
        print(Table(["mode", "alone", "from", "to", "together", "growth"], rows).text)
        return goals
    }

    private static let figures: [(name: String, value: @Sendable (ModeReport) -> Double)] = [
        ("deviation p50", { Double($0.deviation.p50) / 1000 }),
        ("deviation p99", { Double($0.deviation.p99) / 1000 }),
        ("CPU for each callback", { ($0.cpuNanosecondsPerCallback.value ?? 0) / 1000 }),
    ]

    /// Three seconds, after half a second of warm-up.
    private static func measure(_ modes: Set<ModeReport.Mode>, on server: Server) throws -> [ModeReport] {
        var configuration = MeasurementRun.Configuration()
        configuration.unit.serverName = server.name
        configuration.hasCallbackMode = modes.contains(.callback)
        configuration.queues = modes.contains(.queued) ? [QueueConfiguration(bufferFrames: 480)] : []
        configuration.hasProbe = true
        configuration.hasBlame = true
        let facts = ServerFacts(
            name: server.name, backend: "dummy", sampleRate: server.configuration.sampleRate,
            periodFrames: server.configuration.periodFrames, sync: server.configuration.isSync,
            realtime: server.configuration.isRealtime)
        let run = try MeasurementRun(configuration, on: facts)
        defer { run.leave() }
        try run.start()
        MonotonicClock.sleep(milliseconds: 500)
        try run.begin()
        MonotonicClock.sleep(milliseconds: 3000)
        run.end()
        return run.report(schema: "iounit.compare/2").modes
    }
}
