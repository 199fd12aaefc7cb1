import AudioRealtime

/// Where the ports' sound enters an engine. Each engine has one.
public final class InputNode: Node {
    public let core: NodeCore

    init(channels: Int) { core = NodeCore("input", channels: channels, driver: Driver(nil)) }
}

/// Where the sound leaves an engine for the ports. Each engine has one.
public final class OutputNode: Node {
    public let core: NodeCore

    /// What the audio thread runs of it.
    let state: Cell<OutputState>

    init(channels: Int, _ meters: Meters) {
        state = Cell(OutputState(meters))
        core = NodeCore("output", channels: channels, driver: Driver(state))
    }
}

/// Of a node that has nothing to be set.
private final class Driver: NodeDriver {
    /// `nil` of an input.
    private let output: Cell<OutputState>?

    init(_ output: Cell<OutputState>?) { self.output = output }

    var isSource: Bool { output == nil }

    func makeBody(_ format: NodeFormat) -> NodeBody { output.map { .output($0) } ?? .input }
}
