import AudioRealtime

/// Where the ports' sound enters an engine. Each engine has one.
public final class InputNode: Node {
    public let core: NodeCore

    init(channels: Int) { core = NodeCore("input", channels: channels, driver: Driver(.input)) }
}

/// Where the sound leaves an engine for the ports. Each engine has one.
public final class OutputNode: Node {
    public let core: NodeCore

    init(channels: Int) { core = NodeCore("output", channels: channels, driver: Driver(.output)) }
}

/// Of a node that has nothing to be set.
private final class Driver: NodeDriver {
    private let terminal: Terminal

    enum Terminal { case input, output }

    init(_ terminal: Terminal) { self.terminal = terminal }

    var isSource: Bool { terminal == .input }

    func makeBody(_ format: NodeFormat) -> NodeBody {
        switch terminal {
        case .input: .input
        case .output: .output
        }
    }
}
