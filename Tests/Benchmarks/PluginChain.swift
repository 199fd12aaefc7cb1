import AudioIO
import AudioPlugins
import AudioRealtime
import Foundation
import Glibc
import Jack
import Threads

/// Plug-ins of one channel in a row, between two clients on a server: one that ends before them, and one that begins behind.
struct PluginChain {
    static let jalv = "/usr/bin/jalv"

    /// What a cycle costs.
    struct Cost {
        var pathMicroseconds: Double
        var processorMicroseconds: Double
        /// Of JACK, in %.
        var load: Double
    }

    private let names: [String]
    /// How long each takes, in microseconds; 0 where it is no planted one.
    private let busy: Double
    private let folder: URL

    init(_ names: [String], busy: Double, _ workshop: Workshop) {
        (self.names, self.busy, folder) = (names, busy, workshop.plugins)
    }

    private func plugin(_ name: String) throws -> Plugin {
        let list = name == Section.passing ? try PluginList(path: folder.path) : try PluginList.installed()
        let plugin = try Plugin(name, channels: 1, in: list)
        if busy > 0 { try plugin.parameters.first { $0.info.name == "busy" }?.set(.number(busy)) }
        return plugin
    }

    func inOneUnit(on server: Server) throws -> Cost {
        var configuration = EngineConfiguration()
        configuration.clientName = "chain"
        configuration.serverName = server.name
        (configuration.inputChannels, configuration.outputChannels) = (1, 1)
        (configuration.inputs, configuration.outputs) = (.none, .none)
        let engine = try Engine(configuration)
        defer { engine.close() }
        var last: any Node = engine.input
        for name in names {
            let plugin = engine.attach(try plugin(name))
            try engine.connect(last, to: plugin)
            last = plugin
        }
        try engine.connect(last, to: engine.output)
        return try measure(on: server, [("chain:in_1", "chain:out_1")]) {
            try engine.start()
            guard let unit = engine.unit else { throw Breakdown("the engine has no unit") }
            return { unit.audioThreadUsage?.processorNanoseconds ?? 0 }
        }
    }

    func asClients(on server: Server) throws -> Cost {
        let infos = try names.map { try plugin($0).info }
        // jalv runs what is in some bundles to list them, so it sees no others.
        for info in infos where info.uri != Section.passing {
            let bundle = URL(fileURLWithPath: info.bundle).standardizedFileURL
            let link = folder.appendingPathComponent(bundle.lastPathComponent)
            if !FileManager.default.fileExists(atPath: link.path) {
                try FileManager.default.createSymbolicLink(at: link, withDestinationURL: bundle)
            }
        }
        var clients: [Peer] = []
        defer { for client in clients { client.end() } }
        let ports = infos.enumerated().map { number, info in
            func port(_ isInput: Bool) -> String {
                let port = info.ports.first { $0.kind == .audio && $0.isInput == isInput }
                return "jalv-\(number):\(port?.symbol ?? "")"
            }
            return (port(true), port(false))
        }
        return try measure(on: server, ports) {
            clients = try infos.enumerated().map { number, info in
                try Peer(
                    URL(fileURLWithPath: Self.jalv),
                    ["-n", "jalv-\(number)", "-x"] + (busy > 0 ? ["-c", "busy=\(busy)"] : []) + [info.uri],
                    reading: .output, environment: ["LV2_PATH": folder.path, "JACK_DEFAULT_SERVER": server.name],
                    keepsInput: true)
            }
            let processes = clients.map(\.identifier)
            return { processes.reduce(0) { $0 + Self.processorNanoseconds(ofProcess: $1) } }
        }
    }

    /// Connects the chain, its links in order by their ports, and measures for two seconds.
    ///
    /// - Parameter start: starts it; returns what tells how many nanoseconds of processor it has had so far.
    private func measure(
        on server: Server, _ links: [(input: String, output: String)], start: () throws -> () -> UInt64
    ) throws -> Cost {
        let (head, tail) = (try end("head", on: server), try end("tail", on: server))
        defer { for unit in [head, tail] { unit.stop() } }
        let wires = try Client(name: "wires", server: server.name)
        let usage = try start()
        let outputs = ["head:out_1"] + links.map(\.output)
        for (source, target) in zip(outputs, links.map(\.input) + ["tail:in_1"]) {
            try connect(source, target, wires)
        }
        // JACK's load is a mean over some tenths of a second, in which connecting shall have no part.
        MonotonicClock.sleep(milliseconds: 500)
        let (before, cycles) = (usage(), head.cycles)
        var loads: [Double] = []
        for _ in 0..<20 {
            // Samples of two seconds: nothing is waited for.
            MonotonicClock.sleep(milliseconds: 100)
            loads.append(head.dspLoad * 100)
        }
        let passed = head.cycles - cycles
        guard passed > 100 else { throw Breakdown("the server ran \(passed) cycles in two seconds") }
        let after = usage()
        guard after >= before else { throw Breakdown("a host has ended while it was measured") }
        let processor = Double(after - before) / Double(passed) / 1000
        let entries = Dictionary(
            tail.recentCycles.map { ($0.frameTime, $0.entryNanoseconds) }, uniquingKeysWith: { $1 })
        let times = head.recentCycles.suffix(1000).compactMap { first in
            entries[first.frameTime].map { (Double($0) - Double(first.exitNanoseconds)) / 1000 }
        }
        return Cost(pathMicroseconds: times.median, processorMicroseconds: processor, load: loads.median)
    }

    private func end(_ name: String, on server: Server) throws -> IOUnit {
        var configuration = UnitConfiguration()
        configuration.clientName = name
        configuration.serverName = server.name
        configuration.channels = 1
        (configuration.inputs, configuration.outputs) = (.none, .none)
        let unit = try IOUnit(configuration)
        try unit.start()
        return unit
    }

    /// Waits for both ports: jalv needs a moment.
    private func connect(_ source: String, _ target: String, _ client: borrowing Client) throws {
        let deadline = MonotonicClock.nanoseconds() + 30_000_000_000
        while true {
            do throws(JackError) {
                return try client.connect(source, to: target)
            } catch {
                guard MonotonicClock.nanoseconds() < deadline else { throw error }
            }
            // JACK notifies nobody who is not active; the deadline is above.
            MonotonicClock.sleep(milliseconds: 20)
        }
    }

    private static func processorNanoseconds(ofProcess process: pid_t) -> UInt64 {
        var (clock, time) = (clockid_t(), timespec())
        guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else { return 0 }
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
