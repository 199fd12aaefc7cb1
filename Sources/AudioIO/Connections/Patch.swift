import Jack

/// The connections of a client's ports as they are meant to be: what the client made itself, and what others made and
/// unmade meanwhile. It outlives the client, so that the next one can be connected in the same way.
///
/// What is unmade by somebody is forgotten; what is unmade because the port at the other end vanished is kept, and
/// wanted back. JACK tells both in the same words, and only then that the port is gone: hence it is judged a moment
/// later.
struct Patch: Sendable {
    /// How long after the end of a connection its port may be told to be gone.
    private static let judgementNanoseconds: UInt64 = 300_000_000

    /// One of our ports, by the name that it was registered with, and one of anybody's.
    private struct Cord: Hashable {
        var own: String
        var isSource: Bool
        var peer: Peer
    }

    /// A port at the other end.
    private enum Peer: Hashable {
        /// Ours too, whatever the client is called next time.
        case own(String)
        /// One of the unit that the client accompanies, whatever that is called next time.
        case unit(String)
        /// By its full name.
        case other(String)
    }

    private enum Condition: Equatable {
        case made
        case unmade(atNanoseconds: UInt64)
        case missing
    }

    private var cords: [Cord: Condition] = [:]
    /// In the order in which they were made, for they are made again in that order.
    private var order: [Cord] = []
    /// Our ports by the full names that they have at present, which others may change.
    private var own: [String: String] = [:]
    /// Likewise those of the unit that the client accompanies; none where it is a unit itself.
    private var unit: [String: String] = [:]
    /// The ports of clients that accompany this one, which make their connections to it again themselves.
    private var companions: Set<String> = []
    /// What was lost or restored since it was last asked for.
    private var news: [EngineEvent.Kind] = []

    /// Forgets every connection: a client is started as if for the first time.
    mutating func clear() {
        cords = [:]
        order = []
        news = []
    }

    /// A client was opened. What is known of connections is wanted back on its ports.
    ///
    /// - Parameter ports: their full names by those that they were registered with.
    mutating func begin(ports: [String: String]) {
        own = Self.inverse(ports)
        for cord in order { cords[cord] = .missing }
    }

    /// - Parameter ports: those of the unit that this client accompanies, as `begin` has them.
    mutating func accompany(ports: [String: String]) { unit = Self.inverse(ports) }

    /// Leaves the connections to these ports to their own client.
    mutating func leave(toCompanions ports: Set<String>) {
        companions = ports
        order.removeAll { cord in
            guard case .other(let name) = cord.peer, ports.contains(name) else { return false }
            cords[cord] = nil
            return true
        }
    }

    private static func inverse(_ ports: [String: String]) -> [String: String] {
        Dictionary(ports.map { ($0.value, $0.key) }, uniquingKeysWith: { first, _ in first })
    }

    /// Takes note of what JACK says.
    mutating func note(_ notification: Notification, atNanoseconds now: UInt64) {
        switch notification {
        case .portsConnected(let source, let target): connect(source, target)
        case .portsDisconnected(let source, let target):
            guard let cord = cord(source, target), cords[cord] == .made else { return }
            cords[cord] = .unmade(atNanoseconds: now)
        case .portUnregistered(let name):
            for cord in order where cord.peer == peer(name) && cords[cord] != .missing { lose(cord) }
        case .portRenamed(let old, let new): rename(old, new)
        default: break
        }
    }

    /// A connection is there, whoever made it.
    mutating func connect(_ source: String, _ target: String) {
        guard let cord = cord(source, target) else { return }
        switch cords[cord] {
        case nil: order.append(cord)
        case .missing: news.append(.connectionRestored(Link(source: source, target: target)))
        case .made, .unmade: break
        }
        cords[cord] = .made
    }

    /// The connections that are wanted and not there, in the order in which they were made.
    ///
    /// - Parameter now: what was unmade a while before it, by somebody and not by a port's end, is wanted no more.
    mutating func missing(atNanoseconds now: UInt64) -> [Link] {
        for (cord, condition) in cords {
            guard case .unmade(let then) = condition, now > then + Self.judgementNanoseconds else { continue }
            cords[cord] = nil
            order.removeAll { $0 == cord }
        }
        return order.filter { cords[$0] == .missing }.compactMap(link)
    }

    /// Everything that could be made again at once has been: there is news of the rest alone.
    mutating func announceMissing() {
        news = order.filter { cords[$0] == .missing }.compactMap(link).map(EngineEvent.Kind.connectionLost)
    }

    mutating func takeNews() -> [EngineEvent.Kind] {
        defer { news = [] }
        return news
    }

    private mutating func lose(_ cord: Cord) {
        cords[cord] = .missing
        if let link = link(cord) { news.append(.connectionLost(link)) }
    }

    private mutating func rename(_ old: String, _ new: String) {
        if let registered = own.removeValue(forKey: old) { own[new] = registered }
        if let registered = unit.removeValue(forKey: old) { unit[new] = registered }
        if companions.remove(old) != nil { companions.insert(new) }
        for (index, cord) in order.enumerated() where cord.peer == .other(old) {
            let renamed = Cord(own: cord.own, isSource: cord.isSource, peer: .other(new))
            order[index] = renamed
            cords[renamed] = cords.removeValue(forKey: cord)
        }
    }

    /// `nil` where neither port is ours, or the other is a companion's.
    private func cord(_ source: String, _ target: String) -> Cord? {
        guard !companions.contains(source), !companions.contains(target) else { return nil }
        if let own = own[source] { return Cord(own: own, isSource: true, peer: peer(target)) }
        return own[target].map { Cord(own: $0, isSource: false, peer: peer(source)) }
    }

    private func peer(_ name: String) -> Peer {
        own[name].map(Peer.own) ?? unit[name].map(Peer.unit) ?? .other(name)
    }

    private func link(_ cord: Cord) -> Link? {
        func present(_ registered: String, _ ports: [String: String]) -> String? {
            ports.first { $0.value == registered }?.key
        }
        guard let own = present(cord.own, self.own) else { return nil }
        let peer: String? =
            switch cord.peer {
            case .own(let registered): present(registered, self.own)
            case .unit(let registered): present(registered, unit)
            case .other(let name): name
            }
        guard let peer else { return nil }
        return cord.isSource ? Link(source: own, target: peer) : Link(source: peer, target: own)
    }
}
