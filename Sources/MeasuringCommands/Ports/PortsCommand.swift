import AudioFigures
import AudioReports
import CommandSyntax
import Jack
import TerminalPages

/// `iounit ports`: what there is to connect to.
struct PortsCommand: SubcommandOptions {
    static let syntax = Syntax(
        name: "ports", summary: "list the ports of a JACK server",
        groups: [
            optionGroup(
                "Options",
                asked, inputs.excludes([outputs.name], "leave both out for all"), outputs, names.excludes(["json"]),
                .json(PortsReport.kind, "print one JSON object"))
        ],
        notes: "The patterns of iounit monitor --input and --output are matched against these names.")

    private static let asked = Option("server", short: "s", "NAME", "the server to ask (the default server)")
    private static let inputs = Option(flag: "inputs", "only the ports that sound can be sent to, as of --output")
    private static let outputs = Option(flag: "outputs", "only the ports that sound comes from, as of --input")
    private static let names = Option(
        flag: "names", "print the names alone, a line each; to a pipe or a file as options take them")

    private let server: String?
    private let direction: PortDirection?
    private let isJSON: Bool
    private let isNames: Bool

    init(_ arguments: Arguments) throws(Failure) {
        server = arguments.word(of: Self.asked)
        isJSON = arguments.isJSON
        isNames = arguments.has(Self.names)
        direction = arguments.has(Self.inputs) ? .input : arguments.has(Self.outputs) ? .output : nil
    }

    func run() throws -> ExitCode {
        let client = try Client(name: "iounit-ports", server: server)
        let ports = try client.ports(PortQuery(direction: direction, type: nil))
        let facts = ServerFacts(client, server: server)
        try client.close()
        if isNames {
            let names = ports.map { Self.line($0.name, isSeen: PageFormat().isTerminal) }
            return names.isEmpty ? .done : try StandardOutput.print(names.joined(separator: "\n"))
        }
        return try StandardOutput.print(
            isJSON ? reportJSON(PortsReport(server: facts, ports: ports)) : Self.table(ports))
    }

    /// A port's name as it is, which options and patterns match; but a terminal obeys nothing of it, and a line is one name.
    static func line(_ name: String, isSeen: Bool) -> String {
        isSeen || name.unicodeScalars.contains { $0 == "\n" || $0 == "\r" } ? shown(name) : name
    }

    static func table(_ ports: [PortInfo]) -> String {
        if ports.isEmpty { return "The server has no ports." }
        let rows = ports.map { port in
            [
                shown(port.name),
                port.direction == .input ? "input" : "output",
                port.isAudio ? "audio" : shown(port.type),
                port.isPhysical ? "physical" : "",
                "latency \(span(port.captureLatency)) / \(span(port.playbackLatency))",
                port.connections.isEmpty
                    ? ""
                    : (port.direction == .input ? "← " : "→ ") + port.connections.map(shown).joined(separator: ", "),
            ]
        }
        return aligned(rows).joined(separator: "\n")
    }

    private static func span(_ range: LatencyRange) -> String {
        range.minimum == range.maximum ? "\(range.minimum)" : "\(range.minimum)…\(range.maximum)"
    }
}

struct PortsReport: ReportDocument {
    var server: ServerFacts
    var ports: [PortInfo]

    static let kind = document("ports", 1)
    static let fields: [ReportField<Self>] = [.group("server", \.server), .group("ports", \.ports)]
}

extension PortInfo: Reported {
    package static let fields: [ReportField<Self>] = [
        .field("name", "of the port, with its client's", \.name),
        .field("aliases", "its other names", \.aliases),
        .field(
            "direction", "input: sound can be sent to it; output: sound comes from it", of: ["input", "output"]
        ) { $0.direction == .input ? "input" : "output" },
        .field("type", "in JACK's words", \.type),
        .field("physical", "whether it belongs to hardware", \.isPhysical),
        .field("terminal", "whether sound begins or ends there, and does not pass through", \.isTerminal),
        .field("connections", "names of the ports connected to it", \.connections),
        .field(
            "captureLatencyFrames", "the least and the greatest latency from where sound enters the graph to the port",
            unit: .frames
        ) { [$0.captureLatency.minimum, $0.captureLatency.maximum] },
        .field(
            "playbackLatencyFrames", "the least and the greatest latency from the port to where sound leaves the graph",
            unit: .frames
        ) { [$0.playbackLatency.minimum, $0.playbackLatency.maximum] },
    ]
}
