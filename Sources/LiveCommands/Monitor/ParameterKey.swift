import AudioDSP

/// The field of a report that has a parameter: its name, with the unit behind it, as `gainDecibels`.
struct ParameterKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }

    init(_ info: ParameterInfo) {
        let units = ["dB": "Decibels", "Hz": "Hertz", "ms": "Milliseconds", "s": "Seconds", "frames": "Frames"]
        let unit: String? = if case .number(_, let unit, _, _) = info.kind { units[unit] } else { nil }
        self.init(info.name + (unit ?? ""))
    }
}

extension KeyedEncodingContainer<ParameterKey> {
    /// How a parameter stands; an action does not.
    mutating func encode(_ value: ParameterValue, of info: ParameterInfo) throws {
        let key = ParameterKey(info)
        switch value {
        case .number(let number): try encode(thousandths(number), forKey: key)
        case .choice(let word): try encode(word, forKey: key)
        case .flag(let isOn): try encode(isOn, forKey: key)
        case .action: break
        }
    }
}
