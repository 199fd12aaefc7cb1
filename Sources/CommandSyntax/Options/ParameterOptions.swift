import AudioDSP

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
            let (usual, words) = Self.words(unit)
            let initial = initial ?? shortest(info.initial.number ?? 0)
            self.init(info.name, placeholder ?? usual, "\(does)\(words), \(range.words) (\(initial))\(more)")
        case .choice(let words):
            let help = "\(does) (\(initial ?? info.initial.word ?? ""))\(more)"
            self.init(info.name, placeholder ?? info.name.uppercased(), help, of: words)
        case .flag, .action:
            let initial = initial ?? (info.initial.isOn == true ? "on" : "off")
            self.init(info.name, placeholder ?? "WHEN", "\(does): on or off (\(initial))\(more)", of: ["on", "off"])
        }
    }

    /// What stands for a number in the help, and what its text says of the unit.
    private static func words(_ unit: String) -> (placeholder: String, words: String) {
        switch unit {
        case "dB": ("DB", " in decibels")
        case "Hz": ("HZ", " in hertz")
        case "ms": ("TIME", " in milliseconds")
        default: ("N", unit.isEmpty ? "" : " in \(unit)")
        }
    }
}

extension Arguments {
    /// What is given of a setting's parameters.
    package func read<Setting>(
        _ fields: [ParameterField<Setting>], into setting: inout Setting
    ) throws(Failure) {
        for field in fields {
            if let value = try value(of: field.info) { field.set(value, in: &setting) }
        }
    }

    /// `nil` where its option was not given.
    package func value(of info: ParameterInfo) throws(Failure) -> ParameterValue? {
        guard has(info.name) else { return nil }
        switch info.kind {
        case .number(let range, "dB", _, _): return try decibels(info.name, range).map { .number($0) }
        case .number(let range, "Hz", _, _): return try pitch(info.name, range).map { .number($0) }
        case .number(let range, "ms", _, _): return try milliseconds(info.name, range).map { .number($0) }
        case .number(let range, _, _, _): return try number(info.name, range).map { .number($0) }
        case .choice: return try choice(info.name).map { .choice($0) }
        case .flag where syntax.option(info.name)?.value == nil: return .flag(true)
        case .flag: return .flag(try choice(info.name) == "on")
        case .action: return .action
        }
    }
}
