import AudioFigures
import AudioFiles
import AudioReports
import SystemHealth

/// What the report of every run of an engine tells: fields beside those of its own.
struct RunReport: Encodable {
    var server: ServerFacts
    var cycles: UInt64
    var frames: UInt64
    var xruns: UInt64
    var overruns: UInt64
    var frameGaps: UInt64
    var lostNanoseconds: UInt64
    /// Time for which the unit was in no graph, from its last cycle on one server to the first on the next.
    var absentNanoseconds: UInt64
    /// How often the server went away and came back.
    var resets: Int
    /// Whether there was no server at the end of the run, or the sound did not go on when it was back.
    var endedWithoutServer: Bool
    /// Of the audio thread; `null` where the kernel does not tell.
    var scheduling: Nullable<SchedulingFacts>
    var memoryLocked: Bool
    /// What happened, at most the last 1000 events.
    var events: [EventReport]
    var seconds: Double

    init(_ run: EngineRun) {
        let statistics = run.unit.statistics
        server = run.facts
        cycles = statistics.cycles
        frames = statistics.frames
        xruns = statistics.xruns
        overruns = statistics.overruns
        frameGaps = statistics.frameGaps
        lostNanoseconds = statistics.lostNanoseconds
        absentNanoseconds = run.absentNanoseconds
        resets = run.engine.resets
        endedWithoutServer = run.outageEnd != nil
        scheduling = Nullable(run.connection?.scheduling.map(SchedulingFacts.init))
        memoryLocked = run.isMemoryLocked
        events = run.engine.events.map(EventReport.init)
        seconds = (run.seconds * 1e6).rounded() / 1e6
    }

    /// On which server, and how.
    var place: String {
        "on \(shown(server.name)) at \(server.sampleRate) Hz (\(conditions))"
    }

    /// How server and audio thread run, in words.
    var conditions: String {
        [
            server.backend.value, server.sync.value.map { $0 ? "sync" : "async" }, scheduling.value?.words,
            memoryLocked ? "memory locked" : "memory not locked",
        ].compactMap { $0 }.joined(separator: ", ")
    }

    var losses: String {
        "xruns \(xruns), frame gaps \(frameGaps), lost \(fixed(Double(lostNanoseconds) / 1e6, 1)) ms"
    }

    /// The time without a server in words; `nil` for none.
    var absence: String? {
        LiveCommands.absence(absentNanoseconds, resets: resets, endedWithoutServer: endedWithoutServer)
    }
}

/// The report of one kind of run: its figures and those of every run, side by side in one object.
struct LiveOutcome<Report: LiveReport>: Encodable {
    private let report: Report

    init(_ report: Report) { self.report = report }

    func encode(to encoder: any Encoder) throws {
        try report.run.encode(to: encoder)
        try report.encode(to: encoder)
    }
}

/// The time of a run for which the server was away, or the run suspended, in words; `nil` for none.
///
/// - Parameters:
///   - absentNanoseconds: without a server or suspended.
///   - resets: how often the server went away and came back.
func absence(_ absentNanoseconds: UInt64, resets: Int, endedWithoutServer: Bool) -> String? {
    let seconds = fixed(Double(absentNanoseconds) / 1e9, 3)
    guard resets > 0 || endedWithoutServer else {
        return absentNanoseconds > 0 ? "  suspended for \(seconds) s" : nil
    }
    let returns = resets > 0 ? " and came back \(resets == 1 ? "once" : "\(resets) times")" : ""
    let loss = resets > 0 ? ", and the sound did not go on after the last time" : " for good"
    return "  the server went away\(returns)\(endedWithoutServer ? loss : ""): \(seconds) s without it"
}

/// How channels are mixed down.
struct MixReport: Encodable {
    var law: ChannelMatrix.Law
    /// For each output the factor of each channel.
    var weights: [[Double]]

    init(_ mix: ChannelMatrix) {
        law = mix.law
        weights = mix.weights
    }
}
