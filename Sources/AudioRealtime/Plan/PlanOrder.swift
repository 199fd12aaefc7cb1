/// The order in which nodes are rendered: each after all that it hears.
///
/// Only what leads to an output or a tap, or around a loop that does, is rendered. A connection is visited as soon as its source has
/// been rendered and those before it at the same target were visited. What many nodes play into a mixer is added up by fours,
/// each in one pass over memory, and needs no more than five bundles. The order of the sum is that of the connections,
/// whatever the order is in which nodes were attached.
package struct PlanOrder {
    enum Visit: Equatable {
        case edge(Int)
        case node(Int)
        /// The end of a loop: what the delay hears has been rendered.
        case store(Int)
    }

    private(set) var visits: [Visit] = []
    /// Whether a node is a delay in a loop, which is read before anything is rendered and written behind it.
    private(set) var closesLoop: [Bool]

    /// - Throws: `loop`.
    package init(_ nodes: [PlanNode], _ edges: [PlanEdge]) throws(PlanError) {
        var incoming = [[Int]](repeating: [], count: nodes.count)
        for (number, edge) in edges.enumerated() { incoming[edge.target].append(number) }
        let components = Components(nodes.count) { node in incoming[node].lazy.map { edges[$0].source } }
        closesLoop = nodes.indices.map { node in
            guard case .delay = nodes[node].body else { return false }
            return components.isInLoop(node) || incoming[node].contains { edges[$0].source == node }
        }
        try walk(nodes, edges, incoming)
    }

    /// The order of so many nodes in a row, each of which hears the one before: connection 0 leads to node 1, and so on.
    init(row count: Int) {
        closesLoop = [Bool](repeating: false, count: count)
        for node in 0..<count { visits += node == 0 ? [.node(0)] : [.edge(node - 1), .node(node)] }
    }

    private enum State { case unseen, open, done }

    private mutating func walk(
        _ nodes: [PlanNode], _ edges: [PlanEdge], _ incoming: [[Int]]
    ) throws(PlanError) {
        var states = [State](repeating: .unseen, count: nodes.count)
        // Loops that are found on the way are closed after the outputs.
        var ends = nodes.indices.filter { nodes[$0].isEnd }.map { (node: $0, isLoop: false) }[...]
        // Not by recursion: a thousand nodes in a row are no reason to run out of stack.
        // Behind `visited` are connections whose sources were rendered and who wait for the rest of their four.
        var path: [(node: Int, visited: Int, next: Int)] = []

        func enter(_ node: Int) {
            states[node] = .open
            path.append((node, 0, 0))
        }

        while let (end, isLoop) = ends.popFirst() {
            if isLoop { path.append((end, 0, 0)) } else if states[end] == .unseen { enter(end) }
            while let (node, visited, next) = path.last {
                // Of a loop's delay the reading half comes first and hears nothing.
                let isRead = closesLoop[node] && !(isLoop && path.count == 1)
                let edgesHere = isRead ? [] : incoming[node]
                guard next < edgesHere.count else {
                    path.removeLast()
                    if isLoop && path.isEmpty {
                        visits.append(.store(node))
                    } else {
                        visits.append(.node(node))
                        states[node] = .done
                        if isRead { ends.append((node, true)) }
                    }
                    continue
                }
                let source = edges[edgesHere[next]].source
                switch states[source] {
                case .unseen: enter(source)
                case .done:
                    path[path.count - 1].next += 1
                    guard !Self.isWaitedBehind(next, of: edgesHere.count) else { continue }
                    for edge in edgesHere[visited...next] { visits.append(.edge(edge)) }
                    path[path.count - 1].visited = next + 1
                case .open:
                    let start = path.firstIndex { $0.node == source } ?? 0
                    throw .loop(path[start...].map(\.node).reversed())
                }
            }
        }
    }

    /// Whether a connection of so many to one target is one of four, and not the last of them. The first one brings what the
    /// fours are added to.
    private static func isWaitedBehind(_ edge: Int, of count: Int) -> Bool {
        let last = (edge + 3) / 4 * 4
        return edge != last && last < count
    }

    /// By how much each connection must delay the sound so that what arrives at a node left the inputs at the same time, in
    /// frames.
    package func alignment(_ nodes: [PlanNode], _ edges: [PlanEdge]) -> [Int] {
        let (arrivals, departures) = times(nodes, edges)
        return edges.map { max(0, arrivals[$0.target] - departures[$0.source]) }
    }

    /// How much later the sound leaves each node than it came to the inputs, in frames.
    func departures(_ nodes: [PlanNode], _ edges: [PlanEdge]) -> [Int] { times(nodes, edges).departures }

    private func times(_ nodes: [PlanNode], _ edges: [PlanEdge]) -> (arrivals: [Int], departures: [Int]) {
        var arrivals = [Int](repeating: 0, count: nodes.count)
        var departures = arrivals
        for visit in visits {
            switch visit {
            case .edge(let edge):
                let target = edges[edge].target
                arrivals[target] = max(arrivals[target], departures[edges[edge].source])
            case .node(let node):
                // What comes out of a loop's delay is as new as what plays into the loop.
                departures[node] = closesLoop[node] ? 0 : arrivals[node] + nodes[node].latencyFrames
            case .store: break
            }
        }
        return (arrivals, departures)
    }
}

/// The strongly connected components of a directed graph (Tarjan, SIAM Journal on Computing 1, 1972): the nodes of one reach
/// one another.
private struct Components {
    private var component: [Int]
    private var sizes: [Int] = []

    init<Next: Sequence<Int>>(_ count: Int, next: (Int) -> Next) {
        component = [Int](repeating: -1, count: count)
        var order = [Int](repeating: -1, count: count)
        var lowest = order
        var seen = 0
        var stack: [Int] = []
        var path: [(node: Int, rest: Next.Iterator)] = []

        func enter(_ node: Int) {
            order[node] = seen
            lowest[node] = seen
            seen += 1
            stack.append(node)
            path.append((node, next(node).makeIterator()))
        }

        for start in 0..<count where order[start] < 0 {
            enter(start)
            while let node = path.last?.node {
                if let other = path[path.count - 1].rest.next() {
                    if order[other] < 0 {
                        enter(other)
                    } else if component[other] < 0 {
                        lowest[node] = min(lowest[node], order[other])
                    }
                    continue
                }
                path.removeLast()
                if let parent = path.last?.node { lowest[parent] = min(lowest[parent], lowest[node]) }
                guard lowest[node] == order[node] else { continue }
                sizes.append(0)
                while component[node] < 0, let member = stack.popLast() {
                    component[member] = sizes.count - 1
                    sizes[sizes.count - 1] += 1
                }
            }
        }
    }

    func isInLoop(_ node: Int) -> Bool { sizes[component[node]] > 1 }
}
