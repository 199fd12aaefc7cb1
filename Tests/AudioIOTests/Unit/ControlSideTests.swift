import AudioRealtime
import Jack
import Synchronization
import Testing

@testable import AudioIO

@Suite("What JACK says to a unit") struct ControlSideTests {
    /// More often than there is room on a stack for a call in a call, should each telling leave one behind.
    @Test func `is passed on, however often it says something`() {
        let records = Ring<CycleRecord>(capacity: 4)
        let controlSide = ControlSide(records: records.consumer)
        let heard = Counter()
        controlSide.listen { _ in heard.count.add(1, ordering: .relaxed) }
        for _ in 0..<100_000 { controlSide.tell(.graphReordered) }
        #expect(heard.count.load(ordering: .relaxed) == 100_000)
    }

    private final class Counter: Sendable {
        let count = Atomic<Int>(0)
    }
}
