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
        let (input, output) = (client.name(of: own.input), client.name(of: own.output))
        let found = try client.ports(query).filter { ![input, output].contains($0.name) }
        return found.map {
            $0.direction == .output ? Link(source: $0.name, target: input) : Link(source: output, target: $0.name)
        }
    }
}

/// The connections of a unit's MIDI ports that its route has made: each once for as long as its port is there, so that what
/// somebody disconnects stays disconnected.
struct MIDIConnections: Sendable {
    /// The unit's own output, by its full name.
    private(set) var output: String?
    /// The ports of others that were connected, by their full names. A server that is gone does not unregister them.
    private var peers: Set<String> = []
    private var window = SearchWindow()

    /// A client with this output joins a graph.
    mutating func begin(_ wiring: Wiring, output: String?) {
        self.output = output
        if case .routes = wiring { peers = [] }
        window.open()
    }

    mutating func note(_ notification: Notification) {
        switch notification {
        case .portRegistered: window.open()
        case .portUnregistered(let name):
            peers.remove(name)
            window.open()
        case .portRenamed(let old, let new):
            if output == old { output = new }
            if peers.remove(old) != nil { peers.insert(new) }
            window.open()
        default: break
        }
    }

    var isSearching: Bool { window.isOpen }

    /// The output's present name: JACK may tell of another one later, or never.
    mutating func follow(output: String) { self.output = output }

    /// Whether a connection is still to be made. Then it counts as made.
    mutating func take(_ link: Link) -> Bool { peers.insert(peer(of: link)).inserted }

    /// A connection could not be made.
    mutating func putBack(_ link: Link) { peers.remove(peer(of: link)) }

    mutating func noteSearch(begunAtNanoseconds start: UInt64) { window.noteSearch(begunAtNanoseconds: start) }

    private func peer(of link: Link) -> String { link.source == output ? link.target : link.source }
}

/// Connects a unit's MIDI ports when those of a controller come, as when it is plugged in.
final class MIDIFollower: Sendable {
    private let route: MIDIRoute
    private let controlEnd: MIDIControlEnd
    private let connections = Mutex(MIDIConnections())

    /// - Parameter controlEnd: gets a notice when something is connected to the output.
    init(_ route: MIDIRoute, _ controlEnd: MIDIControlEnd) {
        self.route = route
        self.controlEnd = controlEnd
    }

    /// A client with these ports joins a graph.
    func begin(_ wiring: Wiring, _ ports: UnitPorts) {
        connections.withLock { $0.begin(wiring, output: ports.midi?.output.name) }
    }

    /// Thread: notification.
    func note(_ notification: Notification) {
        if case .portsConnected(let source, _) = notification, source == connections.withLock(\.output) {
            controlEnd.noteConnection()
        }
        connections.withLock { $0.note(notification) }
    }

    /// Makes the connections that are wanted and were not made yet, for a while after ports have come or gone. Waits for the server.
    /// Thread: control, or worker.
    ///
    /// - Throws: `invalidRequest` where the pattern of the route is no regular expression.
    func follow(_ client: borrowing some JackClient & ~Copyable, _ ports: UnitPorts) throws(JackError) {
        guard connections.withLock(\.isSearching) else { return }
        if let midi = ports.midi {
            let output = client.name(of: midi.output)
            connections.withLock { $0.follow(output: output) }
        }
        let start = MonotonicClock.nanoseconds()
        for link in try route.links(on: client, ports) where connections.withLock({ $0.take(link) }) {
            if (try? client.connect(link.source, to: link.target)) == nil {
                connections.withLock { $0.putBack(link) }
            }
        }
        connections.withLock { $0.noteSearch(begunAtNanoseconds: start) }
    }
}

extension EngineConfiguration {
    /// Finds out whether the pattern of the MIDI route is one. Thread: control.
    ///
    /// - Throws: `jack`.
    package func checkMIDI(on client: borrowing some JackClient & ~Copyable) throws(UnitError) {
        guard case .matching(let pattern) = midi else { return }
        _ = try UnitError.ofJack { () throws(JackError) in
            try client.ports(PortQuery(pattern: pattern, type: PortInfo.midiType))
        }
    }
}

extension GraphUnit {
    /// What comes through its MIDI port, and goes out by the other; `nil` where the configuration has none.
    public var midi: MIDIControlEnd? { client.midi }
}
