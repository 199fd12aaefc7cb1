import Jack

/// Which ports of others a side of the unit is connected to.
public enum Route: Sendable, Equatable {
    /// No port.
    case none
    /// The sound card's, or what the server shows in its place; none where the server has none.
    case physical
    /// The ports that the first of these patterns finds, if it finds any; else those of the next. A pattern is a
    /// POSIX extended regular expression on the port's name.
    case firstOf([String])
}

/// A connection, by the full names of its ports.
public struct Link: Sendable, Hashable {
    /// The output that the sound comes from.
    public var source: String
    /// The input that it goes to.
    public var target: String

    /// - Parameters:
    ///   - source: full name of an output, as in `system:capture_1`.
    ///   - target: full name of an input.
    public init(source: String, target: String) {
        self.source = source
        self.target = target
    }
}

extension Link: CustomStringConvertible {
    public var description: String { "\(source) → \(target)" }
}

extension Route {
    /// The ports that the route leads to, in the server's order.
    ///
    /// - Parameters:
    ///   - direction: of the ports to find: outputs of others feed our inputs.
    ///   - ownName: the unit's client, whose ports are none to route to; `nil` before it is in the graph: then a client of
    ///     the name that it is to have is another's, and the unit gets another name.
    /// - Throws: `nothingMatches`, `jack`.
    func resolve(
        _ direction: PortDirection, on client: borrowing some JackClient & ~Copyable, ownName: String?
    ) throws(UnitError) -> [String] {
        func find(_ query: PortQuery) throws(UnitError) -> [String] {
            let names = try UnitError.ofJack { () throws(JackError) in try client.ports(query) }.map(\.name)
            guard let ownName else { return names }
            return names.filter { !$0.hasPrefix("\(ownName):") }
        }
        switch self {
        case .none:
            return []
        case .physical:
            let physical = try find(PortQuery(direction: direction, isPhysical: true))
            if !physical.isEmpty { return physical }
            // PipeWire does not flag what captures; such ports bear the word in their name all the same.
            return try find(PortQuery(pattern: direction == .output ? ":capture_" : ":playback_", direction: direction))
        case .firstOf(let patterns):
            for pattern in patterns {
                let found = try find(PortQuery(pattern: pattern, direction: direction))
                if !found.isEmpty { return found }
            }
            throw .nothingMatches(
                patterns: patterns, direction: direction, available: try find(PortQuery(direction: direction)))
        }
    }

    /// Pairs our ports with theirs, in order; what is left over on either side stays unconnected, but for one thing:
    /// one port on one side is taken for mono and is spread.
    static func links(inputs ours: [String], from theirs: [String]) -> [Link] {
        if theirs.count == 1 { return ours.map { Link(source: theirs[0], target: $0) } }
        return zip(theirs, ours).map { Link(source: $0, target: $1) }
    }

    /// One of our outputs is heard on both of a pair; all of ours are mixed into a lone port of theirs.
    static func links(outputs ours: [String], to theirs: [String]) -> [Link] {
        if ours.count == 1 { return theirs.prefix(2).map { Link(source: ours[0], target: $0) } }
        if theirs.count == 1 { return ours.map { Link(source: $0, target: theirs[0]) } }
        return zip(ours, theirs).map { Link(source: $0, target: $1) }
    }
}
