import AudioRealtime
import Jack
import Synchronization
import Threads

/// Which MIDI ports of others a unit's are connected to, both ways: a controller has a port that it sends by and one that hears.
public enum MIDIRoute: Sendable, Equatable {
    /// None: somebody else connects them.
    case none
    /// Those of the machine's sockets, as the server shows them.
    case physical
    /// Those whose name this POSIX extended regular expression finds, if any, now or later.
    case matching(String)
}

extension MIDIRoute {
    /// The connections that the route stands for now.
    ///
    /// - Throws: `invalidRequest` where the pattern is no regular expression.
    func links(on client: borrowing some JackClient & ~Copyable, _ ports: UnitPorts) throws(JackError) -> [Link] {
        guard let own = ports.midi, self != .none else { return [] }
        var query = PortQuery(type: PortInfo.midiType)
        if case .matching(let pattern) = self { query.pattern = pattern } else { query.isPhysical = true }
        let found = try client.ports(query).filter { ![own.input.name, own.output.name].contains($0.name) }
        return found.map {
            $0.direction == .output
                ? Link(source: $0.name, target: own.input.name) : Link(source: own.output.name, target: $0.name)
        }
    }
}

/// Connects a unit's MIDI ports when those of a controller come, as when it is plugged in. Each connection is made once for as long
/// as its port is there: what somebody disconnects stays disconnected.
final class MIDIFollower: Sendable {
    private static let lookNanoseconds: UInt64 = 1_000_000_000
    private let route: MIDIRoute
    private let controlEnd: MIDIControlEnd
    private let state = Mutex(State())

    private struct State {
        /// The unit's own.
        var output: String?
        var made: Set<Link> = []
        /// Up to when to look, on the monotonic clock: JACK tells of a port before one can connect to it.
        var lookUntilNanoseconds: UInt64 = 0
    }

    /// - Parameter controlEnd: is told when something is connected to the output.
    init(_ route: MIDIRoute, _ controlEnd: MIDIControlEnd) {
        self.route = route
        self.controlEnd = controlEnd
    }

    /// A client with these ports joins a graph.
    func begin(_ ports: UnitPorts) {
        state.withLock { $0 = State(output: ports.midi?.output.name) }
        look()
    }

    /// Thread: notification.
    func note(_ notification: Notification) {
        switch notification {
        case .portRegistered, .portUnregistered, .portRenamed: look()
        case .portsConnected(let source, _) where source == state.withLock({ $0.output }): controlEnd.noteConnection()
        default: break
        }
    }

    private func look() {
        state.withLock { $0.lookUntilNanoseconds = MonotonicClock.nanoseconds() + Self.lookNanoseconds }
    }

    /// Makes the connections that are wanted and were not made yet. Waits for the server. Thread: worker.
    func follow(_ client: borrowing some JackClient & ~Copyable, _ ports: UnitPorts) {
        let made = state.withLock { $0.lookUntilNanoseconds > MonotonicClock.nanoseconds() ? $0.made : nil }
        // The pattern was checked by the first look; what cannot be asked now is asked again.
        guard let made, let links = try? route.links(on: client, ports) else { return }
        let new = links.filter { !made.contains($0) && (try? client.connect($0.source, to: $0.target)) != nil }
        state.withLock { $0.made = made.intersection(links).union(new) }
    }
}

extension EngineConfiguration {
    /// Finds out whether the pattern of the MIDI route is one. Thread: control.
    ///
    /// - Throws: `jack`.
    package func checkMIDI(on client: borrowing some JackClient & ~Copyable) throws(UnitError) {
        guard case .matching(let pattern) = midi else { return }
        do throws(JackError) {
            _ = try client.ports(PortQuery(pattern: pattern, type: PortInfo.midiType))
        } catch {
            throw .jack(error)
        }
    }
}

extension GraphUnit {
    /// What comes through its MIDI port, and goes out by the other; `nil` where the configuration has none.
    public var midi: MIDIControlEnd? { client.midi }
}
