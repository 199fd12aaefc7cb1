import Testing

@testable import AudioIO

/// Each state with each call, and what comes from outside.
@Suite("The life cycle of an engine") struct LifeCycleTests {
    enum Call: CaseIterable {
        case start, pause, resume
    }

    /// A life cycle in a state, reached as an engine reaches it.
    private func lifeCycle(_ state: EngineState) throws -> LifeCycle {
        var life = LifeCycle()
        if state == .ready { return life }
        try life.start()
        switch state {
        case .freewheeling: life.setFreewheeling(true)
        case .paused: try life.pause()
        case .interrupted(let interruption): life.set(interruption, true)
        case .failed(let error): life.fail(error)
        case .closed: life.close()
        case .ready, .running: break
        }
        #expect(life.state == state)
        return life
    }

    private static let error = UnitError.wrongState("a reason")
    private static let states: [EngineState] =
        [.ready, .running, .freewheeling, .paused, .failed(error), .closed]
        + Interruption.allCases.map { .interrupted($0) }

    private func outcome(of call: Call, in state: EngineState) -> EngineState? {
        switch (call, state) {
        case (.start, .ready), (.start, .failed): .running
        case (.pause, .running), (.pause, .freewheeling): .paused
        case (.resume, .paused): .running
        case (.resume, .interrupted(.awaitingConsent)): .interrupted(.awaitingConsent)
        default: nil
        }
    }

    @Test(arguments: states, Call.allCases)
    func `takes the calls that its state permits and refuses the others, unchanged`(
        state: EngineState, call: Call
    ) throws {
        var life = try lifeCycle(state)
        var refusal: UnitError?
        do throws(UnitError) {
            switch call {
            case .start: try life.start()
            case .pause: try life.pause()
            case .resume: _ = try life.resume()
            }
        } catch {
            refusal = error
        }
        #expect(life.state == outcome(of: call, in: state) ?? state)
        #expect((refusal == nil) == (outcome(of: call, in: state) != nil))
        if let refusal {
            #expect(refusal.description.hasPrefix("an engine that is \(state.name) cannot \(call)"))
        }
    }

    @Test(arguments: states)
    func `can be closed in any state, for good`(state: EngineState) throws {
        var life = try lifeCycle(state)
        life.close()
        #expect(life.state == .closed)
        life.set(.serverGone, true)
        life.fail(Self.error)
        #expect(life.state == .closed)
    }

    @Test func `tells the weightiest of several interruptions, and goes back to what it was`() throws {
        for wasPaused in [false, true] {
            var life = try lifeCycle(wasPaused ? .paused : .running)
            for interruption in Interruption.allCases.reversed() {
                life.set(interruption, true)
                #expect(life.state == .interrupted(interruption))
            }
            for (index, interruption) in Interruption.allCases.enumerated() {
                life.set(interruption, false)
                let next = Interruption.allCases.dropFirst(index + 1).first
                #expect(life.state == next.map { .interrupted($0) } ?? (wasPaused ? .paused : .running))
            }
        }
    }

    @Test func `freewheels where nothing interrupts it, and stays paused meanwhile`() throws {
        var life = try lifeCycle(.freewheeling)
        life.set(.serverFrozen, true)
        #expect(life.state == .interrupted(.serverFrozen))
        life.set(.serverFrozen, false)
        #expect(life.state == .freewheeling)
        try life.pause()
        #expect(life.state == .paused)
        #expect(try life.resume() && life.state == .freewheeling)
        life.setFreewheeling(false)
        #expect(life.state == .running)
        life.setFreewheeling(true)
        life.endInterruptions()
        #expect(life.state == .running, "of another server nothing is known")
    }

    @Test(arguments: [EngineState.ready, .failed(error), .closed])
    func `is not interrupted where there is nothing to interrupt`(state: EngineState) throws {
        var life = try lifeCycle(state)
        for interruption in Interruption.allCases { life.set(interruption, true) }
        life.setFreewheeling(true)
        #expect(life.state == state)
        if state != .closed {
            try life.start()
            #expect(life.state == .running, "what was refused is not remembered")
        }
    }
}
