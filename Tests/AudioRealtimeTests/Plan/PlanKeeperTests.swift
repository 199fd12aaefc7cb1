import AudioRealtime
import Synchronization
import TestSupport
import Testing

@Suite("A keeper of plans") struct PlanKeeperTests {
    private func plan() -> Cell<Plan> {
        Cell(PlanBuilder.plan(row: [.input, .output(channels: 1)].map { PlanNode($0, channels: 1) }, rampFrames: 0))
    }

    @Test func `has the audio thread go on to the newest plan, once`() {
        let (first, second, third) = (plan(), plan(), plan())
        var keeper = PlanKeeper(first)
        #expect(realtime { first.pointer.pointee.goOn() } == nil)
        keeper.offer(second)
        keeper.offer(third)
        #expect(keeper.count == 2)
        #expect(realtime { first.pointer.pointee.goOn() } == third.pointer)
        #expect(realtime { third.pointer.pointee.goOn() } == nil)
    }

    @Test func `frees a plan that was not taken when it gives way`() {
        var keeper = PlanKeeper(plan())
        weak var skipped: Cell<Plan>?
        func offer() {
            let plan = plan()
            skipped = plan
            keeper.offer(plan)
        }
        offer()
        #expect(skipped != nil)
        keeper.offer(plan())
        #expect(skipped == nil)
    }

    @Test(arguments: [true, false])
    func `frees a plan when the audio thread has left it, and no sooner`(_ isCollected: Bool) throws {
        weak var left: Cell<Plan>?
        func begun() -> PlanKeeper {
            let plan = plan()
            left = plan
            return PlanKeeper(plan)
        }
        var keeper = begun()
        let (second, third) = (plan(), plan())
        keeper.offer(second)
        keeper.collect()
        let old = try #require(left?.pointer)
        #expect(keeper.count == 2)
        #expect(realtime { old.pointee.goOn() } == second.pointer)
        #expect(left != nil)
        if isCollected { keeper.collect() } else { keeper.offer(third) }
        #expect(left == nil)
        #expect(keeper.count == (isCollected ? 1 : 2))
        // What is offered after this comes behind the plan that is rendered now.
        if isCollected { keeper.offer(third) }
        #expect(realtime { second.pointer.pointee.goOn() } == third.pointer)
    }

    @Test func `hands over plan after plan while the audio thread goes on, and frees each`() {
        let isOver = Atomic(false)
        var address: UInt = 0
        func begun() -> PlanKeeper {
            let first = plan()
            address = UInt(bitPattern: first.pointer)
            return PlanKeeper(first)
        }
        var keeper = begun()
        let taken = Atomic(0)
        let last = Atomic<UInt>(0)
        let audio = TestThread { [address] in
            var now = UnsafeMutablePointer<Plan>(bitPattern: address)
            while let plan = now {
                let wasOver = isOver.load(ordering: .acquiring)
                realtime {
                    guard let next = plan.pointee.goOn() else { return }
                    now = next
                    next.pointee.changeRate(to: 48_000)
                    taken.add(1, ordering: .relaxed)
                }
                if wasOver, now == plan { break }
            }
            last.store(UInt(bitPattern: now), ordering: .relaxed)
        }
        struct Offered { weak var plan: Cell<Plan>? }
        var offered: [Offered] = []
        for number in 0..<2000 {
            let next = plan()
            offered.append(Offered(plan: next))
            keeper.offer(next)
            if number % 3 == 0 { keeper.collect() }
            offered.removeAll { $0.plan == nil }
            #expect(offered.count <= 2)
        }
        isOver.store(true, ordering: .releasing)
        audio.join()
        keeper.collect()
        offered.removeAll { $0.plan == nil }
        #expect(keeper.count == 1 && offered.count == 1 && taken.load(ordering: .relaxed) > 0)
        #expect(offered.first?.plan.map { UInt(bitPattern: $0.pointer) } == last.load(ordering: .relaxed))
    }
}
