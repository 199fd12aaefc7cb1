import Synchronization

/// What an engine ends when it is closed: recordings and streams. The engine keeps them, so their makers need not.
final class EngineEnds: Sendable {
    /// - Parameter end: until when the engine waited for a server, on the monotonic clock; `nil` if it did not wait.
    typealias Call = @Sendable (_ end: UInt64?) -> Void

    private struct State {
        /// In the order in which they were added.
        var calls: [(owner: Int, call: Call)] = []
        var owners = 0
        /// Whether the engine is closed: a call that is added later is made at once.
        var areOver = false
    }

    private let state = Mutex(State())

    /// - Returns: removes the call.
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
        // Released after the unlock: the last reference to an owner may go with it, whose end calls this object.
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
