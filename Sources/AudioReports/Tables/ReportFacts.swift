import AudioFigures

/// What was measured where and how, in words: the head of tables and pages.
struct ReportFacts {
    /// The command: `iounit jitter`.
    let command: String
    /// What is wrong with the run, if anything: to be read before any figure.
    let warning: String?
    /// Name and content, in the order of their weight.
    let facts: [(name: String, text: String)]

    init(_ report: Report) {
        let schema = report.schema.split(separator: "/").first ?? "iounit"
        command = shown(schema.split(separator: ".").joined(separator: " "))
        warning =
            switch report.end {
            case .done: nil
            case .interrupted:
                "INCOMPLETE: the run was interrupted; the figures are of the first \(fixed(report.seconds, 1)) s."
            case .freewheeling:
                "INCOMPLETE: the JACK server runs as fast as it can; the figures of the first \(fixed(report.seconds, 1)) s "
                    + "need not tell of real time."
            case .serverLost:
                "INCOMPLETE: the JACK server went away; the figures are of the first \(fixed(report.seconds, 1)) s."
            }
        facts =
            [
                ("server", Self.server(report.server)), ("period", Self.period(report.server) + Self.changes(report)),
                ("host", Self.host(report.host)), ("audio thread", Self.scheduling(report)),
                ("measured", Self.run(report)),
            ] + report.plugins.map { ("plug-in", $0.summary) } + (report.provenance.value?.facts ?? [])
    }

    private static func server(_ server: ServerFacts) -> String {
        var parts = [shown(server.name)]
        if let backend = server.backend.value { parts.append("\(shown(backend)) backend") }
        let mode = server.sync.value.map { $0 ? "synchronous" : "asynchronous" }
        parts.append(mode ?? "synchronous or asynchronous is not told")
        return parts.joined(separator: ", ")
    }

    private static func period(_ server: ServerFacts) -> String {
        guard server.sampleRate > 0 else { return "\(server.periodFrames) frames" }
        let time = duration(Double(server.periodFrames) / Double(server.sampleRate) * 1e9, significantDigits: 4)
        return "\(server.periodFrames) frames at \(server.sampleRate) Hz = \(time)"
    }

    private static func changes(_ report: Report) -> String {
        let most = report.modes.max { $0.parts.count + $0.omittedParts < $1.parts.count + $1.omittedParts }
        return most?.changesInWords.map { " at the beginning; \($0)" } ?? ""
    }

    private static func host(_ host: HostFacts) -> String {
        guard host.cpu.value != nil || host.kernel.value != nil else { return "not told" }
        var parts = [host.cpu.value.map(shown) ?? "unknown processor"]
        if let cores = host.cores.value { parts.append(counted(max(0, cores), "core")) }
        if let kernel = host.kernel.value { parts.append("Linux \(shown(kernel))") }
        if let preemption = host.preemption.value { parts.append("preemption \(shown(preemption))") }
        if let governor = host.governor.value { parts.append("governor \(shown(governor))") }
        return parts.joined(separator: ", ")
    }

    private static func scheduling(_ report: Report) -> String {
        let policy = (report.scheduling.value?.words).map(shown) ?? "scheduling not told"
        return report.server.realtime.value ?? true ? policy : "\(policy), on a server without real-time scheduling"
    }

    private static func run(_ report: Report) -> String {
        var text = "\(fixed(report.seconds, 1)) s"
        if let warmup = report.warmupSeconds.value, warmup > 0 { text += " after \(fixed(warmup, 1)) s of warm-up" }
        if report.modes.count > 1, let isSequential = report.isSequential.value {
            text += isSequential ? ", one mode after the other" : ", all modes at the same time"
        }
        guard report.baseline.value != nil else { return text }
        // It goes on as it began.
        let hasOtherPeriod = report.modes.contains(where: \.hasChangedPeriod)
        return text + ", with a timer beside" + (hasOtherPeriod ? " at the first period" : "")
    }
}

extension Provenance {
    /// When, where and how something was made, in words.
    package var facts: [(name: String, text: String)] {
        [("made", "\(momentAndPlace) by iounit \(shown(version))"), ("command", shown(command))]
    }

    /// `2026-11-23 07:58:01 UTC on studio`.
    var momentAndPlace: String {
        "\(shown(date).replacing("T", with: " ").replacing("Z", with: " UTC")) on \(shown(host))"
    }
}
