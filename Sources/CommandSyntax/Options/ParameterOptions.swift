import AudioDSP
import AudioReports

// Options that set parameters: name, range, words and initial value are declared there.
extension Option {
    /// - Parameters:
    ///   - does: what it does; `nil` for what the parameter says of itself.
    ///   - placeholder: stands for its value; `nil` for what follows from the unit, or the name in capitals.
    ///   - initial: what stands in brackets for its initial value.
    ///   - more: what is to be said behind all that.
    package init(
        _ info: ParameterInfo, _ does: String? = nil, placeholder: String? = nil, initial: String? = nil,
        more: String = ""
    ) {
        let does = does ?? info.summary
        switch info.kind {
        case .number(let range, let unit, _, _):
            let usual = NumberForm.of(unit: unit).placeholder
            let name = ["dB": "decibels", "Hz": "hertz", "ms": "milliseconds"][unit] ?? unit
            let words = name.isEmpty ? "" : " in \(name)"
            let initial = initial ?? shortest(info.initial.number ?? 0)
            self.init(info.name, placeholder ?? usual, "\(does)\(words), \(range.words) (\(initial))\(more)")
        case .choice(let words):
            let help = "\(does) (\(initial ?? info.initial.word ?? ""))\(more)"
            self.init(info.name, placeholder ?? info.name.uppercased(), help, of: words)
        case .flag, .action:
            let initial = initial ?? (info.initial.isOn == true ? "on" : "off")
            self.init(info.name, placeholder ?? "WHEN", "\(does): on or off (\(initial))\(more)", of: ["on", "off"])
        }
        isOfParameter = true
    }
}

extension Arguments {
    /// Whether the option that sets a parameter is given.
    package func has(_ info: ParameterInfo) -> Bool { has(info.name) }

    /// What is given of a setting's parameters.
    package func read<Setting>(
        _ fields: [ParameterField<Setting>], into setting: inout Setting
    ) throws(Failure) {
        for field in fields {
            if let value = try value(of: field.info) { field.set(value, in: &setting) }
        }
    }

    /// A number, or its initial value.
    package func number(of info: ParameterInfo) throws(Failure) -> Double {
        try value(of: info)?.number ?? info.initial.number ?? 0
    }

    /// `nil` where its option was not given.
    package func value(of info: ParameterInfo) throws(Failure) -> ParameterValue? {
        guard has(info.name) else { return nil }
        switch info.kind {
        case .number(let range, let unit, _, _):
            return try number(info.name, .of(unit: unit), range).map { .number($0) }
        case .choice: return try choice(info.name).map { .choice($0) }
        case .flag where syntax.option(info.name)?.value == nil: return .flag(true)
        case .flag: return .flag(try choice(info.name) == "on")
        case .action: return .action
        }
    }
}

// Parameters in the words of one option, as NAME=VALUE,…
extension ParameterInfo {
    /// What a word behind `NAME=` stands for; `nil` where it is none of the parameter's kind. Its range is not looked at.
    package func value(word: String) -> ParameterValue? {
        switch kind {
        case .number(_, "dB", _, _): (Double(decimal: word) ?? Quantity.decibels(word)).map { .number($0) }
        case .number(_, "ms", _, _): (Double(decimal: word) ?? Quantity.milliseconds(word)).map { .number($0) }
        case .number(_, "Hz", _, _): (Double(decimal: word) ?? Quantity.hertz(word)).map { .number($0) }
        // Plug-ins often do not tell that a number is in hertz.
        case .number: (Double(decimal: word) ?? Quantity.read(word, [("k", 1000)])).map { .number($0) }
        case .choice: .choice(word)
        case .flag: ["on": true, "1": true, "off": false, "0": false][word].map { .flag($0) }
        case .action: ["on", "1"].contains(word) ? .action : nil
        }
    }

    /// As `value` reads it, within the range.
    ///
    /// - Parameter isRounded: whether numbers are rounded to thousandths.
    package func word(_ value: ParameterValue, isRounded: Bool = true) -> String {
        switch value {
        case .number(let number): shortest(heldInRange(isRounded ? thousandths(number) : number))
        case .choice(let word): word
        case .flag(let isOn): isOn ? "on" : "off"
        case .action: ""
        }
    }

    private func heldInRange(_ number: Double) -> Double {
        guard case .number(let range, _, _, _) = kind else { return number }
        return min(max(number, range.lowerBound), range.upperBound)
    }
}
