import AudioIO
import AudioRealtime
import Jack
import Synchronization

/// A JACK client that waits for nobody and only notes when each cycle begins: what a `BlameJudge` compares with.
///
/// It has no ports, so that JACK wakes it with the cycle, before any client that waits for another. Open it before
/// the unit that it stands beside: JACK wakes clients that can start at once in the order in which they were opened.
public final class Sentinel: Sendable {
    private let client: Mutex<ActiveClient?>
    private let reader: RecordReader
    private let collector: Collector
    // Freed after `deinit` has closed the client: the audio thread uses it until then.
    private let process: Cell<SentinelProcess>

    /// Opens a client and joins the graph.
    ///
    /// - Parameter server: which server; `nil` for the one that `JACK_DEFAULT_SERVER` names, or `default`.
    ///
    /// Thread: control.
    public init(clientName: String, server: String? = nil) throws(JackError) {
        let client = try Client(name: clientName, server: server)
        // Read a hundred times a second; deep enough for a worker that is late by seconds.
        let ring = Ring<CycleRecord>(capacity: 8192)
        let process = Cell(SentinelProcess(client: client.handle, records: ring.producer))
        let reader = RecordReader(ring.consumer)
        // SAFETY: the process is freed in our `deinit` after the client was closed, or here, where none is active.
        unsafe try client.setProcess(sentinelProcess, context: process.pointer)
        let collector = try Collector { reader.collect() }
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

    /// Hands over the record of each cycle from now on, in order, in batches about a hundred times a second.
    ///
    /// - Parameter listener: called on a worker, or on the thread of whoever sets or stops. It must not call the
    ///   sentinel. `nil` ends it.
    public func onCycles(_ listener: (@Sendable ([CycleRecord]) -> Void)?) { reader.setListener(listener) }

    /// Cycles whose record was lost because nobody read the ring in time.
    public var lostRecords: UInt64 { reader.lostRecords }

    /// Leaves the graph, and hands the last records over. Calling it again does nothing. Thread: control.
    public func stop() {
        client.withLock { $0 = nil }
        collector.stop()
        reader.collect()
    }
}
