/// What an instance of a plug-in tells of itself. It is made in a process of its own: one that crashes, hangs or ends its
/// process there costs its latency, and nothing else.
package struct ProbedInstance: Sendable, Equatable {
    /// At 48 kHz and its initial settings; `nil` where it declares none, or cannot be made.
    package var latencyFrames: Int?
    /// Why it cannot be made; `nil` where it can.
    package var trouble: String?

    /// Of one that was not made.
    package init(trouble: String) { self.trouble = trouble }

    /// Makes one. Thread: any that may wait.
    package init(uri: String, bundle: String, _ probe: PluginProbe, deadlineSeconds: Int = 10) {
        let token = ProbeLine.token()
        // Its own watch tells more than ours, and comes first.
        let watch = max(1, deadlineSeconds - 1)
        let outcome = ChildProcess.run(
            [probe.path, "make", "3", token, "\(watch)", uri, bundle], environment: PluginProbe.environment, output: 3,
            deadlineSeconds: Double(deadlineSeconds))
        let lines = ProbeLine.lines(outcome.bytes, token: token)
        let reason = PluginResult.reason(outcome, lines)
        trouble = reason.isEmpty ? nil : reason
        // To the nearest frame, as a run takes it.
        latencyFrames = lines.last { $0.kind == .latency }?.declared.map { ($0 + 0.5).asCount }
    }
}
