import AudioRealtime
import Synchronization

/// The reading end of a ring of records: hands what has come to a listener.
package final class RecordReader: Sendable {
    private struct State: ~Copyable {
        var records: Consumer<CycleRecord>
        var listener: (@Sendable ([CycleRecord]) -> Void)?
        var lostRecords: UInt64 = 0

        init(records: consuming Consumer<CycleRecord>) { self.records = records }
    }

    private let state: Mutex<State>

    package init(_ records: consuming sending Consumer<CycleRecord>) { state = Mutex(State(records: records)) }

    /// Cycles whose record found no room, as of the last record that was read.
    package var lostRecords: UInt64 { state.withLock { $0.lostRecords } }

    package func setListener(_ listener: (@Sendable ([CycleRecord]) -> Void)?) {
        collect()
        state.withLock { $0.listener = listener }
    }

    /// Thread: worker, or control.
    package func collect() {
        state.withLock { state in
            var batch: [CycleRecord] = []
            while let record = state.records.pop() {
                state.lostRecords = record.lostRecords
                if state.listener != nil { batch.append(record) }
            }
            // Under the lock, so that batches arrive in order.
            if !batch.isEmpty { state.listener?(batch) }
        }
    }
}
