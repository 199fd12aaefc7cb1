import AudioDSP
import AudioPlugins
import AudioReports
import CommandSyntax
import PluginChecks

/// `iounit plugin info`.
struct PluginFacts {
    let name: String
    let isJSON: Bool

    func run() throws -> ExitCode {
        let list = try PluginList.installed()
        let info = try list.info(name)
        let presets = list.presets(of: info)
        let instance = instance(of: info)
        let standing = PluginGuard.standing(of: info)
        guard isJSON else {
            return try StandardOutput.print(page(info, presets, instance, standing))
        }
        let report = PluginInfoReport(
            plugin: info, latencyFrames: instance.latencyFrames, trouble: instance.trouble,
            check: PluginInfoReport.Check(standing), ports: info.ports, presets: presets)
        return try StandardOutput.print(reportJSON(report))
    }

    /// As a run would find it, which a bundle alone does not say.
    private func instance(of info: PluginInfo) -> ProbedInstance {
        do {
            var instance = ProbedInstance(uri: info.uri, bundle: info.bundle, try PluginProbe())
            // Without such a port there is nothing to make up for.
            if !info.reportsLatency, instance.trouble == nil { instance.latencyFrames = 0 }
            // What this host lacks, another one may offer.
            do throws(PluginError) { try info.checkFeatures() } catch { instance.trouble = error.description }
            return instance
        } catch {
            return ProbedInstance(trouble: Failure.from(error).message)
        }
    }

    private func page(
        _ info: PluginInfo, _ presets: [PluginPreset], _ instance: ProbedInstance, _ standing: KeptStanding
    )
        -> String
    {
        var facts = [
            ("URI", info.uri), ("name", info.name), ("class", info.category), ("author", info.author),
            ("bundle", info.bundle), ("library", info.library),
            ("channels", "\(info.inputs) in, \(info.outputs) out"),
            ("MIDI", info.hasMIDIInput ? (info.hasMIDIOutput ? "in and out" : "in") : info.hasMIDIOutput ? "out" : ""),
            ("latency", latency(info, instance)),
            ("claims", info.claimsRealTime ? "that it may run on an audio thread (hardRTCapable)" : ""),
            ("checked", checked(info, standing)),
            ("requires", info.requiredFeatures.joined(separator: ", ")),
        ]
        if let short = info.shortName { facts.insert(("short name", short), at: 1) }
        if let trouble = instance.trouble { facts.append(("trouble", trouble)) }
        var lines = facts.filter { !$0.1.isEmpty }.map { "\(padded($0.0, 10))  \(shown($0.1))" }
        lines += section("Parameters", info.controls.compactMap(\.parameter)) { parameter in
            parameter.initial == .action ? "something to be done" : "\(parameter.takes) (\(word(parameter.initial)))"
        }
        lines += section("Meters", info.meters.compactMap(\.parameter)) { _ in "" }
        if !presets.isEmpty {
            let width = min(32, presets.map { shown($0.name).count }.max() ?? 0)
            lines += ["", "Presets:"] + presets.map { "  \(padded(shown($0.name), width))  \(shown($0.uri))" }
        }
        return lines.joined(separator: "\n")
    }

    private func latency(_ info: PluginInfo, _ instance: ProbedInstance) -> String {
        guard info.reportsLatency else { return "none declared" }
        guard let frames = instance.latencyFrames else { return "not known" }
        return "\(frames) frames" + (instance.latencyNote.isEmpty ? "" : ": it \(instance.latencyNote)")
    }

    private func checked(_ info: PluginInfo, _ standing: KeptStanding) -> String {
        switch standing {
        case .checked(let check): "on \(check.day): \(check.inWords)"
        case .changed(let check):
            "on \(check.day), and has changed since; iounit plugin check \(info.shown) does it again"
        case .notChecked: "not yet; iounit plugin check \(info.shown) does it"
        }
    }

    private func section(
        _ heading: String, _ parameters: [ParameterInfo], _ takes: (ParameterInfo) -> String
    ) -> [String] {
        guard !parameters.isEmpty else { return [] }
        let width = parameters.map(\.name.count).max() ?? 0
        let summaries = parameters.map(\.summary.count).max() ?? 0
        return ["", "\(heading):"]
            + parameters.map { parameter in
                let summary = padded(shown(parameter.summary), min(summaries, 32))
                return "  " + trimmed("\(padded(shown(parameter.name), width))  \(summary)  \(shown(takes(parameter)))")
            }
    }

    private func word(_ value: ParameterValue) -> String {
        switch value {
        case .number(let number): shortest(number)
        case .choice(let word): word
        case .flag(let isOn): isOn ? "1" : "0"
        case .action: ""
        }
    }
}

/// What `iounit plugin info --json` prints.
struct PluginInfoReport: ReportDocument {
    static let kind = document("plugin", 1, note: "Of iounit plugin info.")
    static let fields: [ReportField<Self>] = [
        .group("plugin", \.plugin),
        .field(
            "latencyFrames",
            "at its initial settings at 48 kHz; null where it cannot be made, or makes no answer: trouble says why",
            unit: .frames, \.latencyFrames),
        .field("trouble", "why it cannot be made, or not by this host; null where it can", \.trouble),
        .field("check", "what the last check has found; null where none is known", \.check),
        .group("ports", \.ports),
        .group("presets", \.presets),
    ]

    var plugin: PluginInfo
    var latencyFrames: Int?
    var trouble: String?
    var check: Check?
    var ports: [PluginPort]
    var presets: [PluginPreset]

    /// What is kept of the last check.
    struct Check: Reported {
        private let check: KeptCheck
        private let isCurrent: Bool

        static let fields: [ReportField<Self>] = [
            .field("verdict", "what the check came to", \.check.verdict),
            .field("found", "kinds and phases of what it must not do, or the reason; may be empty", \.check.found),
            .field("date", "of the check, in UTC", \.check.date),
            .field(
                "isCurrent", "false where its binary has changed since, or the check looks at more now", \.isCurrent),
        ]

        /// - Returns: `nil` where none is known.
        init?(_ standing: KeptStanding) {
            switch standing {
            case .notChecked: return nil
            case .changed(let check): (self.check, isCurrent) = (check, false)
            case .checked(let check): (self.check, isCurrent) = (check, true)
            }
        }
    }
}

extension PluginPreset: Reported {
    package static let fields: [ReportField<Self>] = [
        .field("name", "its label, as preset=NAME takes it", \.name),
        .field("uri", "which preset=URI takes as well", \.uri),
    ]
}

extension PluginPort: Reported {
    package static let fields: [ReportField<Self>] = [
        .field("index", "in the plug-in, from 0", \.index),
        .field(
            "symbol", "as in presets; its name in --plugin, but bypass_port for bypass and preset_port for preset",
            \.symbol),
        .field("name", "for people", \.name),
        .field("type", "as audio or control", \.kind.rawValue),
        .field("direction", "as the plug-in sees it", of: ["input", "output"]) { $0.isInput ? "input" : "output" },
        .field("optional", "whether it may stay unconnected", \.isOptional),
        .field("midi", "whether it is for MIDI", \.hasMIDI),
        .field("purpose", "what LV2 designates it for, as latency; null for nothing", \.purpose?.rawValue),
        .field("range", "of a parameter that is a number or a switch, lowest and highest; empty of others") {
            $0.parameter?.ends ?? []
        },
        .field("unit", "of the number; may be empty") { $0.parameter?.unit ?? "" },
        .field("logarithmic", "whether equal ways of a fader are equal ratios") {
            $0.parameter?.isLogarithmic ?? false
        },
        .field("trigger", "whether what is set there happens once, as a reset", \.isTrigger),
        .field("words", "those that a parameter takes; empty where it takes numbers") { $0.parameter?.words ?? [] },
        .field("initial", "as the port has it; null of what is no parameter") { port in
            port.isInput && port.parameter != nil ? port.initialNumber.decimal : nil
        },
    ]
}

extension ParameterInfo {
    fileprivate var ends: [Double] {
        switch kind {
        case .number(let range, _, _, _): [range.lowerBound, range.upperBound]
        case .flag: [0, 1]
        case .choice, .action: []
        }
    }

    fileprivate var unit: String { if case .number(_, let unit, _, _) = kind { unit } else { "" } }

    fileprivate var isLogarithmic: Bool { if case .number(_, _, _, .logarithmic) = kind { true } else { false } }
}
