import AudioIO
import AudioRealtime
import Jack
import Synchronization
import Threads

/// A client beside the units that are measured. Its audio thread notes each cycle; a worker hands the notes on.
final class StampClient: Sendable {
    private let client: Mutex<ActiveClient?>
    private let telemetry: Telemetry
    private let collector: TimerWorker

    /// Joins the graph.
    ///
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

    /// As of `Sentinel`.
    func onCycles(_ listener: (@Sendable ([CycleRecord]) -> Void)?) { telemetry.listen(listener) }

    var lostRecords: UInt64 { telemetry.lostRecords }

    var hasLostServer: Bool { client.withLock { $0?.hasShutDown ?? false } }

    func connect(_ source: String, to target: String) throws(JackError) {
        try client.withLock { client throws(JackError) in try client?.connect(source, to: target) }
    }

    /// Leaves the graph, and hands the last records over. Calling it again does nothing. Thread: control.
    func stop() {
        client.withLock { $0 = nil }
        collector.stop()
        telemetry.collect()
    }
}
