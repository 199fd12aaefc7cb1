import AudioFigures
import AudioIO
import Jack
import Synchronization

/// What a probe's ports are connected to: what it connected itself, and what other clients did.
///
/// What another client connects to these ports is heard with the way, or sends the signal another way too. It is
/// disconnected and counted, and what was heard meanwhile is left out. JACK's notifications tell of a connection that was
/// gone again before a look at the ports; the look sees one that no notification has told yet. It sees as well that one of the
/// probe's own was taken away: all that comes until it is there again is left out too.
final class ProbeConnections: Sendable {
    private struct Count {
        /// By notification, and by a look at the ports: the same connection may be in both.
        var notified = 0
        var disconnected = 0
        var times: Int { max(notified, disconnected) }
    }

    private struct State {
        var ports: Set<String> = []
        var own: Set<Link> = []
        var foreign: [Link: Count] = [:]
        /// What the last look has counted and disconnected: jackd may take it away with the next cycle only.
        var leaving: Set<Link> = []
        /// Of the own ones, those that a look has found, and those that another has missed since.
        var found: Set<Link> = []
        var lost: Set<Link> = []
        var isDisturbed = false

        func isForeign(_ link: Link) -> Bool {
            (ports.contains(link.source) || ports.contains(link.target)) && !own.contains(link)
        }

        var isContested: Bool {
            foreign.values.contains { $0.times > ProbeConnections.patience }
                || foreign.values.reduce(0) { $0 + $1.times } > 8 * ProbeConnections.patience
        }
    }

    /// A connection that is made more often than this is not disconnected any more: two programs would fight for it.
    static let patience = 8

    private let state = Mutex(State())

    /// - Parameter ports: full names of the probe's own.
    func watch(_ ports: [String]) { state.withLock { $0.ports = Set(ports) } }

    /// To be called before the probe makes a connection. One that another client had made before is the probe's then: a
    /// unit, too, makes the connections again that an earlier probe of this name had.
    func add(_ source: String, _ target: String) {
        let link = Link(source: source, target: target)
        state.withLock { state in
            state.own.insert(link)
            state.foreign[link] = nil
        }
    }

    /// Whether the probe made a connection itself.
    func isOwn(_ source: String, _ target: String) -> Bool {
        state.withLock { $0.own.contains(Link(source: source, target: target)) }
    }

    /// Notes a new connection anywhere in the graph. Thread: notification.
    func note(_ source: String, _ target: String) {
        let link = Link(source: source, target: target)
        state.withLock { state in
            guard state.isForeign(link), !state.isContested else { return }
            state.foreign[link, default: Count()].notified += 1
            state.isDisturbed = true
        }
    }

    /// Looks at the ports and disconnects what the probe did not connect. Thread: worker or control.
    ///
    /// - Returns: whether there was such a connection since the last look, or one of the probe's own is missing.
    func look(_ client: borrowing some JackClient & ~Copyable) -> Bool {
        let (ports, isContested) = state.withLock { ($0.ports, $0.isContested) }
        guard !isContested else { return false }
        var links: Set<Link> = []
        var looked: Set<String> = []
        for name in ports {
            guard let port = client.port(named: name) else { continue }
            looked.insert(name)
            for other in port.connections {
                links.insert(
                    port.direction == .output
                        ? Link(source: name, target: other) : Link(source: other, target: name))
            }
        }
        let isBroken = state.withLock { state in
            state.found.formUnion(state.own.intersection(links))
            let missing = state.found.subtracting(links).filter {
                looked.contains($0.source) || looked.contains($0.target)
            }
            state.lost.formUnion(missing)
            return !missing.isEmpty
        }
        links = state.withLock { state in links.filter(state.isForeign) }
        for link in links {
            // It may have ended by itself. Whatever else keeps it, the next look but one finds it again, and counts it.
            try? client.disconnect(link.source, from: link.target)
        }
        return state.withLock { state in
            let counted = links.subtracting(state.leaving)
            for link in counted { state.foreign[link, default: Count()].disconnected += 1 }
            state.leaving = counted
            defer { state.isDisturbed = false }
            return state.isDisturbed || isBroken || !links.isEmpty
        }
    }

    /// The probe's own that other clients took away, as `source → target`.
    var lost: [String] { state.withLock { $0.lost.map(\.description) }.sorted() }

    /// Those that other clients made until now, by their ports.
    var foreign: [ForeignConnection] {
        state.withLock { state in
            state.foreign.map { link, count in
                state.ports.contains(link.source)
                    ? ForeignConnection(port: link.source, other: link.target, times: count.times)
                    : ForeignConnection(port: link.target, other: link.source, times: count.times)
            }
        }.sorted { ($0.port, $0.other) < ($1.port, $1.other) }
    }

    /// Whether another client makes a connection again and again. Then it stays, and nothing is measured.
    var isContested: Bool { state.withLock { $0.isContested } }
}
