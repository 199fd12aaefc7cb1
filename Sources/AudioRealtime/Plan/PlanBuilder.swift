/// Makes a plan of nodes and connections: orders the nodes, and assigns planes, which are used again as soon as nobody needs
/// them. Sound is copied only where two nodes read it and one of them writes. Thread: control.
@safe package struct PlanBuilder {
    private let nodes: [PlanNode]
    private let edges: [PlanEdge]
    private let order: PlanOrder
    private var steps: [PlanStep] = unsafe []
    private var loops: [UnsafeMutablePointer<DelayState>] = unsafe []
    private var pool = BundlePool()
    /// How many connections read what a node renders.
    private var readers: [Int]
    /// What has arrived at a node so far.
    private var arrived: [Bundle?]
    private var rendered: [Bundle?]
    /// Whether what has arrived at a node, or what it renders, is known to be finite: gains and sums may go beyond all numbers.
    private var isFinite: [Bool]
    /// What the plan ends with.
    private var ending: [PlanStep] = unsafe []
    private var taps: [UnsafeMutablePointer<TapWriter>] = unsafe []
    private var players: [UnsafeMutablePointer<PlayerState>] = unsafe []
    private var detours: [UnsafeMutablePointer<DetourState>] = unsafe []
    private var keeps: [AnyObject] = []

    /// - Parameters:
    ///   - edges: those of one target in the order in which they are added up. A connection without a line joins nodes of as
    ///     many channels.
    ///   - rampFrames: how long a change of a gain or a delay lasts.
    /// - Throws: `loop`.
    package static func plan(_ nodes: [PlanNode], _ edges: [PlanEdge], rampFrames: Int) throws(PlanError) -> Plan {
        plan(nodes, edges, try PlanOrder(nodes, edges), rampFrames: rampFrames)
    }

    /// As above, in an order that was found before.
    static func plan(_ nodes: [PlanNode], _ edges: [PlanEdge], _ order: PlanOrder, rampFrames: Int) -> Plan {
        var builder = PlanBuilder(nodes, edges, order)
        return builder.build(rampFrames)
    }

    /// The plan of nodes of as many channels in a row, of which the first is the input and the last the output.
    package static func plan(row nodes: [PlanNode], rampFrames: Int) -> Plan {
        let edges = nodes.indices.dropFirst().map { PlanEdge(from: $0 - 1, to: $0) }
        var builder = PlanBuilder(nodes, edges, PlanOrder(row: nodes.count))
        return builder.build(rampFrames)
    }

    private init(_ nodes: [PlanNode], _ edges: [PlanEdge], _ order: PlanOrder) {
        self.nodes = nodes
        self.edges = edges
        self.order = order
        readers = [Int](repeating: 0, count: nodes.count)
        arrived = [Bundle?](repeating: nil, count: nodes.count)
        rendered = arrived
        isFinite = [Bool](repeating: true, count: nodes.count)
    }

    private mutating func build(_ rampFrames: Int) -> Plan {
        for case .edge(let edge) in order.visits { readers[edges[edge].source] += 1 }
        for visit in order.visits {
            switch visit {
            case .edge(let edge): add(edges[edge])
            case .node(let node): addNode(node)
            case .store(let node): addStore(node)
            }
        }
        markFours()
        unsafe steps += ending
        // SAFETY: `keeps` has every cell that a step points into.
        return unsafe Plan(
            steps, loops: loops, taps: taps, players: players, detours: detours, planes: pool.planes,
            rampFrames: rampFrames, keeps: keeps)
    }

    /// What one connection carries arrives at its target.
    private mutating func add(_ edge: PlanEdge) {
        guard let source = rendered[edge.source] else {
            preconditionFailure("a connection is visited after its source")
        }
        isFinite[edge.target] = arrived[edge.target] == nil && edge.line == nil && isFinite[edge.source]
        if let sum = arrived[edge.target] {
            let sum = writable(sum)
            carry(edge.line, from: source, to: sum, stores: false)
            pool.release(source)
            arrived[edge.target] = sum
        } else if edge.line == nil {
            arrived[edge.target] = source
        } else {
            let target = pool.take(channels: nodes[edge.target].channels)
            carry(edge.line, from: source, to: target, stores: true)
            pool.release(source)
            arrived[edge.target] = target
        }
    }

    private mutating func carry(_ line: Cell<Line>?, from source: Bundle, to target: Bundle, stores: Bool) {
        if let line {
            unsafe steps.append(.carry(line.pointer, from: source, to: target, stores: stores))
            keeps.append(line)
        } else {
            unsafe steps.append(.add(source, to: target))
        }
    }

    /// Puts a step before each four in a row that add to the same bundle without a delay.
    private mutating func markFours() {
        var marked: [PlanStep] = unsafe []
        var place = 0
        while unsafe place < steps.count {
            let count = unsafe isFour(steps[place...].prefix(4)) ? 4 : 1
            if count == 4 { unsafe marked.append(.carryFour) }
            unsafe marked += steps[place..<place + count]
            place += count
        }
        unsafe steps = marked
    }

    private func isFour(_ steps: ArraySlice<PlanStep>) -> Bool {
        guard unsafe steps.count == 4, case .carry(_, _, let sum, _) = unsafe steps.first else { return false }
        return unsafe steps.allSatisfy {
            guard case .carry(let line, let source, to: sum, stores: false) = unsafe $0 else { return false }
            return unsafe line.pointee.delayFrames == 0 && source.channels <= sum.channels
        }
    }

    /// What has arrived at a node that changes it.
    ///
    /// - Parameter isChecked: whether it must be finite, as for a node that remembers what it has heard.
    private mutating func heard(_ node: Int, isChecked: Bool = false) -> Bundle {
        let bundle = writable(arrived[node] ?? silence(channels: nodes[node].channels))
        if isChecked { check(node, bundle) }
        return bundle
    }

    private mutating func check(_ node: Int, _ bundle: Bundle) {
        if !isFinite[node] { unsafe steps.append(.check(bundle)) }
        isFinite[node] = true
    }

    private mutating func addNode(_ node: Int) {
        let channels = nodes[node].channels
        let bundle: Bundle
        switch nodes[node].body {
        case .input:
            bundle = pool.take(channels: channels)
            unsafe steps.append(.input(bundle))
        case .output(let output):
            // It stays claimed, so that nobody else writes to it before it has gone out.
            bundle = arrived[node] ?? silence(channels: channels)
            unsafe steps.insert(.gate(output.pointer), at: 0)
            unsafe ending = [.output(output.pointer, bundle)]
            if let tap = nodes[node].tap { unsafe ending.append(.tap(keep(tap), bundle)) }
            keeps.append(output)
            return
        case .mixer:
            bundle = arrived[node] ?? silence(channels: channels)
        case .shaper(let shaper):
            bundle = heard(node)
            var isBehind = false
            if case .shape(_, bundle, _) = unsafe steps.last { isBehind = true } else { check(node, bundle) }
            unsafe steps.append(.shape(shaper.pointer, bundle, isBehind: isBehind))
            keeps.append(shaper)
            isFinite[node] = false
        case .processor(let processor):
            // SAFETY: what is read of it never changes.
            let nature = unsafe processor.pointer.pointee.nature
            bundle = heard(node, isChecked: nature != .oursWithoutMemory)
            unsafe steps.append(.process(processor.pointer, bundle))
            keeps.append(processor)
            isFinite[node] = nature == .foreign
        case .player(let player):
            bundle = pool.take(channels: channels)
            unsafe steps.append(.play(player.pointer, bundle))
            unsafe players.append(player.pointer)
            keeps.append(player)
        case .receiver(let receiver):
            bundle = pool.take(channels: channels)
            unsafe steps.append(.receive(receiver.pointer, bundle))
            keeps.append(receiver)
        case .detour(let detour):
            bundle = heard(node, isChecked: true)
            unsafe steps.append(.detour(detour.pointer, bundle))
            unsafe detours.append(detour.pointer)
            keeps.append(detour)
        case .delay(let delay) where order.closesLoop[node]:
            bundle = pool.take(channels: channels)
            isFinite[node] = true
            unsafe steps.append(.recall(delay.pointer, bundle))
            unsafe loops.append(delay.pointer)
            keeps.append(delay)
        case .delay(let delay):
            bundle = heard(node)
            unsafe steps.append(.delay(delay.pointer, bundle))
            keeps.append(delay)
        }
        if let tap = nodes[node].tap {
            check(node, bundle)
            unsafe steps.append(.tap(keep(tap), bundle))
        }
        // What a mixer passes on may be somebody else's too.
        rendered[node] = bundle
        for _ in 0..<readers[node] { pool.claim(bundle) }
        pool.release(bundle)
    }

    /// Of a tap: the plan keeps it, and can ask all of them for room.
    private mutating func keep(_ tap: Cell<TapWriter>) -> UnsafeMutablePointer<TapWriter> {
        keeps.append(tap)
        unsafe taps.append(tap.pointer)
        return unsafe tap.pointer
    }

    private mutating func addStore(_ node: Int) {
        guard case .delay(let delay) = nodes[node].body else { return }
        let bundle = arrived[node] ?? silence(channels: nodes[node].channels)
        unsafe steps.append(.store(delay.pointer, bundle))
        pool.release(bundle)
    }

    private mutating func silence(channels: Int) -> Bundle {
        let bundle = pool.take(channels: channels)
        unsafe steps.append(.clear(bundle))
        return bundle
    }

    /// The bundle itself where nobody else reads it, or a copy.
    private mutating func writable(_ bundle: Bundle) -> Bundle {
        if pool.claims(on: bundle) == 1 { return bundle }
        let copy = pool.take(channels: bundle.channels)
        unsafe steps.append(.copy(from: bundle, to: copy))
        pool.release(bundle)
        return copy
    }
}

/// The planes of a plan that is being made: who still needs them, and which are free again.
private struct BundlePool {
    private(set) var planes = 0
    private var free: [Int: [Bundle]] = [:]
    private var claims: [Int: Int] = [:]

    /// With one claim on it.
    mutating func take(channels: Int) -> Bundle {
        let bundle = free[channels]?.popLast() ?? Bundle(first: planes, channels: channels)
        if bundle.first == planes { planes += channels }
        claims[bundle.first] = 1
        return bundle
    }

    func claims(on bundle: Bundle) -> Int { claims[bundle.first] ?? 0 }
    mutating func claim(_ bundle: Bundle) { claims[bundle.first, default: 0] += 1 }

    mutating func release(_ bundle: Bundle) {
        claims[bundle.first, default: 1] -= 1
        if claims[bundle.first] == 0 { free[bundle.channels, default: []].append(bundle) }
    }
}
