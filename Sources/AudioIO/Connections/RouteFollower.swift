import Jack
import Synchronization
import Threads

/// Looks again where a unit's routes lead when ports of others come and go, as a headset is plugged in that the rules prefer, and
/// moves the connections that the routes have made. What somebody connected by hand stays, and what somebody disconnected too.
final class RouteFollower: Sendable {
    private let inputs: Route
    private let outputs: Route
    private let isOn: Bool
    private let state = Mutex(State())

    private struct State {
        /// What the routes have connected.
        var links: [Link] = []
        /// The names of our ports.
        var own: [String] = []
        var window = SearchWindow()
        /// Since ports were told last to have come, gone or got another name, or all was connected.
        var refusal: Refusal?

        /// Whether it is time to look.
        func isDue(atNanoseconds now: UInt64) -> Bool { window.isOpen && refusal?.endNanoseconds ?? 0 <= now }

        mutating func rename(_ old: String, _ new: String) {
            func present(_ name: String) -> String { name == old ? new : name }
            links = links.map { Link(source: present($0.source), target: present($0.target)) }
            own = own.map(present)
        }
    }

    init(_ configuration: EngineConfiguration) {
        inputs = configuration.inputs
        outputs = configuration.outputs
        isOn = configuration.followsRoutes
    }

    /// Thread: notification.
    func note(_ notification: Notification) {
        switch notification {
        case .portRegistered, .portUnregistered: look()
        case .portRenamed(let old, let new):
            state.withLock { $0.rename(old, new) }
            look()
        default: break
        }
    }

    /// Has the routes looked at again, for a while.
    func look() {
        guard isOn else { return }
        state.withLock { state in
            state.window.open()
            state.refusal = nil
        }
    }

    /// The connections to be made by the routes.
    ///
    /// - Throws: `nothingMatches`, `jack`.
    func links(on client: borrowing some JackClient & ~Copyable, _ ports: UnitPorts) throws(UnitError) -> [Link] {
        let name = client.name
        let sources = try inputs.resolve(.output, on: client, ownName: name)
        let targets = try outputs.resolve(.input, on: client, ownName: name)
        return Route.links(inputs: client.names(of: ports.inputs), from: sources)
            + Route.links(outputs: client.names(of: ports.outputs), to: targets)
    }

    /// The same now. Where a route leads nowhere at present, its connections wait for their ports; those of the other do not.
    private func links(
        on client: borrowing some JackClient & ~Copyable, _ ports: UnitPorts, keeping last: [Link]
    ) -> [Link] {
        let (name, ins, outs) = (client.name, client.names(of: ports.inputs), client.names(of: ports.outputs))
        var links = last.filter { ins.contains($0.target) }
        if let sources = try? inputs.resolve(.output, on: client, ownName: name) {
            links = Route.links(inputs: ins, from: sources)
        }
        guard let targets = try? outputs.resolve(.input, on: client, ownName: name) else {
            return links + last.filter { outs.contains($0.source) }
        }
        return links + Route.links(outputs: outs, to: targets)
    }

    /// A client with these ports joins the graph, maybe under another name: the connections of the routes are of its ports.
    func begin(_ ports: UnitPorts) {
        let names = (ports.inputs + ports.outputs).map(\.name)
        state.withLock { state in
            let present = Dictionary(zip(state.own, names)) { first, _ in first }
            state.links = state.links.map {
                Link(source: present[$0.source] ?? $0.source, target: present[$0.target] ?? $0.target)
            }
            state.own = names
        }
    }

    /// The routes have made these connections.
    func begin(_ links: [Link]) {
        state.withLock { state in
            state.links = links
            state.refusal = nil
        }
    }

    /// Moves the connections where the routes lead elsewhere by now; returns whether they do. Waits for the server.
    /// Thread: worker.
    func follow(
        _ client: borrowing some JackClient & ~Copyable, _ ports: UnitPorts, _ patchbay: Patchbay,
        atNanoseconds start: UInt64 = MonotonicClock.nanoseconds()
    ) -> [EngineEvent.Kind] {
        guard state.withLock({ $0.isDue(atNanoseconds: start) }) else { return [] }
        // JACK may tell of another name of ours later, or never.
        let names = client.names(of: ports.inputs + ports.outputs)
        let last = state.withLock { state in
            for (old, new) in zip(state.own, names) where old != new { state.rename(old, new) }
            return state.links
        }
        defer { state.withLock { $0.window.noteSearch(begunAtNanoseconds: start) } }
        let links = links(on: client, ports, keeping: last)
        guard links != last else { return [] }
        var isRefused = false
        for link in links where !last.contains(link) {
            // All of them are tried, also where one is refused.
            if (try? client.connect(link.source, to: link.target)) == nil { isRefused = true }
        }
        // JACK tells of a port before one can connect to it: what cannot be made now is tried again.
        guard !isRefused else {
            state.withLock { state in
                state.window.open()
                state.refusal = Refusal(after: state.refusal, atNanoseconds: start)
            }
            return []
        }
        for link in last where !links.contains(link) {
            try? client.disconnect(link.source, from: link.target)
            // Also where its port is gone: JACK tells nothing then, and it must not come back with the port.
            patchbay.forget(link)
        }
        for link in links where !last.contains(link) { patchbay.connected(link) }
        begin(links)
        return [.routeChanged(links)]
    }
}
