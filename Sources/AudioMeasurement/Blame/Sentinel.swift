import AudioIO
import AudioRealtime
import Jack
import Synchronization
import Threads

/// A JACK client that waits for nobody and only notes when each cycle begins: what a `BlameJudge` compares with.
///
/// It has no ports, so that JACK wakes it with the cycle, before any client that waits for another. Open it before
/// the unit that it stands beside: JACK wakes clients that can start at once in the order in which they were opened.
///
/// Its audio thread notes each cycle; a worker hands the notes on.
public final class Sentinel: Sendable {
    private let client: Mutex<ActiveClient?>
    private let telemetry: Telemetry
    private let collector: TimerWorker

    /// Opens a client and joins the graph.
    ///
    /// - Parameter server: which server; `nil` for the one that `JACK_DEFAULT_SERVER` names, or `default`.
    ///
    /// Thread: control.
    public convenience init(clientName: String, server: String? = nil) throws(JackError) {
        try self.init(Client(name: clientName, server: server))
    }

    /// - Parameter stall: makes cycles late on purpose.
    init(_ client: consuming sending Client, stall: Cell<StallOrder>? = nil) throws(JackError) {
        // Read a hundred times a second; deep enough for a worker that is late by seconds.
        let ring = Ring<CycleRecord>(capacity: 8192)
        let telemetry = Telemetry(ring.consumer)
        telemetry.begin(sampleRate: client.sampleRate)
        // SAFETY: no work, no pointers.
        let unit = unsafe RenderUnit(.none, records: ring.producer)
        try AudioSide.attach(Cell(AudioSide(unit, stall: stall)), to: client)
        let collector = try TimerWorker.start("iounit-collect", every: 10_000_000) { _ in telemetry.collect() }
        do throws(JackError) {
            self.client = Mutex(try client.activate())
        } catch {
            collector.stop()
            throw error
        }
        self.telemetry = telemetry
        self.collector = collector
    }

    deinit { stop() }

    /// Hands over the record of each cycle from now on, in order, in batches about a hundred times a second.
    ///
    /// - Parameter listener: called on a worker, or on the thread that sets or stops. It must not call the
    ///   sentinel. `nil` ends it.
    public func onCycles(_ listener: (@Sendable ([CycleRecord]) -> Void)?) { telemetry.listen(listener) }

    /// Cycles whose record was lost because nobody read the ring in time.
    public var lostRecords: UInt64 { telemetry.lostRecords }

    var hasLostServer: Bool { client.withLock { $0?.hasShutDown ?? false } }

    func connect(_ source: String, to target: String) throws(JackError) {
        try client.withLock { client throws(JackError) in try client?.connect(source, to: target) }
    }

    /// Leaves the graph, and hands the last records over. Calling it again does nothing. Thread: control.
    public func stop() {
        client.withLock { $0 = nil }
        collector.stop()
        telemetry.collect()
    }
}
