import Jack

/// The connections of a client's ports as they are meant to be: what the client made itself, and what others made and
/// removed meanwhile. It outlives the client, so that the next one can be connected in the same way.
///
/// A connection that somebody removed is forgotten. One that ended because the port at the other end vanished is kept, and
/// restored. JACK reports both as a disconnection, and only after that the end of the port. So a disconnection is judged a moment
/// later.
struct Patch: Sendable {
    /// How long after the end of a connection its port may be told to be gone.
    private static let judgementNanoseconds: UInt64 = 300_000_000

    /// One of our ports, by the name that it was registered with, and one of anybody's.
    private struct Connection: Hashable {
        var own: String
        var isSource: Bool
        var peer: Peer
    }

    /// A port at the other end.
    private enum Peer: Hashable {
        /// Ours too, whatever the client is called next time.
        case own(String)
        /// By its full name.
        case other(String)
    }

    private enum Condition: Equatable {
        case made
        case removed(atNanoseconds: UInt64)
        case missing
    }

    private var connections: [Connection: Condition] = [:]
    /// Of those that are missing, since ports were told last to have come, gone or got another name.
    private var refusals: [Connection: Refusal] = [:]
    /// In the order in which they were made, for they are made again in that order.
    private var order: [Connection] = []
    /// Our ports by the full names that they have at present, which others may change.
    private var own: [String: String] = [:]
    /// What was lost or restored since it was last asked for.
    private var news: [EngineEvent.Kind] = []

    /// Forgets every connection: a client is started as if for the first time.
    mutating func clear() {
        connections = [:]
        refusals = [:]
        order = []
        news = []
    }

    /// A client was opened. The known connections are to be restored on its ports.
    ///
    /// - Parameter ports: their full names by those that they were registered with.
    mutating func begin(ports: [String: String]) {
        own = Dictionary(ports.map { ($0.value, $0.key) }, uniquingKeysWith: { first, _ in first })
        refusals = [:]
        for connection in order { connections[connection] = .missing }
    }

    /// Takes note of what JACK says.
    mutating func note(_ notification: Notification, atNanoseconds now: UInt64) {
        switch notification {
        // What was refused may be possible by now.
        case .portRegistered, .portUnregistered, .portRenamed: refusals = [:]
        default: break
        }
        switch notification {
        case .portsConnected(let source, let target): connect(source, target)
        case .portsDisconnected(let source, let target):
            guard let connection = connection(source, target), connections[connection] == .made else { return }
            connections[connection] = .removed(atNanoseconds: now)
        case .portUnregistered(let name):
            for connection in order where connection.peer == peer(name) && connections[connection] != .missing {
                lose(connection)
            }
        case .portRenamed(let old, let new): rename(old, new)
        default: break
        }
    }

    /// A connection is there, made by us or by another program.
    mutating func connect(_ source: String, _ target: String) {
        guard let connection = connection(source, target) else { return }
        switch connections[connection] {
        case nil: order.append(connection)
        case .missing: news.append(.connectionRestored(Link(source: source, target: target)))
        case .made, .removed: break
        }
        connections[connection] = .made
        refusals[connection] = nil
    }

    /// JACK refuses to make a connection: it is asked again in a while, which is twice as long each time.
    mutating func refuse(_ link: Link, atNanoseconds now: UInt64) {
        guard let connection = connection(link.source, link.target) else { return }
        refusals[connection] = Refusal(after: refusals[connection], atNanoseconds: now)
    }

    /// The connections that are wanted and not there, in the order in which they were made; without those that JACK has refused
    /// just now.
    ///
    /// - Parameter now: what was removed a while before it, by somebody and not by a port's end, is wanted no more.
    mutating func missing(atNanoseconds now: UInt64) -> [Link] {
        for (connection, condition) in connections {
            guard case .removed(let then) = condition, now > then + Self.judgementNanoseconds else { continue }
            connections[connection] = nil
            order.removeAll { $0 == connection }
        }
        return order.filter { connections[$0] == .missing && refusals[$0]?.endNanoseconds ?? 0 <= now }
            .compactMap(link)
    }

    /// A connection is wanted no more, whether or not its port is there.
    mutating func forget(_ link: Link) {
        guard let connection = connection(link.source, link.target) else { return }
        connections[connection] = nil
        refusals[connection] = nil
        order.removeAll { $0 == connection }
    }

    /// The connections that are there, in the order in which they were made.
    var made: [Link] { order.filter { connections[$0] == .made }.compactMap(link) }

    /// Everything that could be made again at once has been: there is news of the rest alone.
    mutating func announceMissing() {
        news = order.filter { connections[$0] == .missing }.compactMap(link).map(EngineEvent.Kind.connectionLost)
    }

    mutating func takeNews() -> [EngineEvent.Kind] {
        defer { news = [] }
        return news
    }

    private mutating func lose(_ connection: Connection) {
        connections[connection] = .missing
        if let link = link(connection) { news.append(.connectionLost(link)) }
    }

    private mutating func rename(_ old: String, _ new: String) {
        // jackd reports that too.
        guard old != new else { return }
        if let registered = own.removeValue(forKey: old) { own[new] = registered }
        func renamed(_ connection: Connection) -> Connection {
            Connection(own: connection.own, isSource: connection.isSource, peer: .other(new))
        }
        // What waited for a port of the new name is the same connection now.
        let all = order.filter { $0.peer == .other(old) }.map(renamed)
        order.removeAll(where: all.contains)
        for (index, connection) in order.enumerated() where connection.peer == .other(old) {
            let renamed = renamed(connection)
            order[index] = renamed
            connections[renamed] = connections.removeValue(forKey: connection)
        }
    }

    /// `nil` where neither port is ours.
    private func connection(_ source: String, _ target: String) -> Connection? {
        if let own = own[source] { return Connection(own: own, isSource: true, peer: peer(target)) }
        return own[target].map { Connection(own: $0, isSource: false, peer: peer(source)) }
    }

    private func peer(_ name: String) -> Peer { own[name].map(Peer.own) ?? .other(name) }

    private func link(_ connection: Connection) -> Link? {
        func present(_ registered: String, _ ports: [String: String]) -> String? {
            ports.first { $0.value == registered }?.key
        }
        guard let own = present(connection.own, self.own) else { return nil }
        let peer: String? =
            switch connection.peer {
            case .own(let registered): present(registered, self.own)
            // Another client had that name once, and it is one of ours by now: not the port that was meant.
            case .other(let name): self.own[name] == nil ? name : nil
            }
        guard let peer else { return nil }
        return connection.isSource ? Link(source: own, target: peer) : Link(source: peer, target: own)
    }
}
