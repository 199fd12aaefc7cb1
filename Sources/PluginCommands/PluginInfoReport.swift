import AudioFigures
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

    var plugin: PluginRow
    var latencyFrames: Nullable<Int>
    var trouble: Nullable<String>
    var check: Nullable<Check>
    var ports: [Port]
    var presets: [Preset]

    /// What is kept of the last check.
    struct Check: Reported {
        var verdict: String
        var found: String
        var date: String
        var isCurrent: Bool

        static let fields: [ReportField<Self>] = [
            .field("verdict", "what the check came to", of: PluginVerdict.allCases.map(\.rawValue), \.verdict),
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
                (verdict, found, date) = (check.verdict.rawValue, check.found, check.date)
            }
            if case .checked = standing { isCurrent = true } else { isCurrent = false }
        }
    }

    struct Preset: Reported {
        var name: String
        var uri: String

        static let fields: [ReportField<Self>] = [
            .field("name", "its label, as preset=NAME takes it", \.name),
            .field("uri", "which preset=URI takes as well", \.uri),
        ]
    }

    struct Port: Reported {
        var index: Int
        var symbol: String
        var name: String
        var type: String
        var direction: String
        var optional: Bool
        var midi: Bool
        var purpose: Nullable<String>
        var range: [Double]
        var unit: String
        var logarithmic: Bool
        var words: [String]
        var initial: Nullable<Double>

        static let fields: [ReportField<Self>] = [
            .field("index", "in the plug-in, from 0", \.index),
            .field("symbol", "its name in --plugin", \.symbol),
            .field("name", "for people", \.name),
            .field("type", "as audio or control", \.type),
            .field("direction", "as the plug-in sees it", of: ["input", "output"], \.direction),
            .field("optional", "whether it may stay unconnected", \.optional),
            .field("midi", "whether it is for MIDI", \.midi),
            .field("purpose", "what LV2 designates it for, as latency; null for nothing", \.purpose),
            .field(
                "range", "of a parameter that is a number or a switch, lowest and highest; empty of others", \.range),
            .field("unit", "of the number; may be empty", \.unit),
            .field("logarithmic", "whether equal ways of a fader are equal ratios", \.logarithmic),
            .field("words", "those that a parameter takes; empty where it takes numbers", \.words),
            .field("initial", "as the port has it; null of what is no parameter", \.initial),
        ]

        init(_ port: PluginPort) {
            (index, symbol, name, type) = (port.index, port.symbol, port.name, port.kind.rawValue)
            (direction, optional, midi) = (port.isInput ? "input" : "output", port.isOptional, port.hasMIDI)
            purpose = Nullable(port.purpose?.rawValue)
            (range, unit, logarithmic, words) = ([], "", false, [])
            switch port.parameter?.kind {
            case .number(let span, let unit, _, let taper):
                (range, self.unit, logarithmic) = ([span.lowerBound, span.upperBound], unit, taper == .logarithmic)
            case .choice(let words): self.words = words
            case .flag: range = [0, 1]
            case .action, nil: break
            }
            initial = Nullable(port.isInput ? port.parameter.map { Double(port.number($0.initial)) } : nil)
        }
    }
}
