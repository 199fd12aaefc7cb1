import AudioIO
import AudioRealtime
import Jack
import Synchronization

/// A second JACK client, which plays a source on its ports `out_1`…`out_N`.
///
/// It is in the graph from the beginning and plays silence until `start`. One second of sound is made before that,
/// so that a start is never late. As an engine's companion it leaves with a server that went away, and goes on where it
/// was on the next one, at the frame, or, where the rate is another, at the time.
public final class SourcePlayer: Sendable {
    private let source: Source
    private let clientName: String
    private let server: String?
    private let patchbay = Patchbay()
    /// Held from the beginning of a change of clients to its end, which JACK may keep us waiting for.
    private let transition = Mutex(())
    /// Held for a moment.
    private let stage: Mutex<Stage>

    private struct Stage: ~Copyable {
        var client: ActiveClient?
        var portNames: [String]
        var feed: Feed
        var isRolling = false
        /// What was played at other rates before.
        var before = Played()
    }

    private struct Played {
        var frames = 0
        var underrunFrames = 0
        var seconds = 0.0
    }

    /// Opens a client, fills the ring and joins the graph.
    ///
    /// - Parameter server: which server; `nil` for the one that `JACK_DEFAULT_SERVER` names, or `default`.
    /// - Throws: `JackError`, or a `RecordingError` where the file was changed since the source was made.
    ///
    /// Thread: control.
    public init(_ source: Source, clientName: String, server: String? = nil) throws {
        let client = try Client(name: clientName, server: server)
        let feed = try Feed(source, sampleRate: client.sampleRate)
        let ports = try Self.register(source, on: client)
        stage = Mutex(
            Stage(
                client: try Self.activate(client, ports, feed, patchbay, .routes), portNames: ports.map(\.name),
                feed: feed))
        self.source = source
        self.clientName = clientName
        self.server = server
    }

    deinit { stop() }

    private static func register(_ source: Source, on client: borrowing Client) throws(JackError) -> [Port] {
        var ports: [Port] = []
        for channel in 1...source.ports { ports.append(try client.register("out_\(channel)", .output)) }
        return ports
    }

    private static func activate(
        _ client: consuming Client, _ ports: [Port], _ feed: Feed, _ patchbay: Patchbay, _ wiring: Wiring
    ) throws(JackError) -> ActiveClient {
        patchbay.begin(wiring, ports)
        let process = feed.process
        // SAFETY: here and below, no client is active that uses the process; it is freed after the client was closed.
        unsafe process.pointer.pointee.isFreewheeling.store(false, ordering: .relaxed)
        unsafe process.pointer.pointee.wire(client.handle, ports)
        client.onNotification { [patchbay] notification in
            patchbay.note(notification)
            guard case .freewheel(let isOn) = notification else { return }
            // SAFETY: the closure keeps the cell.
            unsafe process.pointer.pointee.isFreewheeling.store(isOn, ordering: .relaxed)
        }
        unsafe try client.setProcess(feedProcess, context: process.pointer, keeping: process)
        return try client.activate()
    }

    /// The full names of its ports, as in `player:out_1`.
    public var portNames: [String] { stage.withLock { $0.portNames } }

    /// Connects the ports to inputs, given by their full names: one port to all of them; else port c to input c, beginning
    /// again with the first where there are more ports than inputs, which JACK adds up as they are. The source of a unit with
    /// as many inputs as it was made for never has more (`Source.downMix`).
    ///
    /// Thread: control.
    public func connect(toInputs inputs: [String]) throws(JackError) {
        try transition.withLock { _ throws(JackError) in
            for route in routes(channels: source.ports, inputs: inputs.count) {
                let link = Link(source: portNames[route.channel], target: inputs[route.input])
                guard let client = stage.withLock({ $0.client?.view }) else {
                    throw JackError(
                        .invalidRequest, "connect \(link.source)", "its player was stopped; make another")
                }
                try client.connect(link.source, to: link.target)
                patchbay.connected(link)
            }
        }
    }

    /// Connects the ports to the inputs of a unit, as `connect(toInputs:)`, and as its companion to those of the unit
    /// that takes its place after a reset, by whatever name.
    ///
    /// Thread: control.
    public func connect(to unit: UnitConnection) throws(JackError) {
        patchbay.accompany(unit)
        try connect(toInputs: unit.inputs)
    }

    /// From the next cycle on the source is heard. Thread: any.
    public func start() {
        stage.withLock { stage in
            stage.isRolling = true
            stage.feed.roll(true)
        }
    }

    /// Leaves the graph and closes the file. Calling it again does nothing. Thread: control.
    public func stop() {
        // The client first: in freewheel its last cycle may be waiting for the worker.
        leave()
        stage.withLock { $0.feed }.stop()
    }

    /// JACK's frame clock at the first frame that was played; wraps at 2³². `nil` before.
    public var startFrameTime: UInt32? { stage.withLock { $0.feed.startFrameTime } }

    /// JACK's frame clock after the last frame; wraps at 2³². `nil` before.
    public var endFrameTime: UInt32? { stage.withLock { $0.feed.endFrameTime } }

    /// Frames of the source that were played, at the server's rate.
    public var playedFrames: Int { stage.withLock { $0.before.frames + $0.feed.playedFrames } }

    /// Frames of silence that were played because the worker was late.
    public var underrunFrames: Int { stage.withLock { $0.before.underrunFrames + $0.feed.underrunFrames } }

    /// Why the source ended before its end: the file could no longer be read.
    public var failure: RecordingError? { stage.withLock { $0.feed.failure } }
}

extension SourcePlayer: Companion {
    public var hasLostServer: Bool { stage.withLock { $0.client?.hasShutDown ?? false } }

    public var cycles: UInt64? { stage.withLock { $0.client == nil ? nil : $0.feed.cycles } }

    public func leave() { transition.withLock { _ in closeClient() } }

    private func closeClient() {
        var client: ActiveClient?
        stage.withLock { swap(&$0.client, &client) }
    }

    /// Connects to what it was connected to, and only then plays on, so that nothing is played to nobody.
    public func join(_ connection: UnitConnection) throws {
        try transition.withLock { _ in
            closeClient()
            let client = try Client(name: clientName, server: server)
            let feed = try feed(at: client.sampleRate)
            feed.roll(false)
            patchbay.accompany(connection)
            let ports = try Self.register(source, on: client)
            var joined = Optional(try Self.activate(client, ports, feed, patchbay, .asBefore))
            joined?.restore(patchbay)
            stage.withLock { stage in
                stage.portNames = ports.map(\.name)
                swap(&stage.client, &joined)
                feed.roll(stage.isRolling)
            }
        }
    }

    /// What is left of the source, at a rate.
    private func feed(at sampleRate: Int) throws -> Feed {
        let (old, before) = stage.withLock { ($0.feed, $0.before) }
        guard sampleRate != old.sampleRate else { return old }
        let seconds = before.seconds + Double(old.playedFrames) / Double(old.sampleRate)
        let feed = try Feed(source, sampleRate: sampleRate, from: seconds)
        stage.withLock { stage in
            stage.feed = feed
            stage.before = Played(
                frames: before.frames + old.playedFrames, underrunFrames: before.underrunFrames + old.underrunFrames,
                seconds: seconds)
        }
        return feed
    }
}
