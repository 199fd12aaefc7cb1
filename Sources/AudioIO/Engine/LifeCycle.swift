/// The states of an engine and the ways from one to another. It knows of no server and no thread.
struct LifeCycle: Sendable {
    /// Apart from what comes from outside.
    private enum Stage: Equatable {
        case ready, running, paused, closed
        case failed(UnitError)
    }

    private var stage = Stage.ready
    /// What keeps the sound from being what it should. More than one may be the case at a time.
    private var interruptions: Set<Interruption> = []
    /// Whether another client has the server freewheel: nothing is missing then.
    private var isFreewheeling = false

    var state: EngineState {
        switch stage {
        case .ready: .ready
        case .failed(let error): .failed(error)
        case .closed: .closed
        case .running, .paused:
            if let weightiest = Interruption.allCases.first(where: interruptions.contains) {
                .interrupted(weightiest)
            } else {
                stage == .paused ? .paused : isFreewheeling ? .freewheeling : .running
            }
        }
    }

    /// Whether there should be a unit in a graph.
    var isAlive: Bool { stage == .running || stage == .paused }

    func isInterrupted(by interruption: Interruption) -> Bool { interruptions.contains(interruption) }

    mutating func start() throws(UnitError) {
        switch stage {
        case .ready, .failed: stage = .running
        case .running, .paused, .closed: throw refusal("start")
        }
    }

    mutating func pause() throws(UnitError) {
        guard state == .running || state == .freewheeling else { throw refusal("pause") }
        stage = .paused
    }

    /// - Returns: whether it was paused; else it is told that the server's return is welcome.
    mutating func resume() throws(UnitError) -> Bool {
        switch state {
        case .paused:
            stage = .running
            return true
        case .interrupted(.awaitingConsent): return false
        default: throw refusal("resume")
        }
    }

    /// Something from outside begins, or ends. It is of no account where there is nothing to interrupt.
    mutating func set(_ interruption: Interruption, _ isOn: Bool) {
        guard isAlive else { return }
        if isOn { interruptions.insert(interruption) } else { interruptions.remove(interruption) }
    }

    /// Of no account where there is nothing that could render.
    mutating func setFreewheeling(_ isOn: Bool) { isFreewheeling = isAlive && isOn }

    /// The unit is in a graph again, of which nothing is known yet.
    mutating func endInterruptions() {
        interruptions = []
        isFreewheeling = false
    }

    mutating func fail(_ error: UnitError) {
        guard stage != .closed else { return }
        stage = .failed(error)
        endInterruptions()
    }

    /// It can be started again. Of no account where it is closed.
    mutating func stop() {
        guard stage != .closed else { return }
        stage = .ready
        endInterruptions()
    }

    mutating func close() {
        stage = .closed
        endInterruptions()
    }

    private func refusal(_ call: String) -> UnitError {
        .wrongState("an engine that is \(state.name) cannot \(call)" + reason)
    }

    private var reason: String {
        switch state {
        case .interrupted(let interruption): ": \(interruption)"
        case .closed: "; make another"
        default: ""
        }
    }
}
