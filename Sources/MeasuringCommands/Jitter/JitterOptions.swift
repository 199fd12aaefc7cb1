import AudioFigures
import AudioIO
import AudioMeasurement
import AudioReports
import CommandSyntax
import Jack
import ServerRuns

struct JitterOptions {
    /// - Parameter effects: options of other modules.
    static func syntax(_ effects: JitterEffects) -> Syntax {
        let hosted = effects.options.isEmpty ? [] : [(heading: "Plug-ins", options: effects.options)]
        return Syntax(
            name: "jitter", summary: "measure how regularly the callback comes, what was lost, and who was late",
            groups: [
                ServerOptions.group,
                optionGroup(
                    "Measurement",
                    MeasurementOptions.channels.option,
                    MeasurementOptions.seconds.option,
                    cycles.option.excludes(["seconds"], "both say when to end"),
                    MeasurementOptions.warmup.option,
                    baseline, blame, MeasurementOptions.limits.option, MeasurementOptions.from,
                    calibrate.excludes(
                        [
                            "server", "channels", "seconds", "warmup", "cycles", "baseline", "blame", "limit",
                            "json",
                            "html", "hgrm", "csv", "junit", "plugin",
                        ], "it has a course of its own")),
            ] + hosted + [MeasurementOptions.output(.jitter)],
            notes: """
                \(MeasurementOptions.interruption)
                The unit is connected to nobody, so that nothing is heard. With --plugin its sound goes through plug-ins, and the one that
                made it late is named.
                """)
    }

    private static let baseline = Option(
        flag: "baseline", "measure a timer thread of the same period and priority beside it")
    private static let blame = Option(
        flag: "blame", "say of each late cycle who caused it: our callback, or the wake-up; nobody is before this unit")
    private static let calibrate = Option(
        flag: "calibrate",
        "stall a private server, a client before us and our own callback by known times, and say whether all of it was found"
    )
    static let cycles = TypedOption<Int?>.number(
        "cycles", .integer, 2...1_000_000_000, "how many callbacks to measure at least, instead of a time",
        tellsRange: false)

    var common: MeasurementOptions
    /// Ends the run where so many were measured; `nil` for a time.
    var cycles: Int?
    var hasBaseline: Bool
    var hasBlame: Bool
    var isCalibration: Bool
    /// What its unit does to the sound; `nil` for nothing.
    var effects: EffectMaker?

    init(_ words: [String], _ effects: JitterEffects = .none) throws(Failure) {
        let arguments = try Arguments(words, Self.syntax(effects))
        isCalibration = arguments.has(Self.calibrate)
        common = try MeasurementOptions(arguments)
        cycles = try arguments.value(of: Self.cycles)
        hasBaseline = arguments.has(Self.baseline)
        hasBlame = arguments.has(Self.blame)
        if common.path == nil { for limit in common.limits { try check(limit, arguments) } }
        self.effects = try effects.search(arguments)
    }

    /// Refuses a limit that nothing will be held against now rather than after the run.
    private func check(_ limit: Limit, _ arguments: Arguments) throws(Failure) {
        let isOfBlame = Blame(rawValue: limit.name) != nil
        try arguments.require(
            limit.mode != .queued, "--limit \(limit.text): there is no queue here; see iounit compare --help",
            of: "limit")
        try arguments.require(
            limit.name != Blame.upstream.rawValue,
            "--limit \(limit.text): nobody is before the unit of jitter; see iounit compare --help", of: "limit")
        try arguments.require(!isOfBlame || hasBlame, "--limit \(limit.name) needs --blame", of: "limit", "blame")
    }

    /// Measures one unit in callback mode, connected to nobody.
    func run() throws -> ExitCode {
        if isCalibration { return try CalibrateRun(common.server.dummy).run() }
        if let path = common.path {
            return try common.report(log: path, schema: ReportKind.jitter.schema)
        }
        let signals = try Signals()
        let outputs = try MeasurementOutputs(common.outputs, modes: [ModeReport.Mode.callback.rawValue])
        let server = try common.server.start()
        defer { server?.stop() }
        let probe = try ServerProbe(common.server, on: server)
        var configuration = MeasurementRun.Configuration()
        configuration.unit.serverName = server?.name ?? common.server.name
        configuration.unit.channels = common.channels
        configuration.hasBaseline = hasBaseline
        configuration.hasBlame = hasBlame
        configuration.log = outputs.log
        let effects = try effects?(common.channels, probe.facts.sampleRate)
        let session = MeasurementSession(
            options: common, configuration: configuration, schema: ReportKind.jitter.schema, signals: signals,
            effects: effects, cycles: cycles, measuresLatencyAfterwards: true)
        let limits = common.limits
        let measured = try session.run(on: server, probe) { report in
            // A failure to write is no news beside the other one.
            if let report { try? outputs.write(report.judged(limits)) }
        }
        let report = measured.judged(limits)
        try outputs.write(report, releasing: signals)
        return try report.code()
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

/// Makes effects for so many channels, and for a sample rate in hertz.
package typealias EffectMaker = @Sendable (_ channels: Int, _ sampleRate: Int) throws -> any MeasuredEffects

/// What `jitter` puts into the way of its unit's sound that another module makes, as plug-ins.
package typealias JitterEffects = ForeignOptions<EffectMaker>

/// Effects of a unit that is measured: nodes in a row, and which of them took the time when the unit was late.
package protocol MeasuredEffects: AnyObject {
    var row: [any Node] { get }
    /// Why the sound goes by one of them; `nil` where it goes through all.
    var flaw: (any Error)? { get }
    /// From here on counts who makes the unit late.
    ///
    /// - Parameter unit: how often it was late so far, here and below.
    func beginCounting(_ unit: UnitLateness)
    /// Looks whether the unit was late, and who took the time: ten times a second.
    ///
    /// - Returns: sentences, where one is named for the first time.
    func look(_ unit: @autoclosure () -> UnitLateness) -> [String]
    /// Who made the unit late last, in words; `nil` where nobody did.
    var trouble: String? { get }
    /// Shows what they have said. Once, when nothing is rendered any more.
    func tellNotices()
    var reports: [PluginReport] { get }
}
