import AudioFigures
import AudioMeasurement
import AudioReports
import CommandSyntax
import Jack

/// `iounit ports`: what there is to connect to.
struct PortsCommand {
    static let syntax = Syntax(
        name: "ports", summary: "list the ports of a JACK server",
        groups: [
            (
                "Options",
                [
                    Option("server", short: "s", "NAME", "the server to ask (the default server)"),
                    Option(flag: "inputs", "only the ports that sound can be sent to, as of --output"),
                    Option(flag: "outputs", "only the ports that sound comes from, as of --input"),
                    Option(flag: "names", "print the names alone, a line each"),
                    Option(flag: "json", "print one JSON object (iounit.ports/1)"),
                    Option(flag: "help", "print this"),
                ]
            )
        ],
        notes: "The patterns of iounit monitor --input and --output are matched against these names.")

    private let server: String?
    private let direction: PortDirection?
    private let isJSON: Bool
    private let isNames: Bool

    init(_ words: [String]) throws(Failure) {
        let arguments = try Arguments(words, Self.syntax)
        server = arguments.value("server")
        isJSON = arguments.has("json")
        isNames = arguments.has("names")
        try arguments.require(!isJSON || !isNames, "--json and --names contradict each other")
        let wanted = [("inputs", PortDirection.input), ("outputs", .output)].filter { arguments.has($0.0) }
        try arguments.require(
            wanted.count < 2, "--inputs and --outputs contradict each other; leave both out for all ports")
        direction = wanted.first?.1
    }

    func run() throws -> ExitCode {
        let client = try Client(name: "iounit-ports", server: server)
        let ports = try client.ports(PortQuery(direction: direction, type: nil))
        let facts = ServerFacts(client, server: server)
        try client.close()
        if isNames {
            return ports.isEmpty
                ? .done : try StandardOutput.print(ports.map { shown($0.name) }.joined(separator: "\n"))
        }
        return try StandardOutput.print(isJSON ? json(ports, facts) : Self.table(ports))
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
        let widths = (0..<5).map { column in rows.map { $0[column].count }.max() ?? 0 }
        let lines = rows.map { row in
            let cells = row.enumerated().map { index, cell in
                index < 5 ? padded(cell, widths[index]) : cell
            }
            return trimmed(cells.joined(separator: "  "))
        }
        return lines.joined(separator: "\n")
    }

    private static func span(_ range: LatencyRange) -> String {
        range.minimum == range.maximum ? "\(range.minimum)" : "\(range.minimum)…\(range.maximum)"
    }

    private func json(_ ports: [PortInfo], _ facts: ServerFacts) throws -> String {
        struct Report: Encodable {
            var schema = "iounit.ports/1"
            var server: ServerFacts
            var ports: [Row]
        }
        struct Row: Encodable {
            var name: String
            var aliases: [String]
            var direction: String
            var type: String
            var physical: Bool
            var terminal: Bool
            var connections: [String]
            var captureLatencyFrames: [Int]
            var playbackLatencyFrames: [Int]
        }
        let rows = ports.map { port in
            Row(
                name: port.name, aliases: port.aliases, direction: port.direction == .input ? "input" : "output",
                type: port.type, physical: port.isPhysical, terminal: port.isTerminal,
                connections: port.connections,
                captureLatencyFrames: [port.captureLatency.minimum, port.captureLatency.maximum],
                playbackLatencyFrames: [port.playbackLatency.minimum, port.playbackLatency.maximum])
        }
        return try reportJSON(Report(server: facts, ports: rows))
    }
}
