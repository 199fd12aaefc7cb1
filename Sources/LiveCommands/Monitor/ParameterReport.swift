import AudioDSP
import AudioFigures
import AudioReports

/// How parameters stand, in the JSON of a run: of each its name, with the unit behind it, as `gainDecibels`.
struct ParameterReport<Setting: ParameterSetting>: Reported {
    var setting: Setting

    /// Without `mute`, which may change at any time, `bypass`, which the whole unit has, and actions, which have no state.
    static var fields: [ReportField<Self>] {
        Setting.fields.filter { $0.info.kind != .action && !["mute", "bypass"].contains($0.info.name) }.map {
            parameter in
            let info = parameter.info
            return .field(info.name + word(info), meaning(info), unit: unit(info), form: form(info)) {
                value(parameter.value(in: $0.setting))
            }
        }
    }

    private static func meaning(_ info: ParameterInfo) -> String {
        guard case .choice(let words) = info.kind else { return info.summary }
        return "\(info.summary): \(words.listed("or"))"
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
        case .action: false
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
