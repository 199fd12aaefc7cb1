/// What an instance of a plug-in tells of itself. It is made in a process of its own: one that crashes, hangs or ends its
/// process there costs its latency, and nothing else.
package struct ProbedInstance: Sendable, Equatable {
    /// At 48 kHz and its initial settings; `nil` where it declares none, or cannot be made.
    package var latencyFrames: Int?
    /// What it declares instead, where that is no latency; empty where it is one.
    package private(set) var latencyNote = ""
    /// Why it cannot be made; `nil` where it can.
    package var trouble: String?

    /// Of one that was not made.
    package init(trouble: String) { self.trouble = trouble }

    /// Makes one. Thread: any that may wait.
    package init(uri: String, bundle: String, _ probe: PluginProbe, deadlineSeconds: Int = 10) {
        let answer = probe.answer("make", uri: uri, bundles: [bundle], deadlineSeconds: deadlineSeconds)
        let reason = PluginResult.reason(answer)
        trouble = reason.isEmpty ? nil : reason
        latencyNote = answer.lines.last { $0.finding == FindingKind.latency.rawValue }?.text ?? ""
        // To the nearest frame, as a run takes it.
        latencyFrames = answer.lines.last { $0.kind == .latency }?.declared.map { ($0 + 0.5).asCount }
    }
}
