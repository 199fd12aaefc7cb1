import AudioIO
import AudioRealtime
import Synchronization

/// Everything that a unit hands over of its callbacks, in order.
final class RecordLog: Sendable {
    private let records = Mutex<[CycleRecord]>([])

    func add(_ batch: [CycleRecord]) { records.withLock { $0 += batch } }

    var all: [CycleRecord] { records.withLock { $0 } }
    var count: Int { records.withLock { $0.count } }
    var last: CycleRecord? { records.withLock { $0.last } }
}
