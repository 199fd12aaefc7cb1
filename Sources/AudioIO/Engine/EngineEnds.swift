import Synchronization

/// What an engine has to end when it is closed: recordings and streams, whose makers need not keep them.
final class EngineEnds: Sendable {
    /// - Parameter end: the time up to which a server was waited for.
    typealias Call = @Sendable (_ end: UInt64?) -> Void

    private struct State {
        /// By the numbers of their owners, in their order.
        var calls: [(owner: Int, call: Call)] = []
        var owners = 0
        /// Whether a close has called them, so that who comes later is called at once.
        var areOver = false
    }

    private let state = Mutex(State())

    /// - Returns: what has it forgotten, for who has ended before.
    func add(_ call: @escaping Call) -> @Sendable () -> Void {
        let owner = state.withLock { state -> Int? in
            if state.areOver { return nil }
            state.owners += 1
            state.calls.append((state.owners, call))
            return state.owners
        }
        guard let owner else {
            call(nil)
            return {}
        }
        return { [weak self] in self?.forget(owner) }
    }

    private func forget(_ owner: Int) {
        let forgotten = state.withLock { state in
            state.calls.firstIndex { $0.owner == owner }.map { state.calls.remove(at: $0) }
        }
        // Freed behind the lock: what it keeps may end others when it goes.
        _ = forgotten
    }

    /// - Parameter areOver: whether the engine cannot be started again.
    func callAll(_ end: UInt64?, areOver: Bool) {
        let calls = state.withLock { state in
            state.areOver = areOver
            defer { state.calls = [] }
            return state.calls
        }
        for call in calls { call.call(end) }
    }
}
