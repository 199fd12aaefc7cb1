import AudioRealtime
import Synchronization

/// The records that a client hands over of its callbacks, in order.
package final class RecordLog: Sendable {
    private let records = Mutex<[CycleRecord]>([])

    package init() {}

    package func add(_ batch: [CycleRecord]) { records.withLock { $0 += batch } }

    package var all: [CycleRecord] { records.withLock { $0 } }
    package var count: Int { records.withLock { $0.count } }
    package var last: CycleRecord? { records.withLock { $0.last } }
}
