import AudioRealtime
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
}
