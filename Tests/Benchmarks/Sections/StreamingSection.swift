import AudioIO
import AudioRecording
import AudioStreaming
import Foundation
import Jack
import TestSupport
import Threads

extension Section {
    static let streaming = Section(
        name: "streaming",
        introduction: """
            What sending costs the callback. A unit of 64 frames and 2 channels, with all that can be had at once: a recording,
            FLAC to a WebSocket and by TCP, Opus to Icecast and by RTP, MP3 to Icecast, and a page with a listener; in turns of a
            second with nothing of that. Beside it, in the same graph, a unit that never has any of it: what that one loses is
            what else runs on the machine, in the caches too; what is left is the copy for the workers: one for the
            recording, the streams and the page together. That is timed in place too, from the end of the node before it to the
            start of the one behind it, and so on a machine with other work.
            Each figure is of a turn against its neighbour.
            p50, p90: microseconds from a callback's start to its end, of all turns; of the copy, in place.
            """
    ) { _ in
        let server = try Server()
        defer { server.stop() }
        var configuration = UnitConfiguration()
        configuration.serverName = server.name
        configuration.clientName = "loaded"
        configuration.shape = .cubic
        let unit = try IOUnit(configuration)
        let engine = try Engine(unit)
        let step = StepTime()
        let (heard, between) = (engine.attach(step.first), engine.attach(step.second))
        let behind = engine.attach(step.third)
        try engine.connect(engine.input, to: heard)
        try engine.connect(heard, to: between)
        try engine.connect(between, to: behind)
        try engine.connect(behind, to: unit.shaper)
        engine.disconnect(engine.input, from: unit.shaper)
        try engine.start()
        defer { engine.close() }
        configuration.clientName = "idle"
        let bystander = try IOUnit(configuration)
        try bystander.start()
        defer { bystander.stop() }
        let receivers = try Receivers()

        var turns: [Bool: [Turn]] = [:]
        for turn in 0..<24 {
            // Back and forth, as in a race.
            let isOn = turn % 4 == 1 || turn % 4 == 2
            let load = isOn ? try StreamLoad(engine, heard, receivers) : nil
            let begin = MonotonicClock.nanoseconds()
            let steps = step.count
            MonotonicClock.sleep(milliseconds: 1000)
            turns[isOn, default: []].append(Turn(unit, bystander, step, since: begin, stepsBefore: steps))
            try load?.end()
        }
        return report(on: turns[true] ?? [], off: turns[false] ?? [])
    }

    private static func report(on: [Turn], off: [Turn]) -> [Goal] {
        let rows = [
            ("everything on", on.map(\.unit)), ("nothing", off.map(\.unit)),
            ("the other unit meanwhile", on.map(\.bystander)), ("the other unit, nothing on", off.map(\.bystander)),
            ("the copy, everything on", on.map(\.stepMicroseconds)),
            ("its place, nothing on", off.map(\.stepMicroseconds)),
            ("beside it, everything on", on.map(\.bareMicroseconds)),
            ("beside it, nothing on", off.map(\.bareMicroseconds)),
        ].map { name, turns in
            let all = turns.flatMap(\.self)
            return [name, "\(all.count)", all.percentile(50).text(3), all.percentile(90).text(3)]
        }
        print(Table(["callback", "cycles", "p50", "p90"], rows).text)
        let pairs = Array(zip(on, off))
        let added = pairs.map { $0.unit.median - $1.unit.median }
        let elsewhere = pairs.map { $0.bystander.median - $1.bystander.median }
        let copies = pairs.map { $0.tapped.median - $0.bare.median - $1.tapped.median + $1.bare.median }
        return [
            Goal(
                "callback with everything on, ratio to nothing",
                pairs.map { $0.unit.median / $1.unit.median }.median.text(2)),
            Goal("that of the unit beside it", pairs.map { $0.bystander.median / $1.bystander.median }.median.text(2)),
            Goal(
                "what everything on adds to the callback",
                zip(added, elsewhere).map { ($0 - $1) * 1000 }.median.text(0) + " ns"),
            // Memory that other cores have read takes another time on each machine: no limit in nanoseconds holds on all.
            Goal("of that, the copy for all workers, in place", copies.median.text(0) + " ns"),
            Goal(
                "the piece of the callback with that copy, ratio to the one beside it",
                on.map { $0.tapped.median / $0.bare.median }.median.text(2)),
            Goal(
                "what as long a piece of the callback loses without a copy",
                pairs.map { $0.bare.median - $1.bare.median }.median.text(0) + " ns"),
        ]
    }
}

/// How long the callbacks of both units took in one turn, in microseconds.
private struct Turn {
    let unit: [Double]
    let bystander: [Double]
    /// Between the two nodes, in nanoseconds.
    let tapped: [Double]
    /// Between two of which neither has a tap.
    let bare: [Double]

    var stepMicroseconds: [Double] { tapped.map { $0 / 1000 } }
    var bareMicroseconds: [Double] { bare.map { $0 / 1000 } }

    init(_ unit: IOUnit, _ bystander: IOUnit, _ step: StepTime, since begin: UInt64, stepsBefore steps: Int) {
        self.unit = unit.recentCycles.filter { $0.entryNanoseconds > begin }.durations
        self.bystander = bystander.recentCycles.filter { $0.entryNanoseconds > begin }.durations
        tapped = step.tapped(from: steps)
        bare = step.bare(from: steps)
    }
}

/// What takes the streams: programs of others, on this machine.
private final class Receivers {
    let flac: [StreamTarget]
    let opus: [StreamTarget]
    let mp3: [StreamTarget]
    let folder: TemporaryFolder
    private let icecast: Icecast
    private let sockets: Peer
    private let relay: Peer

    init() throws {
        folder = try TemporaryFolder()
        let scripts = "\(#filePath.components(separatedBy: "/Benchmarks/")[0])/AudioStreamingTests/Receivers"
        let python = URL(fileURLWithPath: "/usr/bin/python3")
        relay = try Peer(python, ["\(scripts)/relay.py", folder("port")], reading: .error)
        sockets = try Peer(python, ["\(scripts)/drain.py"], reading: .output, keepsInput: true)
        let ports = try sockets.line(after: "ready ").split(separator: " ")
        icecast = try Icecast()
        let portFile = folder("port")
        try waitUntil("the server of WebSockets listens") { FileManager.default.fileExists(atPath: portFile) }
        let port = try String(contentsOfFile: portFile, encoding: .utf8)
        let icecast = icecast
        func broadcast(_ mount: String) throws -> StreamTarget {
            var target = try StreamTarget(icecast.target(mount))
            target.access.secret = try Secret(Icecast.password)
            return target
        }
        flac = [try StreamTarget("ws://127.0.0.1:\(port)/send"), try StreamTarget("tcp://127.0.0.1:\(ports[0])")]
        opus = [try broadcast("a.opus"), try StreamTarget("rtp://127.0.0.1:\(ports[1])")]
        mp3 = [try broadcast("a.mp3")]
    }
}

/// Everything that a unit can be loaded with besides its own work, for one turn.
private final class StreamLoad {
    private let recorder: Recorder
    private let removeTap: @Sendable () -> Void
    private let streams: [NodeStream]
    private let page: PageServer
    private let served: ServedNode
    private let listener: Peer
    private let recording: String

    /// - Parameter node: what all of it hears.
    init(_ engine: Engine, _ node: some Node, _ receivers: Receivers) throws {
        recording = receivers.folder("a.wav")
        recorder = try Recorder(path: recording, sampleRate: engine.sampleRate, channels: 2, force: true)
        let tap = try engine.removableTap(node, capacityFrames: 4 * engine.sampleRate)
        removeTap = tap.remove
        try recorder.start(tap.reader)
        streams = try engine.openStreams(
            node,
            [
                (receivers.flac, CodecSettings(.flac)), (receivers.opus, CodecSettings(.opus)),
                (receivers.mp3, CodecSettings(.mp3)),
            ])
        page = try PageServer(PageConfiguration(PageAddress(port: 0)))
        served = try engine.serve(node, on: page)
        listener = try Peer(
            URL(fileURLWithPath: "/usr/bin/curl"), ["-s", "-o", "/dev/null", "\(page.url)stream.opus"], reading: .error)
        let (streams, page) = (streams, page)
        try waitUntil("all are reached") {
            streams.allSatisfy { $0.sender.figures.allSatisfy { $0.state == .connected } }
                && page.figures.listeners == 1
        }
    }

    /// - Throws: where anything of it was not sent, or not recorded.
    func end() throws {
        let figures = streams.flatMap(\.sender.figures)
        let dropped = streams.map(\.droppedFrames) + [served.droppedFrames, recorder.droppedFrames]
        for stream in streams { stream.finish() }
        served.finish()
        page.stop(within: 0)
        listener.end()
        removeTap()
        recorder.finish()
        unlink(recording)
        guard figures.allSatisfy({ $0.sentPackets > 0 && $0.lostPackets == 0 }), dropped.allSatisfy({ $0 == 0 }) else {
            throw Breakdown("packets or frames were lost: \(figures), \(dropped)")
        }
    }
}
