import AudioFigures

extension Report {
    /// Of a log that an earlier run has written.
    ///
    /// - Parameters:
    ///   - server, host: what the log says of them; `nil` where it says nothing.
    public init(
        log path: String, of analyses: [CallbackAnalysis], server: ServerFacts?, host: HostFacts?, schema: String
    ) {
        let modes = analyses.map(\.report)
        self.init(
            schema: schema,
            server: server
                ?? ServerFacts(
                    name: path, backend: nil, sampleRate: analyses.first?.sampleRate ?? 0,
                    periodFrames: modes.first?.periodFrames ?? 0, sync: nil, realtime: nil),
            host: host
                ?? HostFacts(cpu: nil, cores: nil, kernel: nil, preemption: nil, governor: nil, scheduling: nil))
        self.modes = modes
        seconds = (analyses.first?.renderedNanoseconds ?? 0) / 1e9
    }
}
