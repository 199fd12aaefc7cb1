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
