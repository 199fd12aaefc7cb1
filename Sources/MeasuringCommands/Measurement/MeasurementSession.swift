import AudioFigures
import AudioIO
import AudioMeasurement
import CommandSyntax
import Jack
import ServerRuns
import TerminalPages

/// One measurement on one server, from the first client to the last.
struct MeasurementSession {
    let options: MeasurementOptions
    let configuration: MeasurementRun.Configuration
    let schema: String
    let signals: Signals
    /// In the way of callback mode's sound; `nil` for none.
    var effects: (any MeasuredEffects)?
    /// Ends the run where so many callbacks were measured; `nil` for a time.
    var cycles: Int?
    /// Whether the latency is measured after the end, where no probe runs meanwhile.
    var measuresLatencyAfterwards = false

    /// - Parameters:
    ///   - server: the private one, where there is one.
    ///   - probe: of that server; it is closed when the units run.
    ///   - lastWords: what to do with the report where a server does not let us go; `nil` where nothing was measured.
    func run(
        on server: Server?, _ probe: consuming ServerProbe, lastWords: @escaping (Report?) -> Void
    ) throws -> Report {
        let length = cycles.map { Double($0) * probe.facts.periodSeconds } ?? options.seconds
        let warmupSeconds = try options.warmupSeconds(before: length)
        var configuration = configuration
        configuration.effects = effects?.row ?? []
        let measurement = try MeasurementRun(configuration, on: probe.facts)
        let (title, periodSeconds) = (probe.facts.title, probe.facts.periodSeconds)
        let sampleRate = Double(max(1, probe.facts.sampleRate))
        let isMemoryLocked = MemoryLock.lock()
        var end = Report.End.done
        var plugins: [PluginReport] = []
        do {
            try measurement.start()
            if let flaw = effects?.flaw { throw flaw }
            _ = consume probe
            if !isMemoryLocked {
                StandardError.complain(
                    "the memory could not be locked, so swapping may make callbacks late; "
                        + "iounit doctor says how to permit it")
            }
            var loop = MeasurementLoop(
                measurement, signals, MeasurementScreen(title: title, periodSeconds: periodSeconds), effects,
                periodSeconds: periodSeconds)
            defer { loop.leave() }
            if warmupSeconds > 0 { end = loop.run("warming up", seconds: warmupSeconds) }
            try noteFacts(measurement.report(schema: schema))
            try measurement.begin()
            effects?.beginCounting(measurement.lateness)
            if end == .done { end = loop.run("measuring", seconds: options.seconds, cycles: cycles) }
            // What was measured of a server that stands still is not what was asked for.
            if end == .done, loop.isAtStandstill { end = .serverLost }
            measurement.end()
            // Before the latency is measured, which nothing else counts.
            loop.lookAtEffects()
            plugins = effects?.reports ?? []
        } catch {
            signals.release()
            Shutdown.perform(
                on: server, periodSeconds: periodSeconds, lastWords: { lastWords(nil) }, leave: measurement.leave)
            throw error
        }
        func report() -> Report {
            var report = measurement.report(schema: schema)
            report.provenance = Nullable(.current)
            report.end = end
            report.warmupSeconds = Nullable(warmupSeconds)
            report.plugins = plugins
            return report
        }
        let finished = report()
        // Nobody has to wait for an answer that will not come.
        if end == .serverLost { server?.stop() }
        let listens = measuresLatencyAfterwards && end == .done
        // Clients open, connect and close within some 20 periods, and five rounds of the probe's signal are 40 at most, and 20 times
        // what the effects add.
        let effectSeconds = Double(configuration.effectFrames) / sampleRate
        let allowance = listens ? 3 + 60 * periodSeconds + 20 * effectSeconds : 0
        Shutdown.perform(
            on: server, periodSeconds: periodSeconds, allowing: allowance, lastWords: { lastWords(finished) }
        ) {
            // Here, because the probe's clients too are opened and closed by a server that may have fallen silent.
            // Where they cannot be, the latency is not known, which is said below; the rest of the report is as good as before.
            if listens { try? measurement.measureLatencyAfterwards() }
            measurement.leave()
        }
        effects?.tellNotices()
        if end == .done { measurement.unknownLatencies.forEach(StandardError.complain) }
        return report()
    }
}

extension MeasurementSession {
    /// Tells the log where it was written, so that a report made from it can tell as well.
    private func noteFacts(_ report: Report) throws {
        guard let log = configuration.log else { return }
        log.note("server", try encodeJSON(report.server))
        log.note("host", try encodeJSON(report.host))
        log.note("scheduling", try encodeJSON(report.scheduling))
        log.note("provenance", try encodeJSON(Provenance.current))
    }
}

extension Report {
    /// What the run's end and its limits come to.
    func code() throws -> ExitCode {
        switch end {
        case .serverLost:
            throw Failure(
                .noServer, "the JACK server went away or stands still; what was measured until then is reported")
        case .freewheeling:
            throw Failure(
                .noServer,
                "the JACK server runs as fast as it can (freewheeling), so that no time can be measured; measure again when "
                    + "the program that asked for it is done")
        case .interrupted: return .interrupted
        case .done: return exceeded.isEmpty ? .done : .outsideLimits
        }
    }
}
