import Jack

/// Why a unit could not do what it was asked to, in one sentence.
public enum UnitError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What JACK refused, or a server that is gone.
    case jack(JackError)
    /// A value outside its range.
    case invalidConfiguration(String)
    /// No port answers any of the patterns.
    case nothingMatches(patterns: [String], direction: PortDirection, available: [String])
    /// The unit runs already, or does not run.
    case wrongState(String)

    /// What the body returns; what JACK refuses it is thrown as `jack`.
    static func ofJack<Value: ~Copyable>(_ body: () throws(JackError) -> Value) throws(UnitError) -> Value {
        do throws(JackError) { return try body() } catch { throw .jack(error) }
    }

    public var description: String {
        switch self {
        case .jack(let error):
            return error.description
        case .invalidConfiguration(let reason), .wrongState(let reason):
            return reason
        case .nothingMatches(let patterns, let direction, let available):
            let wanted = patterns.map { "\"\($0)\"" }.joined(separator: " or ")
            let kind = direction == .output ? "to take sound from" : "to send sound to"
            let list = available.isEmpty ? "there are none" : "there are: " + available.joined(separator: ", ")
            return "no port \(kind) matches \(wanted); \(list)"
        }
    }
}
