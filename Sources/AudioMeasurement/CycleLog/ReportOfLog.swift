import AudioFigures

extension Report {
    /// Of a log that an earlier run has written.
    ///
    /// What neither its records nor its summaries tell is `nil`.
    ///
    /// - Parameters:
    ///   - server, host, scheduling, run: what the log says of them; `nil` where it says nothing.
    ///   - summary: of the mode of this name, likewise. Callbacks that it has and that were not analysed count as lost records.
    public init(
        log path: String, of analyses: [CallbackAnalysis], server: ServerFacts?, host: HostFacts?,
        scheduling: SchedulingFacts? = nil, run: RunSummary? = nil, schema: String,
        summary: (String) -> ModeSummary? = { _ in nil }
    ) {
        self.init(
            schema: schema,
            server: server
                ?? ServerFacts(
                    name: path, backend: nil, sampleRate: analyses.first?.sampleRate ?? 0,
                    periodFrames: analyses.first?.report.periodFrames ?? 0, sync: nil, realtime: nil),
            host: host ?? HostFacts(cpu: nil, cores: nil, kernel: nil, preemption: nil, governor: nil))
        self.scheduling = Nullable(scheduling)
        modes = analyses.map { analysis in
            var mode = analysis.report
            // The audio thread's cycles are what tells of lost time; a queue's callbacks are its worker's.
            if mode.mode == .queued { mode.lost = Lost.unknown }
            if let summary = summary(mode.name) { mode.add(summary) }
            return mode
        }
        modes = modes.filter { $0.mode == .callback } + modes.filter { $0.mode != .callback }
        seconds = (analyses.first?.renderedNanoseconds ?? 0) / 1e9
        (warmupSeconds, isSequential) = (Nullable(nil), Nullable(nil))
        if let run { add(run) }
    }
}
