import Glibc
import Threads

/// The program that loads a plug-in, so that none is ever loaded here.
package struct PluginProbe: Sendable {
    package static let name = "pluginprobe"

    /// Its path.
    package let path: String

    /// Where it is installed: beside the command, or in the installation's `libexec`.
    ///
    /// - Throws: `cannotRead` where it is in neither.
    package init() throws(FileError) {
        try self.init(besideProgram: FilePath("/proc/self/exe").resolved)
    }

    /// - Parameter program: the path of the program that it belongs to.
    package init(besideProgram program: String) throws(FileError) {
        let folder = FilePath(program).folder
        let places = ["\(folder)/\(Self.name)", "\(folder)/../libexec/iounit/\(Self.name)"]
        guard let place = places.first(where: { unsafe access($0, X_OK) == 0 }) else {
            throw .cannotRead(
                path: places[0], reason: "this program, which loads the plug-ins, is missing; install iounit again")
        }
        path = place
    }

    /// What it has told, and how it came to its end.
    typealias Answer = (outcome: ChildProcess.Outcome, lines: [ProbeLine])

    /// Runs it, and reads what it tells. What a plug-in has started ends with it. Thread: any that may wait.
    func answer(
        _ verb: String, _ words: [String], environment: [String: String] = Self.environment, deadlineSeconds: Double,
        isStopped: () -> Bool = { false }
    ) -> Answer {
        let token = ProbeLine.token()
        let mark = ProcessMark()
        let outcome = ChildProcess.run(
            [path, verb, "3", token] + words, environment: mark.added(to: environment), output: 3,
            deadlineSeconds: deadlineSeconds, isStopped: isStopped)
        mark.endAll()
        return (outcome, ProbeLine.lines(outcome.bytes, token: token))
    }

    /// How much later than the probe's own watch ours ends it: a machine may stand still where that is due.
    private static let graceSeconds = 6

    /// The same of one plug-in, within a time that its own watch looks after: that tells more than ours, and comes first.
    func answer(
        _ verb: String, uri: String, bundles: [String], deadlineSeconds: Int, isStopped: () -> Bool = { false }
    ) -> Answer {
        answer(
            verb, ["\(max(1, deadlineSeconds - 1))", uri] + bundles,
            deadlineSeconds: Double(deadlineSeconds + Self.graceSeconds), isStopped: isStopped)
    }

    /// For what is loaded: all functions of other libraries are found at once, and not in the first block; and a plug-in with Qt
    /// needs no display.
    static var environment: [String: String] {
        var all = Environment.all
        all["LD_BIND_NOW"] = "1"
        all["QT_QPA_PLATFORM"] = "offscreen"
        for name in ["DISPLAY", "WAYLAND_DISPLAY", "LD_PRELOAD"] { all[name] = nil }
        return all
    }
}

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
