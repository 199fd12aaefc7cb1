import AudioDSP
import AudioReports

/// How parameters stand, in the JSON of a run: of each its name, with the unit behind it, as `gainDecibels`.
struct ParameterReport<Setting: ParameterSetting>: Reported {
    var setting: Setting

    /// Without the mute, which is of a moment, and the bypass, which is the whole unit's.
    static var fields: [ReportField<Self>] {
        Setting.fields.filter { !["mute", "bypass"].contains($0.info.name) }.map { parameter in
            let info = parameter.info
            return .field(info.name + word(info), meaning(info), unit: unit(info), form: form(info)) {
                value(parameter.value(in: $0.setting))
            }
        }
    }

    private static func meaning(_ info: ParameterInfo) -> String {
        guard case .choice(let words) = info.kind, let last = words.last else { return info.summary }
        return "\(info.summary): \(words.dropLast().joined(separator: ", ")) or \(last)"
    }

    private static func form(_ info: ParameterInfo) -> FieldForm {
        switch info.kind {
        case .number: Double.form
        case .choice(let words): FieldForm(.choice(words))
        case .flag, .action: Bool.form
        }
    }

    private static func value(_ value: ParameterValue) -> any FieldValue {
        switch value {
        case .number(let number): thousandths(number)
        case .choice(let word): word
        case .flag(let isOn): isOn
        case .action: Bool?.none
        }
    }

    private static func unit(_ info: ParameterInfo) -> Figure.Unit {
        if case .number(_, let unit, _, _) = info.kind { Figure.Unit(rawValue: unit) ?? .none } else { .none }
    }

    /// What stands behind the name.
    private static func word(_ info: ParameterInfo) -> String {
        switch unit(info) {
        case .decibels: "Decibels"
        case .hertz: "Hertz"
        case .milliseconds: "Milliseconds"
        case .seconds: "Seconds"
        case .frames: "Frames"
        default: ""
        }
    }
}
