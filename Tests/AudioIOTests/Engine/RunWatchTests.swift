import Synchronization
import Testing

@testable import AudioIO

@Suite("The watch for companions that the server does not run") struct RunWatchTests {
    private final class Dummy: Companion {
        let count = Mutex<UInt64?>(0)
        let hasLostServer = false
        let portNames: [String] = []
        var cycles: UInt64? { count.withLock { $0 } }
        func leave() {}
        func join(_ connection: UnitConnection) {}
    }

    /// So many cycles of the unit in so many nanoseconds; how often the companion was found to be neglected.
    private func look(
        _ watch: inout RunWatch, _ dummy: Dummy, from start: UInt64 = 0, cycles: UInt64, nanoseconds: UInt64,
        isRun: Bool = false
    ) -> Int {
        (1...cycles).reduce(0) { count, cycle in
            if isRun { dummy.count.withLock { $0 = ($0 ?? 0) + 1 } }
            let now = start + nanoseconds * cycle / cycles
            return count + watch.neglected([dummy], unitCycles: cycle, atNanoseconds: now).count
        }
    }

    @Test func `finds none that is run`() {
        var watch = RunWatch()
        #expect(look(&watch, Dummy(), cycles: 1000, nanoseconds: 10_000_000_000, isRun: true) == 0)
    }

    @Test func `finds one that is not, again and again, after two seconds each`() {
        var watch = RunWatch()
        #expect(look(&watch, Dummy(), cycles: 1000, nanoseconds: 7_000_000_000) == 3)
    }

    @Test func `waits for eight cycles of the unit, however long they take`() {
        var watch = RunWatch()
        #expect(look(&watch, Dummy(), cycles: 8, nanoseconds: 30_000_000_000) == 0)
        watch = RunWatch()
        #expect(look(&watch, Dummy(), cycles: 9, nanoseconds: 30_000_000_000) == 1)
    }

    @Test func `finds none while the unit itself is not run`() {
        var watch = RunWatch()
        let dummy = Dummy()
        for second: UInt64 in 0..<60 {
            #expect(watch.neglected([dummy], unitCycles: 7, atNanoseconds: second * 1_000_000_000).isEmpty)
        }
    }

    @Test func `does not judge one that has no client, and begins anew with its next`() {
        var watch = RunWatch()
        let dummy = Dummy()
        dummy.count.withLock { $0 = nil }
        #expect(look(&watch, dummy, cycles: 1000, nanoseconds: 10_000_000_000) == 0)
        dummy.count.withLock { $0 = 0 }
        #expect(look(&watch, dummy, cycles: 100, nanoseconds: 1_900_000_000) == 0)
    }
}
