import AudioDSP
import AudioIO
import AudioRealtime
import Foundation
import Jack
import TestSupport
import Threads

extension Section {
    static let engine = Section(
        name: "engine",
        introduction: """
            Sixteen shapers of cubic shape, one channel, 64 frames, on a server in sync mode: as nodes of one engine, and as
            sixteen clients in a row. From the first's start to the last's end in one cycle, and the processor time of the
            audio threads per cycle; medians of three runs each, in turn. Then the engine offline: input, shaper, output, two
            channels, beside the shaper's kernel alone. Then 1000 changes of connections in a minute while a sine runs.
            """
    ) { workshop in
        try clientsAgainstNodes() + [offline()] + rewiring(try Twins(at: workshop.twins))
    }

    private static let count = 16

    private static func clientsAgainstNodes() throws -> [Goal] {
        var configuration = ServerConfiguration()
        configuration.isSync = true
        let server = try Server(configuration)
        defer { server.stop() }
        var (nodes, clients): ([Cost], [Cost]) = ([], [])
        for _ in 0..<3 {
            nodes.append(try asNodes(on: server))
            clients.append(try asClients(on: server))
        }
        func row(_ name: String, _ costs: [Cost]) -> [String] {
            [name, costs.map(\.microseconds).median.text(1), costs.map(\.processorMicroseconds).median.text(1)]
        }
        let rows = [row("\(count) nodes of one engine", nodes), row("\(count) clients", clients)]
        print(Table(["on a server", "first to last, µs", "processor per cycle, µs"], rows).text)
        let ratio = zip(clients, nodes).map { $0.microseconds / $1.microseconds }.median
        let processor = zip(clients, nodes).map { $0.processorMicroseconds / $1.processorMicroseconds }.median
        print("clients to nodes: \(ratio.text(1)) times as long, \(processor.text(1)) times the processor")
        return [Goal("nodes to clients, from first to last", 1 / ratio, atMost: 0.05)]
    }

    /// Of a cycle.
    private struct Cost {
        var microseconds: Double
        var processorMicroseconds: Double
    }

    private static func asNodes(on server: Server) throws -> Cost {
        var configuration = EngineConfiguration()
        configuration.serverName = server.name
        configuration.inputChannels = 1
        configuration.outputChannels = 1
        let engine = try Engine(configuration)
        defer { engine.close() }
        var last: any Node = engine.input
        for _ in 0..<count {
            let shaper = engine.attach(Shaper())
            try engine.connect(last, to: shaper)
            last = shaper
        }
        try engine.connect(last, to: engine.output)
        try engine.start()
        guard let unit = engine.unit else { throw Breakdown("the engine has no unit") }
        let usage = try measure([unit])
        return Cost(
            microseconds: unit.recentCycles.suffix(1000).map { Double($0.exitNanoseconds - $0.entryNanoseconds) / 1000 }
                .median, processorMicroseconds: usage)
    }

    private static func asClients(on server: Server) throws -> Cost {
        let units = try (1...count).map { number in
            var configuration = UnitConfiguration()
            configuration.serverName = server.name
            configuration.channels = 1
            configuration.shape = .cubic
            configuration.clientName = "node-\(number)"
            configuration.inputs = number == 1 ? .physical : .firstOf(["^node-\(number - 1):"])
            configuration.outputs = number == count ? .physical : .none
            let unit = try IOUnit(configuration)
            try unit.start()
            return unit
        }
        defer { for unit in units { unit.stop() } }
        let usage = try measure(units)
        let exits = Dictionary(
            units[count - 1].recentCycles.map { ($0.frameTime, $0.exitNanoseconds) }, uniquingKeysWith: { $1 })
        let times = units[0].recentCycles.suffix(1000).compactMap { first in
            exits[first.frameTime].map { Double($0 - first.entryNanoseconds) / 1000 }
        }
        return Cost(microseconds: times.median, processorMicroseconds: usage)
    }

    /// Microseconds of processor for each cycle, over two seconds.
    private static func measure(_ units: [any GraphUnit]) throws -> Double {
        func usage() -> UInt64 { units.reduce(0) { $0 + ($1.audioThreadUsage?.processorNanoseconds ?? 0) } }
        MonotonicClock.sleep(milliseconds: 300)
        let (start, cycles) = (usage(), units[0].cycles)
        MonotonicClock.sleep(milliseconds: 2000)
        let passed = units[0].cycles - cycles
        guard passed > 100 else { throw Breakdown("the server ran \(passed) cycles in two seconds") }
        return Double(usage() - start) / Double(passed) / 1000
    }

    private static func offline() throws -> Goal {
        let engine = try Engine(offline: 48_000)
        let shaper = engine.attach(Shaper())
        try engine.connect(engine.input, to: shaper)
        try engine.connect(shaper, to: engine.output)
        try engine.start()
        let frames = 48_000
        let signal = (0..<2).map { _ in (0..<frames).map { 0.5 * Float(sin(Double($0) / 20)) } }
        let planes = Planes(channels: 2, capacity: 1024)
        var shaperAlone = ShaperState(.cubic, channels: 2, rampFrames: 480, maximumFrames: 1024)
        let race = Race(
            [
                Contender { count in for _ in 0..<count { _ = try? engine.render(frames, input: signal) } },
                Contender { count in
                    for _ in 0..<count {
                        for _ in 0..<(frames / 1024) { shaperAlone.process(planes, planes.all, frames: 1024) }
                    }
                },
            ], roundNanoseconds: 0, rounds: 60)
        let speed = 1e9 / race.nanoseconds(0)
        print(
            "\noffline: \(speed.text(0)) times real time, two channels at 48 kHz; the limit, the shaper's kernel alone: "
                + "\((1e9 / race.nanoseconds(1)).text(0)) times")
        return Goal("real time to offline, default graph", 1 / speed, atMost: 0.001)
    }

    private static func rewiring(_ twins: Twins) throws -> [Goal] {
        let server = try Server()
        defer { server.stop() }
        var configuration = EngineConfiguration()
        configuration.serverName = server.name
        let engine = try Engine(configuration)
        defer { engine.close() }
        let gains = (0..<8).map { _ in engine.attach(Gain(linear: 0.5)) }
        try engine.connect(engine.input, to: engine.mixer)
        try engine.start()
        guard let unit = engine.unit else { throw Breakdown("the engine has no unit") }
        func rewire(_ times: Int) throws {
            for number in 0..<times {
                let (gain, other) = (gains[number % 8], gains[(number * 5 + 3) % 8])
                if engine.isConnected(engine.input, to: gain) {
                    engine.detach(gain)
                    engine.attach(gain)
                } else {
                    try engine.connect(engine.input, to: gain)
                    try engine.connect(gain, to: engine.mixer)
                    if gain !== other { try? engine.connect(gain, to: other) }
                }
                MonotonicClock.sleep(milliseconds: 60)
            }
        }
        /// Of the same graph, when the plans before it have come back and were freed.
        func heapBytes() throws -> Int {
            for gain in gains {
                engine.detach(gain)
                engine.attach(gain)
            }
            MonotonicClock.sleep(milliseconds: 300)
            return try twins.heapBytes()
        }
        // As long as the account of cycles fills.
        try rewire(200)
        let (before, cycles) = (try heapBytes(), unit.cycles)
        try rewire(1000)
        let growth = Double(try heapBytes() - before) / 1024
        let longest = unit.recentCycles.map { Double($0.exitNanoseconds - $0.entryNanoseconds) / 1000 }.max() ?? 0
        print(
            "\n1000 changes in a minute: \(unit.cycles - cycles) cycles, the longest of the last 8192 took \(longest.text(0)) µs "
                + "of 1333; the heap grew by \(growth.text(0)) KiB")
        return [Goal("heap that 1000 changes cost", growth, atMost: 64, unit: " KiB")]
    }
}
