import AudioFigures
import Jack
import Synchronization

/// What a probe's ports are connected to: what it connected itself, and what other clients did.
///
/// What another client connects to these ports is heard with the way, or sends the signal another way too. It is
/// disconnected and counted, and what was heard meanwhile is left out. JACK's notifications tell of a connection that was
/// gone again before a look at the ports; the look sees one that no notification has told yet. It sees as well that one of the
/// probe's own was taken away: what is heard until it is there again is left out too.
final class ProbeConnections: Sendable {
    private struct Pair: Hashable {
        var source: String
        var target: String
    }

    private struct Count {
        /// By notification, and by a look at the ports: the same connection may be in both.
        var notified = 0
        var disconnected = 0
        var times: Int { max(notified, disconnected) }
    }

    private struct State {
        var ports: Set<String> = []
        var own: Set<Pair> = []
        var foreign: [Pair: Count] = [:]
        /// What the last look has counted and disconnected: jackd may take it away with the next cycle only.
        var leaving: Set<Pair> = []
        /// Of the own ones, those that a look has found, and those that another has missed since.
        var found: Set<Pair> = []
        var lost: Set<Pair> = []
        var isDisturbed = false

        func isForeign(_ pair: Pair) -> Bool {
            (ports.contains(pair.source) || ports.contains(pair.target)) && !own.contains(pair)
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
        let pair = Pair(source: source, target: target)
        state.withLock { state in
            state.own.insert(pair)
            state.foreign[pair] = nil
        }
    }

    /// Whether the probe made a connection itself.
    func isOwn(_ source: String, _ target: String) -> Bool {
        state.withLock { $0.own.contains(Pair(source: source, target: target)) }
    }

    /// Notes a new connection anywhere in the graph. Thread: notification.
    func note(_ source: String, _ target: String) {
        let pair = Pair(source: source, target: target)
        state.withLock { state in
            guard state.isForeign(pair), !state.isContested else { return }
            state.foreign[pair, default: Count()].notified += 1
            state.isDisturbed = true
        }
    }

    /// Looks at the ports and disconnects what the probe did not connect. Thread: worker or control.
    ///
    /// - Returns: whether there was such a connection since the last look, or one of the probe's own is missing.
    func look(_ client: borrowing some JackClient & ~Copyable) -> Bool {
        let (ports, isContested) = state.withLock { ($0.ports, $0.isContested) }
        guard !isContested else { return false }
        var pairs: Set<Pair> = []
        var looked: Set<String> = []
        for name in ports {
            guard let port = client.port(named: name) else { continue }
            looked.insert(name)
            for other in port.connections {
                pairs.insert(
                    port.direction == .output
                        ? Pair(source: name, target: other) : Pair(source: other, target: name))
            }
        }
        let isBroken = state.withLock { state in
            state.found.formUnion(state.own.intersection(pairs))
            let missing = state.found.subtracting(pairs).filter {
                looked.contains($0.source) || looked.contains($0.target)
            }
            state.lost.formUnion(missing)
            return !missing.isEmpty
        }
        pairs = state.withLock { state in pairs.filter(state.isForeign) }
        for pair in pairs {
            // It may have ended by itself. Whatever else keeps it, the next look but one finds it again, and counts it.
            try? client.disconnect(pair.source, from: pair.target)
        }
        return state.withLock { state in
            let counted = pairs.subtracting(state.leaving)
            for pair in counted { state.foreign[pair, default: Count()].disconnected += 1 }
            state.leaving = counted
            defer { state.isDisturbed = false }
            return state.isDisturbed || isBroken || !pairs.isEmpty
        }
    }

    /// The probe's own that other clients took away, as `source → target`.
    var lost: [String] { state.withLock { $0.lost.map { "\($0.source) → \($0.target)" } }.sorted() }

    /// Those that other clients made until now, by their ports.
    var foreign: [ForeignConnection] {
        state.withLock { state in
            state.foreign.map { pair, count in
                state.ports.contains(pair.source)
                    ? ForeignConnection(port: pair.source, other: pair.target, times: count.times)
                    : ForeignConnection(port: pair.target, other: pair.source, times: count.times)
            }
        }.sorted { ($0.port, $0.other) < ($1.port, $1.other) }
    }

    /// Whether another client makes a connection again and again. Then it stays, and nothing is measured.
    var isContested: Bool { state.withLock { $0.isContested } }
}
