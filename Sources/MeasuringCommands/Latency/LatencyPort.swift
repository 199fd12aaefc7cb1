import AudioReports
import CommandSyntax
import Jack

/// The one port that a name or a pattern stands for.
struct LatencyPort {
    let name: String

    /// - Parameters:
    ///   - option: which asks for it: `send` or `return`.
    ///   - direction: that it must have: sound is sent to an input, and heard at an output.
    init(
        _ wanted: String, option: String, _ direction: PortDirection, on client: borrowing some JackClient & ~Copyable
    ) throws {
        func failure(_ text: String) -> Failure { Failure(.usage, "--\(option)\(text)", of: option) }
        let word = direction == .input ? "input" : "output"
        // A name is no pattern, though it may look like one.
        if let port = client.port(named: wanted) {
            guard port.direction == direction else {
                let other = direction == .input ? "output" : "input"
                throw failure(": \(shown(port.name)) is an \(other), and it takes an \(word)")
            }
            guard port.isAudio else { throw failure(": \(shown(port.name)) carries no audio") }
            name = port.name
            return
        }
        let found = try client.ports(PortQuery(pattern: wanted, direction: direction)).map(\.name)
        guard let first = found.first else {
            let others = try client.ports(PortQuery(pattern: wanted)).map(\.name)
            guard others.isEmpty else {
                throw failure(" takes an \(word), and \"\(shown(wanted))\" matches only \(Self.list(others))")
            }
            let names = try client.ports(PortQuery(direction: direction)).map(\.name)
            let near = didYouMean(wanted, among: names) ?? "the \(word)s are: \(Self.list(names))"
            throw failure(": no port matches \"\(shown(wanted))\"; \(near)")
        }
        guard found.count == 1 else {
            throw failure(
                " takes one port, and \"\(shown(wanted))\" matches \(found.count): \(Self.list(found))")
        }
        name = first
    }

    private static func list(_ names: [String]) -> String {
        names.isEmpty ? "there are none" : names.map(shown).joined(separator: ", ")
    }
}
