/// Figures in the form OpenMetrics 1.0, which Prometheus reads.
public struct MetricsExposition: Sendable {
    /// What a figure is.
    public enum Kind: String, Sendable {
        /// What it is at present.
        case gauge
        /// What only grows.
        case counter
    }

    private var lines: [String] = []

    /// One without figures.
    public init() {}

    /// Adds a figure, which is left out where it is not finite.
    ///
    /// - Parameters:
    ///   - name: letters and `_`; of a counter without `_total`, of a figure with a unit with that at its end.
    ///   - unit: as in `seconds`; empty for a number.
    public mutating func add(_ name: String, _ kind: Kind, unit: String = "", _ help: String, _ value: Double) {
        add(name, kind, unit: unit, help, [("", value, "")])
    }

    /// Adds a figure for each of several things.
    ///
    /// - Parameters:
    ///   - label: the name of what they differ in.
    ///   - values: of each; a label may hold any text.
    public mutating func add(
        _ name: String, _ kind: Kind, unit: String = "", _ help: String, by label: String,
        _ values: [(label: String, value: Double)]
    ) {
        add(name, kind, unit: unit, help, values.map { ("{\(label)=\"\(Self.escaped($0.label))\"}", $0.value, "") })
    }

    /// What a figure was at a time.
    public struct Sample: Sendable {
        /// What it is of: names, and any texts.
        public var labels: [(name: String, value: String)]
        /// In the figure's unit.
        public var value: Double
        /// Since the beginning of 1970.
        public var milliseconds: Int

        /// Made of what the properties say.
        public init(labels: [(name: String, value: String)], value: Double, milliseconds: Int) {
            self.labels = labels
            self.value = value
            self.milliseconds = milliseconds
        }
    }

    /// Adds a figure at several times.
    ///
    /// - Parameter samples: those with the same labels follow one another, and their times grow.
    public mutating func add(
        _ name: String, _ kind: Kind, unit: String = "", _ help: String, _ samples: [Sample]
    ) {
        add(
            name, kind, unit: unit, help,
            samples.map { sample in
                let labels = sample.labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }
                return ("{\(labels.joined(separator: ","))}", sample.value, " \(Double(sample.milliseconds) / 1000)")
            })
    }

    private mutating func add(
        _ name: String, _ kind: Kind, unit: String, _ help: String,
        _ values: [(labels: String, value: Double, time: String)]
    ) {
        let full = "iounit_\(name)"
        lines.append("# TYPE \(full) \(kind.rawValue)")
        if !unit.isEmpty { lines.append("# UNIT \(full) \(unit)") }
        lines.append("# HELP \(full) \(Self.escaped(help))")
        for (labels, value, time) in values where value.isFinite {
            lines.append("\(full)\(kind == .counter ? "_total" : "")\(labels) \(value)\(time)")
        }
    }

    /// The whole, with its end mark.
    public var text: String { (lines + ["# EOF"]).joined(separator: "\n") + "\n" }

    /// A text within quotation marks, on one line.
    package static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n", "\r": escaped += "\\n"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}
