import AudioDSP
import AudioPlugins
import AudioReports
import PluginChecks

/// What `iounit plugin info --json` prints.
struct PluginInfoReport: ReportDocument {
    static let name = "plugin"
    static let version = 1
    static let note = "Of iounit plugin info."
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
        var verdict: PluginVerdict
        var found: String
        var date: String
        var isCurrent: Bool

        static let fields: [ReportField<Self>] = [
            .field("verdict", "what the check came to", \.verdict),
            .field("found", "kinds and phases of what it must not do, or the reason; may be empty", \.found),
            .field("date", "of the check, in UTC", \.date),
            .field(
                "isCurrent", "false where its binary has changed since, or the check looks at more now", \.isCurrent),
        ]

        /// - Returns: `nil` where none is known.
        init?(_ standing: KeptStanding) {
            switch standing {
            case .notChecked: return nil
            case .changed(let check), .checked(let check):
                (verdict, found, date) = (check.verdict, check.found, check.date)
            }
            if case .checked = standing { isCurrent = true } else { isCurrent = false }
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
        .field("symbol", "its name in --plugin", \.symbol),
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
        .field("words", "those that a parameter takes; empty where it takes numbers") { $0.parameter?.words ?? [] },
        .field("initial", "as the port has it; null of what is no parameter") { port in
            port.isInput ? port.parameter.map { Double(port.number($0.initial)) } : nil
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
