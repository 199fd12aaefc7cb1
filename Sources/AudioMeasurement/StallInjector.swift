import AudioIO
import AudioRealtime
import Jack
import Synchronization

/// A JACK client with the ports `in` and `out` that notes its cycles, and is late when told to.
package final class StallInjector: Sendable {
    private let client: Mutex<ActiveClient?>
    private let reader: RecordReader
    private let collector: Collector
    // Freed after `deinit` has closed the client: the audio thread uses it until then.
    private let process: Cell<StallProcess>

    package init(clientName: String, server: String) throws(JackError) {
        let client = try Client(name: clientName, server: server, permitsRenaming: false)
        _ = try client.register("in", .input)
        _ = try client.register("out", .output)
        let ring = Ring<CycleRecord>(capacity: 8192)
        let process = Cell(StallProcess(client: client.handle, records: ring.producer))
        let reader = RecordReader(ring.consumer)
        // SAFETY: the process is freed in our `deinit` after the client was closed, or here, where none is active.
        unsafe try client.setProcess(stallProcess, context: process.pointer)
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

    /// As of `Sentinel`.
    package func onCycles(_ listener: (@Sendable ([CycleRecord]) -> Void)?) { reader.setListener(listener) }

    package func connect(_ source: String, to target: String) throws(JackError) {
        try client.withLock { client throws(JackError) in try client?.connect(source, to: target) }
    }

    /// Makes the next cycle take so long. Thread: control.
    package func stall(nanoseconds: UInt64) {
        // SAFETY: here and below, the cell keeps the process.
        unsafe process.pointer.pointee.endNanoseconds.store(0, ordering: .relaxed)
        unsafe process.pointer.pointee.wantedNanoseconds.store(nanoseconds, ordering: .releasing)
    }

    /// The stall that was asked for, once it is over.
    package var lastStall: Stall? {
        let end = unsafe process.pointer.pointee.endNanoseconds.load(ordering: .acquiring)
        guard end > 0 else { return nil }
        return Stall(
            beginNanoseconds: unsafe process.pointer.pointee.beginNanoseconds.load(ordering: .relaxed),
            endNanoseconds: end)
    }

    var hasLostServer: Bool { client.withLock { $0?.hasShutDown ?? false } }

    /// Leaves the graph, and hands the last records over. Calling it again does nothing. Thread: control.
    package func stop() {
        client.withLock { $0 = nil }
        collector.stop()
        reader.collect()
    }
}
