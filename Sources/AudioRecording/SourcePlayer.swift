import AudioRealtime
import Jack
import Synchronization

/// A second JACK client, which plays a source on its ports `out_1`…`out_N`.
///
/// It is in the graph from the beginning and plays silence until `start`. One second of sound is made before that,
/// so that a start is never late.
public final class SourcePlayer: Sendable {
    /// The full names of its ports, as in `player:out_1`.
    public let portNames: [String]

    private let client: Mutex<ActiveClient?>
    private let worker: Worker
    private let feeder: Feeder
    private let state: Cell<FeedState>
    // Freed after `deinit` has closed the client: the audio thread uses it until then.
    private let process: Cell<FeedProcess>

    /// Opens a client, fills the ring and joins the graph.
    ///
    /// - Parameter server: which server; `nil` for the one that `JACK_DEFAULT_SERVER` names, or `default`.
    /// - Throws: `JackError`, or a `RecordingError` where the file was changed since the source was made.
    ///
    /// Thread: control.
    public init(_ source: Source, clientName: String, server: String? = nil) throws {
        let client = try Client(name: clientName, server: server)
        let signal = try source.open(sampleRate: client.sampleRate)
        var ports: [Port] = []
        for channel in 1...source.channels { ports.append(try client.register("out_\(channel)", .output)) }
        portNames = ports.map(\.name)

        let state = Cell(FeedState())
        let capacity = Self.ringFrames(sampleRate: client.sampleRate)
        let ring = FrameRing(channels: source.channels, capacity: capacity)
        let feeder = Feeder(signal, producer: ring.producer, state: state)
        let process = Cell(
            FeedProcess(client: client.handle, ports: ports, consumer: ring.consumer, state: state))
        client.onNotification { notification in
            guard case .freewheel(let isOn) = notification else { return }
            // SAFETY: the closure keeps the cell.
            unsafe process.pointer.pointee.isFreewheeling.store(isOn, ordering: .relaxed)
        }
        feeder.fill()
        // SAFETY: the process is freed in our `deinit` after the client was closed, or here, where none is active.
        unsafe try client.setProcess(feedProcess, context: process.pointer)

        let worker = try Worker("iounit-source") { feeder.run() }
        do throws(JackError) {
            self.client = Mutex(try client.activate())
        } catch {
            feeder.stop()
            worker.join()
            throw error
        }
        self.worker = worker
        self.feeder = feeder
        self.state = state
        self.process = process
    }

    deinit { stop() }

    /// One second, and at least four times the longest period of JACK.
    static func ringFrames(sampleRate: Int) -> Int { max(sampleRate, 4 * 8192) }

    /// Connects the ports to inputs, given by their full names: one channel to all of them; else channel c to input
    /// c, beginning again with the first where there are more channels than inputs.
    ///
    /// Thread: control.
    public func connect(toInputs inputs: [String]) throws(JackError) {
        try client.withLock { (client: inout ActiveClient?) throws(JackError) in
            for route in routes(channels: portNames.count, inputs: inputs.count) {
                guard client != nil else {
                    throw JackError(
                        .invalidRequest, "connect \(portNames[route.channel])", "its player was stopped; make another")
                }
                try client?.connect(portNames[route.channel], to: inputs[route.input])
            }
        }
    }

    /// From the next cycle on the source is heard. Thread: any.
    public func start() {
        // SAFETY: here and below, the cell keeps the state.
        unsafe state.pointer.pointee.isStarted.store(true, ordering: .releasing)
    }

    /// Leaves the graph and closes the file. Calling it again does nothing. Thread: control.
    public func stop() {
        // The client first: in freewheel its last cycle may be waiting for the worker.
        client.withLock { $0 = nil }
        feeder.stop()
        worker.join()
    }

    /// Whether the server has gone away, or has thrown the player out. Nothing more is played then.
    public var hasLostServer: Bool { client.withLock { $0?.hasShutDown ?? false } }

    /// JACK's frame clock at the first frame that was played; wraps at 2³². `nil` before.
    public var startFrameTime: UInt32? {
        Self.frameTime(unsafe state.pointer.pointee.startFrameTime.load(ordering: .acquiring))
    }

    /// JACK's frame clock after the last frame; wraps at 2³². `nil` before.
    public var endFrameTime: UInt32? {
        Self.frameTime(unsafe state.pointer.pointee.endFrameTime.load(ordering: .acquiring))
    }

    /// Frames of the source that were played.
    public var playedFrames: Int { unsafe state.pointer.pointee.playedFrames.load(ordering: .relaxed) }

    /// Frames of silence that were played because the worker was late.
    public var starvedFrames: Int { unsafe state.pointer.pointee.starvedFrames.load(ordering: .relaxed) }

    /// Why the source ended before its end: the file could no longer be read.
    public var failure: RecordingError? { feeder.failure }

    private static func frameTime(_ stored: Int) -> UInt32? {
        stored < 0 ? nil : UInt32(truncatingIfNeeded: stored)
    }
}
