import AudioIO
import AudioMetering
import AudioRecording
import AudioReports
import CommandSyntax
import Jack
import PluginCommands
import ServerRuns
import TerminalPages

extension UnitOptions {
    /// Sets everything up in the order in which it can fail, has it run until the loop returns, and takes it down in reverse.
    ///
    /// - Parameter caller: who is answered while ports are waited for.
    package func perform<Session: LiveSession>(
        _ signals: Signals, answering caller: PortWait.Caller? = nil, session: (Server?) throws -> Session,
        loop: (Session) throws -> some LiveLoop
    ) throws -> ExitCode {
        try StandardOutput.checkReport(isJSON: isJSON, beside: parts.useOutput)
        let server = try server.start()
        defer { server?.stop() }
        let isReady = try portWait?.perform(for: engine, self.server, on: server, signals, answering: caller)
        guard isReady ?? true else { return .interrupted }
        let session = try session(server)
        return try session.perform(signals, on: server, isJSON: isJSON) {
            var loop = try loop(session)
            return try loop.run()
        }
    }
}

/// What a subcommand does with the engine that it runs.
package protocol LiveSession: AnyObject {
    associatedtype Report: LiveReport

    var unit: UnitRun { get }
    /// What can be changed while it runs.
    var controls: ControlTable { get }
    /// What OSC can read of it, and not set.
    var figures: [OSCFigure] { get }
    /// What it does at this moment, for a line of people.
    var words: [String] { get }
    /// What is dragged over the page's spectrum; `nil` where there is none.
    var equaliser: Equaliser? { get }
    /// `nil` where it is not measured.
    var loudness: LoudnessReading? { get }
    var recorders: [Recorder] { get }
    func start() throws
    /// Notes what the report tells of the end of its own work, as far as that has come: before the unit leaves the graph, and again
    /// behind that.
    func noteEnd()
    /// Saves what can be saved where nothing else can be ended any more. It may be called twice. Thread: any.
    func save()
    /// The unit has ended, nothing more comes, and all is saved.
    func finish()
    /// The unit has ended, and nothing was heard: nothing is left behind.
    func abandon()
    func report() -> Report
    /// The report so far, made once a second. A list that grows with the run has its end alone.
    func status() -> any LiveReport
    /// What went wrong with its own work while the sound went on.
    ///
    /// - Parameter isOver: whether the run is: some things are no failure before.
    func ownTrouble(_ rank: TroubleRank, isOver: Bool) -> Failure?
    /// Whether sound goes to the standard output, so that the summary goes to stderr.
    var writesToOutput: Bool { get }
}

/// What a run comes to: the object of `--json`, and the summary for people made from it.
package protocol LiveReport: ReportDocument {
    var summary: String { get }
}

extension LiveSession {
    package var run: EngineRun { unit.run }
    /// What it has beside its own work.
    package var parts: RunParts { unit.parts }
    /// In the path of the sound.
    package var plugins: PluginChain { unit.path.plugins }
    package func ownTrouble(_ rank: TroubleRank, isOver: Bool) -> Failure? { rank == .sound ? unit.trouble : nil }
    package var figures: [OSCFigure] { run.figures { [unowned self] in presentTrouble } }
    package func noteEnd() {}
    package func save() {}
    package func finish() {}
    package func abandon() {}
    package var writesToOutput: Bool { parts.useOutput }
    package var words: [String] { [] }
    package var equaliser: Equaliser? { nil }
    package var loudness: LoudnessReading? { nil }
    package var recorders: [Recorder] { parts.recorders }
    /// What went wrong, with the session's own work or with a part.
    package var presentTrouble: Failure? { trouble(isOver: false) }
    package func status() -> any LiveReport { report() }

    /// What the keys up and down do.
    package func changeGain(_ key: Key) {
        // Why it was refused the table of controls keeps, for the view.
        try? controls.step("gain", key == .up ? 1 : -1, by: .key)
    }

    /// Looks at what feeds the engine from now on. Thread of `look`: a worker.
    package func tapInputs(_ look: @escaping @Sendable (AudioBuffer) -> Void) throws {
        guard let fed = unit.fed else { return }
        try run.engine.watch(fed, frames: SoundScope.columnFrames(run.engine.sampleRate)) { buffer, _ in look(buffer) }
    }

    /// Starts it, has it go on until it is over, leaves the graph and prints the report.
    ///
    /// - Parameters:
    ///   - server: the private one, where there is one.
    ///   - loop: returns when it is over.
    package func perform(_ signals: Signals, on server: Server?, isJSON: Bool, _ loop: () throws -> RunEnd) throws
        -> ExitCode
    {
        let end: RunEnd
        do {
            try start()
            try parts.start(self)
            end = try loop()
            run.noteOutage()
        } catch {
            run.endFreewheel()
            signals.release()
            run.leaveGraph()
            abandon()
            parts.abandon()
            run.finish()
            throw error
        }
        run.endFreewheel()
        signals.release()
        noteAll()
        Shutdown.perform(on: server, periodSeconds: run.facts.periodSeconds) {
            self.saveAll()
            self.noteAll()
            // A failure to print is no news beside the other one.
            try? self.printReport(isJSON)
        } leave: {
            run.leaveGraph()
        }
        noteAll()
        saveAll()
        finish()
        parts.finish()
        run.finish()
        let printing = Result { try printReport(isJSON) }
        // An error is reported even if the standard output is closed, so that the report cannot be printed.
        let code = try end.code(run.engine.policy, trouble: trouble(isOver: true))
        try printing.get()
        return code
    }

    private func trouble(isOver: Bool) -> Failure? {
        TroubleRank.first { ownTrouble($0, isOver: isOver) ?? parts.trouble($0) }
    }

    private func noteAll() {
        run.noteEnd()
        noteEnd()
        parts.noteEnd()
    }

    /// What is the session's own is whole before a part waits for somebody.
    private func saveAll() {
        save()
        parts.save(withoutServerUntil: run.missingUntil)
    }

    private func printReport(_ isJSON: Bool) throws {
        let report = report()
        guard !writesToOutput else { return StandardError.write(report.summary + "\n") }
        try StandardOutput.print(isJSON ? reportJSON(report) : PageFormat().broken(report.summary))
    }
}
