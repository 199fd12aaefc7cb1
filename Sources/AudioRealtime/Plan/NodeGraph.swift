/// The nodes of an engine and their connections as they are to be, and the plans that lead there without a click.
///
/// What fades is a connection: a new one comes up from silence, one that is taken away goes down to it, and leaves when it
/// is there. A node is rendered once in a cycle all the while. Thread: control, one at a time.
package struct NodeGraph {
    package struct Identifier: Hashable, Sendable { fileprivate let number: Int }

    private struct Node {
        var body: NodeBody
        var channels: Int
        var latencyFrames: Int
        /// How many frames must pass before what it renders owes nothing to the silence before them.
        var settlingFrames: Int
        var tap: Tap?
        var isDetached = false
    }

    private var nodes: [Identifier: Node] = [:]
    /// Those of one target in the order in which they are added up.
    private var connections: [Connection] = []
    private var next = 0
    /// What the last plan rendered.
    private var rendered: Set<Identifier> = []

    package init() {}

    // What there is to be.

    /// - Parameters:
    ///   - latencyFrames: how much later the sound leaves than it came.
    ///   - settlingFrames: how many frames must pass before what it renders owes nothing to the silence before them.
    package mutating func attach(
        _ body: NodeBody, channels: Int, latencyFrames: Int = 0, settlingFrames: Int = 0
    ) -> Identifier {
        defer { next += 1 }
        let identifier = Identifier(number: next)
        nodes[identifier] = Node(
            body: body, channels: channels, latencyFrames: latencyFrames, settlingFrames: settlingFrames)
        return identifier
    }

    /// Takes a node away with its connections. Does nothing where it is not attached.
    package mutating func detach(_ node: Identifier) {
        nodes[node]?.isDetached = true
        for index in connections.indices where connections[index].source == node || connections[index].target == node {
            connections[index].isLeaving = true
        }
        forgetDetached()
    }

    package func isAttached(_ node: Identifier) -> Bool { nodes[node].map { !$0.isDetached } ?? false }

    /// Of an attached node. Returns whether the latency is another than before.
    @discardableResult
    package mutating func setLatency(of node: Identifier, frames: Int, settlingFrames: Int) -> Bool {
        let hasChanged = nodes[node].map { $0.latencyFrames != frames } ?? false
        nodes[node]?.latencyFrames = frames
        nodes[node]?.settlingFrames = settlingFrames
        return hasChanged
    }

    /// The tap of an attached node, which all share that read what it renders.
    ///
    /// - Parameter capacity: of the ring of a new one, in frames.
    package mutating func tap(_ node: Identifier, channels: Int, capacity: Int) -> Tap {
        if let tap = nodes[node]?.tap { return tap }
        let tap = Tap(channels: channels, capacity: capacity)
        nodes[node]?.tap = tap
        return tap
    }

    /// Does nothing where the node does not have it.
    package mutating func removeTap(_ tap: Tap, from node: Identifier) {
        if nodes[node]?.tap === tap { nodes[node]?.tap = nil }
    }

    package func isConnected(_ source: Identifier, to target: Identifier) -> Bool {
        connections.contains { $0.joins(source, target) && !$0.isLeaving }
    }

    /// Connects two attached nodes, behind the connections that the target has; where they are connected, changes the gains.
    ///
    /// - Throws: `loop`, and nothing has changed then.
    package mutating func connect(
        _ source: Identifier, to target: Identifier, gains: Gains = .unity
    ) throws(NodeGraphError) {
        guard let channels = nodes[source]?.channels, isAttached(target) else { return }
        if let index = connections.firstIndex(where: { $0.joins(source, target) && !$0.isLeaving }) {
            connections[index].gains = gains
            return
        }
        if let way = way(from: target, to: source) { throw .loop(way) }
        connections.append(Connection(from: source, to: target, gains: gains, channels: channels))
    }

    /// The nodes by which the sound of one comes to another without a delay, both among them; `nil` where it does not.
    private func way(from start: Identifier, to end: Identifier) -> [Identifier]? {
        func delays(_ node: Identifier) -> Bool { if case .delay = nodes[node]?.body { true } else { false } }
        guard !delays(start), !delays(end) else { return nil }
        var targets: [Identifier: [Identifier]] = [:]
        for connection in connections where !connection.isLeaving && !delays(connection.target) {
            targets[connection.source, default: []].append(connection.target)
        }
        var origins = [start: start]
        var found = [start]
        while let node = found.popLast() {
            if node == end {
                var way = [end]
                while let last = way.last, last != start, let origin = origins[last] { way.append(origin) }
                return way.reversed()
            }
            for target in targets[node] ?? [] where origins[target] == nil {
                origins[target] = node
                found.append(target)
            }
        }
        return nil
    }

    /// Does nothing where they are not connected.
    package mutating func disconnect(_ source: Identifier, from target: Identifier) {
        for index in connections.indices where connections[index].joins(source, target) {
            connections[index].isLeaving = true
        }
    }

    /// How much later the sound leaves a node than it came to the inputs, in frames, when all parallel paths are aligned.
    package func latencyFrames(of node: Identifier) -> Int {
        let parts = parts(of: staying)
        guard let place = parts.identifiers.firstIndex(of: node), let order = try? PlanOrder(parts.nodes, parts.edges)
        else { return 0 }
        return order.departures(parts.nodes, parts.edges)[place]
    }

    private var staying: [Int] { connections.indices.filter { !connections[$0].isLeaving } }

    // The plans that lead there.

    /// The plan to begin with: all is there at once, and nothing was heard before. Thread: control, while no plan is rendered.
    ///
    /// - Parameters:
    ///   - sampleRate: in hertz.
    ///   - rampFrames: how long a change lasts.
    package mutating func firstPlan(sampleRate: Int, rampFrames: Int) -> Plan {
        // Sets the lines up, some of which set out for other gains.
        _ = plan(isRunning: false, rampFrames: rampFrames)
        for node in nodes.values { node.body.reset(sampleRate: sampleRate, rampFrames: rampFrames) }
        for connection in connections { connection.reset() }
        return plan(isRunning: false, rampFrames: rampFrames)
    }

    /// Whether another plan is due: something has faded out, or waits for that.
    package var isUnsettled: Bool {
        connections.contains { connection in
            if connection.isLeaving { return connection.isAtRest }
            if !connection.isRendered { return rendered.contains(connection.target) }
            return connection.isCarried && isPlain(connection)
        }
    }

    /// The plan of what is to be, and of what has still to fade out.
    ///
    /// - Parameters:
    ///   - isRunning: whether the last plan is being rendered. If not, everything is there at once.
    ///   - rampFrames: how long a change lasts.
    package mutating func plan(isRunning: Bool, rampFrames: Int) -> Plan {
        connections.removeAll { connection in
            connection.isLeaving && (connection.hasFaded || !isRunning || !connection.isRendered)
        }
        forgetDetached()
        align(isRunning)
        var present = Array(connections.indices)
        while true {
            let parts = parts(of: present)
            do throws(PlanError) {
                let order = try PlanOrder(parts.nodes, parts.edges)
                setOut(present, parts, order, isRunning)
                return PlanBuilder.plan(parts.nodes, edges(parts, present), order, rampFrames: rampFrames)
            } catch {
                // What would close a loop with a connection that is leaving waits for its end.
                guard case .loop(let way) = error, let newest = newest(of: way, in: parts, present) else {
                    preconditionFailure("a loop of connections that stay is refused by `connect`")
                }
                present.removeAll { $0 == newest }
            }
        }
    }

    /// Gives each connection that stays the delay that keeps it aligned: a connection of another delay takes its place.
    private mutating func align(_ isRunning: Bool) {
        let parts = parts(of: staying)
        guard let order = try? PlanOrder(parts.nodes, parts.edges) else { return }
        let delays = Dictionary(uniqueKeysWithValues: zip(staying, order.alignment(parts.nodes, parts.edges)))
        var places: [Connection] = []
        for index in connections.indices {
            var connection = connections[index]
            if let delay = delays[index], connection.delayFrames != delay {
                if connection.isRendered && isRunning {
                    var leaving = connection
                    leaving.isLeaving = true
                    places.append(leaving)
                }
                connection.renew(channels: channels(of: connection), gains: .silence, delayFrames: delay)
                connection.isRendered = false
            }
            places.append(connection)
        }
        connections = places
    }

    /// Tells each line where to go. All begin at the same frame: when the last of what is new has settled.
    private mutating func setOut(_ present: [Int], _ parts: Parts, _ order: PlanOrder, _ isRunning: Bool) {
        let visited = Set(
            order.visits.compactMap { visit -> Identifier? in
                if case .node(let node) = visit { parts.identifiers[node] } else { nil }
            })
        let before = isRunning ? rendered : []
        var settling = 0
        for index in present where !connections[index].isRendered && before.contains(connections[index].target) {
            let connection = connections[index]
            let own = before.contains(connection.source) ? 0 : nodes[connection.source]?.settlingFrames ?? 0
            settling = max(settling, own + connection.delayFrames)
        }
        for index in present {
            let connection = connections[index]
            let isHeard = visited.contains(connection.target) && visited.contains(connection.source)
            let gains = connection.isLeaving ? .silence : connection.gains
            if !connection.isRendered && !before.contains(connection.target) {
                // Nobody hears yet what the target renders.
                connections[index].renew(
                    channels: channels(of: connection), gains: gains, delayFrames: connection.delayFrames)
            } else if connection.lineGains != gains {
                let isChange = connection.isRendered && !connection.isLeaving
                connection.move(to: gains, after: isChange ? 0 : settling)
            }
            connections[index].isRendered = isHeard
        }
        rendered = visited
    }

    /// With lines where there is something to do on the way.
    private mutating func edges(_ parts: Parts, _ present: [Int]) -> [PlanEdge] {
        zip(parts.edges, present).map { edge, index in
            let isCarried = !isPlain(connections[index])
            connections[index].isCarried = isCarried
            return PlanEdge(from: edge.source, to: edge.target, line: isCarried ? connections[index].line : nil)
        }
    }

    private func channels(of connection: Connection) -> Int { nodes[connection.source]?.channels ?? 1 }

    /// Whether the sound goes over as it is, which needs no line.
    private func isPlain(_ connection: Connection) -> Bool {
        connection.isPlain && nodes[connection.source]?.channels == nodes[connection.target]?.channels
    }

    private struct Parts {
        var identifiers: [Identifier]
        var nodes: [PlanNode]
        var edges: [PlanEdge]
    }

    /// As a plan's builder sees the nodes and these connections.
    private func parts(of present: [Int]) -> Parts {
        // In the order of attaching, so that the same calls make the same plan.
        let identifiers = nodes.keys.sorted { $0.number < $1.number }
        let places = Dictionary(uniqueKeysWithValues: identifiers.enumerated().map { ($0.element, $0.offset) })
        let planNodes = identifiers.compactMap { nodes[$0] }.map {
            PlanNode($0.body, channels: $0.channels, latencyFrames: $0.latencyFrames, tap: $0.tap?.writer)
        }
        let edges = present.compactMap { index -> PlanEdge? in
            guard let source = places[connections[index].source], let target = places[connections[index].target] else {
                return nil
            }
            return PlanEdge(from: source, to: target)
        }
        return Parts(identifiers: identifiers, nodes: planNodes, edges: edges)
    }

    /// The last connection that was made, of those that form a loop and stay.
    private func newest(of way: [Int], in parts: Parts, _ present: [Int]) -> Int? {
        let members = Set(way.map { parts.identifiers[$0] })
        return present.last { index in
            let connection = connections[index]
            return !connection.isLeaving && !connection.isRendered && members.contains(connection.source)
                && members.contains(connection.target)
        }
    }

    /// Nodes that were taken away stay as long as a connection of theirs fades.
    private mutating func forgetDetached() {
        let needed = Set(connections.flatMap { [$0.source, $0.target] })
        for (identifier, node) in nodes where node.isDetached && !needed.contains(identifier) {
            nodes[identifier] = nil
        }
    }
}
