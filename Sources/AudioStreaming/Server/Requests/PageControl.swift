import AudioDSP
import FoundationEssentials

/// What any page may ask of the server for itself, also without the token: to leave out members that it does not show, as
/// `{"without":["scope"]}`. The server then sends all others once.
struct PageWish: Decodable {
    /// Names of members of the scene; empty for all of it.
    let without: [String]

    /// - Returns: `nil` for what is none.
    init?(text: String) {
        guard text.utf8.count <= PageControl.limit, text.contains("without"),
            let wish = try? JSONDecoder().decode(Self.self, from: Data(text.utf8))
        else { return nil }
        self = wish
    }
}

/// What a listener with the token asks the unit to do, from a text message of the page: a control, and what it is to be set to.
/// There may be no such control, or it may take other values (`checked`).
public struct PageControl: Sendable, Equatable, Decodable {
    /// Of the control, as OSC has it.
    public private(set) var name: String
    /// Not held against its range yet.
    public private(set) var value: ParameterValue

    private enum CodingKeys: String, CodingKey {
        case name = "set"
        case value
    }

    /// No message is longer, in bytes.
    static let limit = 1024

    /// Reads one, as `{"set":"gain","value":-3}`. Any text may come.
    ///
    /// - Throws: `badData`.
    public init(text: String) throws(StreamError) {
        guard text.utf8.count <= Self.limit else { throw Self.bad("it is longer than \(Self.limit) bytes") }
        guard let message = try? JSONDecoder().decode(Self.self, from: Data(text.utf8)) else {
            throw Self.bad("it is not of the form {\"set\":NAME,\"value\":VALUE}")
        }
        self = message
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        if let flag = try? container.decode(Bool.self, forKey: .value) {
            value = .flag(flag)
        } else if let number = try? container.decode(Double.self, forKey: .value) {
            value = .number(number)
        } else {
            value = .choice(try container.decode(String.self, forKey: .value))
        }
    }

    /// The same for a control that is there, with a value that it takes. An action is asked for by `true` or 1, a switch by a flag or
    /// by 1 and 0, and a choice by its word or by the number of that, from 0.
    ///
    /// - Parameter known: what can be set, by name.
    /// - Throws: `badData` where the control is not there, or takes other values.
    package func checked(_ known: [String: ParameterInfo]) throws(StreamError) -> Self {
        guard let info = known[name] else { throw Self.bad("there is no control \"\(name.prefix(64))\"") }
        var control = self
        switch (info.kind, value) {
        case (.action, .flag(true)), (.action, .number(1)): control.value = .action
        case (.flag, .number(let number)) where number == 0 || number == 1, (.choice, .number(let number)):
            control.value = info.value(number)
        default: break
        }
        guard info.accepts(control.value) else { throw Self.bad("\(name) takes \(info.takes)") }
        return control
    }

    private static func bad(_ reason: String) -> StreamError {
        StreamError(.badData, "read what the page asks for", reason)
    }
}
