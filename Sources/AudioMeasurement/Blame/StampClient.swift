import AudioIO
import AudioRealtime
import Jack
import Synchronization
import Threads

/// A client beside the units that are measured. Its audio thread notes each cycle; a worker hands the notes on.
final class StampClient<Process: ~Copyable>: Sendable {
    private let client: Mutex<ActiveClient?>
    private let reader: RecordReader
    private let collector: TimerWorker
    // Freed after `deinit` has closed the client: the audio thread uses it until then.
    let process: Cell<Process>

    /// Joins the graph.
    ///
    /// - Parameters:
    ///   - callback: JACK's audio thread goes in there, with the process as its context.
    ///   - makeProcess: what the audio thread will own.
    init(
        _ client: consuming sending Client, callback: sending ProcessCallback,
        makeProcess: (ClientHandle, consuming Producer<CycleRecord>) -> Process
    ) throws(JackError) {
        // Read a hundred times a second; deep enough for a worker that is late by seconds.
        let ring = Ring<CycleRecord>(capacity: 8192)
        let process = Cell(makeProcess(client.handle, ring.producer))
        let reader = RecordReader(ring.consumer)
        // SAFETY: the process is freed in our `deinit` after the client was closed, or here, where none is active.
        unsafe try client.setProcess(callback, context: process.pointer, keeping: process)
        let collector = try TimerWorker.start("iounit-collect", every: 10_000_000) { _ in reader.collect() }
        do throws(JackError) {
            self.client = Mutex(try client.activate())
        } catch {
            collector.stop()
            throw error
        }
        self.reader = reader
        self.collector = collector
        self.process = process
    }

    deinit { stop() }

    /// As of `Sentinel`.
    func onCycles(_ listener: (@Sendable ([CycleRecord]) -> Void)?) { reader.setListener(listener) }

    var lostRecords: UInt64 { reader.lostRecords }

    var hasLostServer: Bool { client.withLock { $0?.hasShutDown ?? false } }

    func connect(_ source: String, to target: String) throws(JackError) {
        try client.withLock { client throws(JackError) in try client?.connect(source, to: target) }
    }

    /// Leaves the graph, and hands the last records over. Calling it again does nothing. Thread: control.
    func stop() {
        client.withLock { $0 = nil }
        collector.stop()
        reader.collect()
    }
}
