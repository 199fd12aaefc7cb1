import AudioFiles
import AudioIO
import AudioRecording
import AudioReports
import CommandSyntax
import Jack
import LiveRuns
import ServerRuns
import TerminalPages
import Threads

/// The option `--offline`: a run without a server, whose rate and period are its own.
struct OfflineOptions {
    /// Of `monitor`: on which server it runs, or on none, and how fast.
    static let group = (
        heading: "Server",
        options: ServerOptions.group.options + [offline, ServerOptions.freewheel]
    )

    private static let offline = Option(
        flag: "offline",
        "need no server: render --source, or --seconds of silence, as fast as it goes, at --rate (the source "
            + "file's, else \(usualRate)), in blocks of --period (\(usualPeriod))"
    ).usableOffline()
    private static let usualRate = 48_000
    private static let usualPeriod = 1024
    private static let period = ServerOptions.period.within(Client.periods, initial: usualPeriod)

    private let arguments: Arguments
    private let wantedRate: Int?

    /// - Returns: `nil` for a run on a server.
    /// - Throws: `usage`.
    init?(_ arguments: Arguments) throws(Failure) {
        guard arguments.has(Self.offline) else { return nil }
        self.arguments = arguments
        wantedRate = try arguments.given(ServerOptions.rate)
        // Before anything is opened, but for a time at the rate of a file that is not known yet.
        if wantedRate != nil || !arguments.isTime(Self.period) {
            _ = try periodFrames(sampleRate: wantedRate ?? Self.usualRate)
        }
    }

    /// In hertz: as asked for, else that of the file that is played.
    func sampleRate(playing source: SourceKind?) throws(SoundFileError) -> Int {
        if let wantedRate { return wantedRate }
        guard let source, case .file = source else { return Self.usualRate }
        return try Source(source).sampleRate ?? Self.usualRate
    }

    /// What is rendered at once, at most.
    func periodFrames(sampleRate: Int) throws(Failure) -> Int {
        try arguments.value(of: Self.period, sampleRate: sampleRate)
    }
}

/// `iounit monitor --offline`: renders on this thread, as fast as it goes, until the source has ended or the time is over.
struct OfflineRun {
    private let options: MonitorOptions
    private let sampleRate: Int
    private let periodFrames: Int
    private let engine: Engine
    private let chain: MonitorChain

    /// Finds out whether all of it can be had, in the order: source, meter, file.
    init(_ options: MonitorOptions, _ offline: OfflineOptions) throws {
        self.options = options
        sampleRate = try offline.sampleRate(playing: options.unit.source?.kind)
        periodFrames = try offline.periodFrames(sampleRate: sampleRate)
        try EqualiserOptions.check(options.bands, sampleRate: sampleRate)
        let effects = try MonitorEffects(options)
        engine = try Engine(
            offline: sampleRate, inputs: options.channels, outputs: options.channels, periodFrames: periodFrames)
        let path = try SoundPath(
            from: engine.input, options.unit.source, through: effects.ofRun, options.unit.plugins, nil, in: engine,
            sampleRate: sampleRate, channels: options.channels)
        chain = try MonitorChain(options, effects, path, in: engine, sampleRate: sampleRate)
    }

    func perform() throws -> ExitCode {
        let signals = try Signals()
        let start = MonotonicClock.nanoseconds()
        let isInterrupted: Bool
        do {
            try chain.start()
            try engine.start()
            if let mix = source?.mix { StandardError.complain(mix) }
            chain.noteStart()
            try source?.play()
            isInterrupted = try render(signals)
        } catch {
            signals.release()
            engine.close()
            chain.recording?.abandon()
            finish()
            throw error
        }
        signals.release()
        engine.close()
        chain.recording?.save(withoutServerUntil: nil)
        // Nobody is late offline, but a plug-in may have changed its latency.
        for notice in chain.path.plugins.look(.none) { StandardError.complain(notice) }
        finish()
        let elapsed = Double(MonotonicClock.nanoseconds() - start) / 1e9
        let printing = Result { try printReport(elapsedSeconds: elapsed) }
        // An error is reported even if the standard output is closed, so that the report cannot be printed.
        if let trouble { throw trouble }
        try printing.get()
        return isInterrupted ? .interrupted : .done
    }

    private var source: SourceFeed? { chain.path.source }

    private func finish() {
        chain.finish()
        chain.path.plugins.tellNotices()
    }

    /// Renders until it is over, or cannot go on; returns whether a signal has ended it.
    private func render(_ signals: Signals) throws(UnitError) -> Bool {
        while !chain.isHeardThrough() && !chain.isBroken {
            if signals.takeEnd() { return true }
            try engine.advance(by: max(1, chain.frames(ofCycle: periodFrames)))
        }
        return false
    }

    /// What went wrong. Nobody is late offline: what a disk did not take in time it did not take at all.
    private var trouble: Failure? {
        if let trouble = TroubleRank.first(chain.trouble) { return trouble }
        guard let recorder = chain.recorder, recorder.missingFrames > 0 else { return source?.flaw }
        return Failure(
            .inputOutput,
            "\(recorder.missingFrames) frames are missing in \(shown(recorder.path)): the disk took nothing for 10 s; record to "
                + "another one")
    }

    private func printReport(elapsedSeconds: Double) throws {
        let frames = engine.position
        let report = MonitorReport(
            chain: chain.report(nonFiniteSamples: engine.runawaySamples),
            offline: OfflineReport(
                sampleRate: sampleRate, periodFrames: periodFrames, frames: frames,
                seconds: Double(frames) / Double(sampleRate), elapsedSeconds: elapsedSeconds))
        guard !options.usesOutput else { return StandardError.write(report.summary + "\n") }
        try StandardOutput.print(options.unit.isJSON ? reportJSON(report) : PageFormat().broken(report.summary))
    }
}
