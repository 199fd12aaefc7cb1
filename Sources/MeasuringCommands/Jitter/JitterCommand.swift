import AudioFigures
import AudioMeasurement
import AudioReports
import CommandSyntax
import Jack
import ServerRuns

/// `iounit jitter`: one unit in callback mode, connected to nobody.
struct JitterCommand {
    let options: JitterOptions

    func run() throws -> ExitCode {
        if options.isCalibration { return try calibrate() }
        if let path = options.common.path {
            return try options.common.report(log: path, schema: ReportKind.jitter.schema)
        }
        let signals = try Signals()
        let outputs = try MeasurementOutputs(options.common.outputs, modes: [ModeReport.Mode.callback.rawValue])
        let server = try options.common.server.start()
        defer { server?.stop() }
        let probe = try ServerProbe(options.common.server, on: server)
        var configuration = MeasurementRun.Configuration()
        configuration.unit.serverName = server?.name ?? options.common.server.name
        configuration.unit.channels = options.common.channels
        configuration.hasBaseline = options.hasBaseline
        configuration.hasBlame = options.hasBlame
        configuration.log = outputs.log
        let effects = try options.effects?(options.common.channels, probe.facts.sampleRate)
        let session = MeasurementSession(
            options: options.common, configuration: configuration, schema: ReportKind.jitter.schema, signals: signals,
            effects: effects, cycles: options.cycles, measuresLatencyAfterwards: true)
        let limits = options.common.limits
        let measured = try session.run(on: server, probe) { report in
            // A failure to write is no news beside the other one.
            try? outputs.write(report.judged(limits))
        }
        let report = measured.judged(limits)
        try outputs.write(report, releasing: signals)
        return try report.code()
    }

    /// Stalls of known length on a private server, and what the instruments make of them.
    private func calibrate() throws -> ExitCode {
        let signals = try Signals()
        let configuration = options.common.server.dummy ?? ServerConfiguration()
        let modes = options.common.server.dummy.map { [$0.isSync] } ?? [true, false]
        var isInterrupted = false
        let run = CalibrateRun(configuration: configuration, modes: modes)
        var isFirst = true
        let code = try run.run { paragraph in
            try StandardOutput.print(isFirst ? paragraph : "\n" + paragraph)
            isFirst = false
        } while: {
            isInterrupted = isInterrupted || signals.take().contains(where: Signals.ends)
            return !isInterrupted
        }
        signals.release()
        return code
    }
}

extension Report {
    /// The report with limits held against it, and its closing sentence.
    func judged(_ limits: [Limit]) -> Report {
        var report = self
        report.check(limits)
        report.verdict = Verdict(report).sentence
        return report
    }
}
