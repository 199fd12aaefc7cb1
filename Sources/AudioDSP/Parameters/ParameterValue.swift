/// What a parameter stands at, or is set to.
public enum ParameterValue: Equatable, Sendable {
    /// In the parameter's unit.
    case number(Double)
    /// One of the parameter's words.
    case choice(String)
    /// On or off.
    case flag(Bool)
    /// An action has no value: to set it is to do it.
    case action

    /// `nil` of what is no number.
    public var number: Double? { if case .number(let number) = self { number } else { nil } }
    /// `nil` of what is no choice.
    public var word: String? { if case .choice(let word) = self { word } else { nil } }
    /// `nil` of what is no flag.
    public var isOn: Bool? { if case .flag(let isOn) = self { isOn } else { nil } }
}

/// A value that a parameter does not take.
public struct ParameterError: Error, Equatable, CustomStringConvertible {
    /// The parameter's name.
    public let name: String
    /// What it takes, for people.
    public let takes: String

    package init(_ info: ParameterInfo) { (name, takes) = (info.name, info.takes) }

    public var description: String { "\(name) takes \(takes)" }
}

/// What a parameter can be set to by its name, as the shapes of a shaper.
public protocol ParameterChoice: CaseIterable, Sendable {
    /// As on the command line and in reports.
    var name: String { get }
}

extension ParameterChoice {
    /// - Parameter name: as the command line has it; `nil` for any other word.
    public init?(name: String) {
        guard let choice = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = choice
    }
}

extension ParameterChoice where Self: RawRepresentable, RawValue == String {
    public var name: String { rawValue }
}

extension Double {
    /// Reads a number without a unit: 5, -0.5, and with an exponent, as 1e-5, a small one that was saved. Hexadecimal digits, infinities
    /// and what else Swift reads are none.
    package init?(decimal text: some StringProtocol) {
        let isDecimal = text.allSatisfy { $0.isASCII && ($0.isNumber || "+-.eE".contains($0)) }
        guard isDecimal, let number = Double(text), number.isFinite else { return nil }
        self = number
    }
}
