import AudioDSP
import AudioRealtime
import TestSupport

/// Nodes and connections by chance, for a plan and for a reference that knows nothing of plans, planes and blocks.
struct RandomGraph {
    enum Kind {
        case input, output, mixer
        case shaper(Shape, drive: Float)
        case gain(Float)
        case delay(Int)
    }

    struct Connection {
        var source: Int
        var target: Int
        /// `nil` for the sound as it is.
        var gains: Gains?
        var delayFrames = 0
    }

    var kinds: [Kind] = [.input, .output]
    var channels: [Int] = [2, 2]
    var connections: [Connection] = []

    /// - Parameter loops: how many connections lead back, into delays.
    init(seed: UInt64, nodes: Int = 12, connections count: Int = 24, loops: Int = 0) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<nodes {
            channels.append(Int.random(in: 1...2, using: &generator))
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: kinds.append(.mixer)
            case 1:
                kinds.append(
                    .shaper([.off, .hard, .cubic, .tanh][Int.random(in: 0..<4, using: &generator)], drive: 1.5))
            case 2: kinds.append(.gain(Float.random(in: -1...1, using: &generator)))
            default: kinds.append(.delay(Int.random(in: 0...70, using: &generator)))
            }
        }
        // From the input towards the output, so that there is no loop: the output is the last one.
        let order = [0] + Array(2..<kinds.count) + [1]
        for _ in 0..<count {
            let from = Int.random(in: 0..<order.count - 1, using: &generator)
            let to = Int.random(in: from + 1..<order.count, using: &generator)
            connect(order[from], order[to], &generator)
        }
        // As many as are added up in one pass, and more.
        for _ in 0..<Int.random(in: 0...10, using: &generator) {
            let gains = Gains(
                Float.random(in: -0.2...0.2, using: &generator), Float.random(in: -0.2...0.2, using: &generator))
            let source = order[Int.random(in: 0..<order.count - 2, using: &generator)]
            connections.append(Connection(source: source, target: order[order.count - 2], gains: gains))
        }
        // So that something is heard.
        for (source, target) in [(0, order[order.count - 2]), (order[order.count - 2], 1)] {
            connections.append(Connection(source: source, target: target, gains: Gains(0.5, 0.6)))
        }
        for _ in 0..<loops {
            let from = Int.random(in: 2..<order.count - 1, using: &generator)
            let back = Int.random(in: 1...from, using: &generator)
            kinds.append(.delay(Int.random(in: 1...90, using: &generator)))
            channels.append(channels[order[from]])
            connections.append(Connection(source: order[from], target: kinds.count - 1))
            // Around a loop the sound becomes softer.
            connections.append(Connection(source: kinds.count - 1, target: order[back], gains: Gains(0.1, -0.1)))
        }
    }

    private mutating func connect(_ source: Int, _ target: Int, _ generator: inout SeededGenerator) {
        var gains: Gains?
        if channels[source] != channels[target] || Bool.random(using: &generator) {
            gains = Gains(
                Float.random(in: -0.7...0.7, using: &generator), Float.random(in: -0.7...0.7, using: &generator))
        }
        let delay = gains == nil ? 0 : Int.random(in: 0...40, using: &generator)
        connections.append(Connection(source: source, target: target, gains: gains, delayFrames: delay))
    }

    /// The plan's nodes and edges.
    ///
    /// - Parameter order: in which nodes are attached; as they are without it.
    func planParts(attaching order: [Int]? = nil) -> (nodes: [PlanNode], edges: [PlanEdge]) {
        let order = order ?? Array(kinds.indices)
        let places = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($0.element, $0.offset) })
        let nodes = order.map { number in
            let body: NodeBody =
                switch kinds[number] {
                case .input: .input
                case .output: .output(channels: channels[number])
                case .mixer: .mixer
                case .gain(let gain): .gain(gain)
                case .delay(let frames):
                    .delay(Cell(DelayState(channels: channels[number], frames: frames, maximumFrames: 100)))
                case .shaper(let shape, let drive):
                    .shaper(ShaperSetting(shape: shape, drive: drive), channels: channels[number])
                }
            return PlanNode(body, channels: channels[number])
        }
        let edges = connections.map { connection in
            PlanEdge(
                from: places[connection.source] ?? 0, to: places[connection.target] ?? 0,
                line: connection.gains.map {
                    Cell(Line(channels: channels[connection.source], gains: $0, delayFrames: connection.delayFrames))
                })
        }
        return (nodes, edges)
    }

    /// What a sample at a time and double precision make of it.
    func reference(_ input: [[Float]]) -> [[Double]] {
        let frames = input[0].count
        // By node, channel and frame.
        var rendered = channels.map { [[Double]](repeating: [Double](repeating: 0, count: frames), count: $0) }
        var arriving = rendered
        let incoming = kinds.indices.map { node in connections.filter { $0.target == node } }
        for frame in 0..<frames {
            var isKnown = [Bool](repeating: false, count: kinds.count)
            func render(_ node: Int) {
                if isKnown[node] { return }
                isKnown[node] = true
                if case .delay(let delay) = kinds[node], delay > 0 {
                    for channel in 0..<channels[node] {
                        rendered[node][channel][frame] = frame < delay ? 0 : arriving[node][channel][frame - delay]
                    }
                    return
                }
                sum(node)
                for channel in 0..<channels[node] {
                    let x = arriving[node][channel][frame]
                    rendered[node][channel][frame] =
                        switch kinds[node] {
                        case .input: Double(input[channel][frame])
                        case .output, .mixer, .delay: x
                        case .gain(let gain): Double(gain) * x
                        case .shaper(let shape, let drive): curve(shape, of: x * Double(shape == .off ? 1 : drive))
                        }
                }
            }
            func sum(_ node: Int) {
                for connection in incoming[node] {
                    let source = connection.source
                    render(source)
                    let when = frame - connection.delayFrames
                    guard when >= 0 else { continue }
                    let pairs = max(channels[source], channels[node])
                    for pair in 0..<pairs {
                        let gains = connection.gains ?? .unity
                        let gain = Double(pairs == 2 && pair == 1 ? gains.right : gains.left)
                        let value = rendered[source][min(pair, channels[source] - 1)][when]
                        arriving[node][min(pair, channels[node] - 1)][frame] += gain * value
                    }
                }
            }
            for node in kinds.indices { render(node) }
            for (node, kind) in kinds.enumerated() {
                if case .delay(let delay) = kind, delay > 0 { sum(node) }
            }
        }
        return rendered[1]
    }
}
