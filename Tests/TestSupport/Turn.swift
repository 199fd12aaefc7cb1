import Synchronization

/// Lets one task at a time do something, in the order of asking. Those who wait hold no thread.
final class Turn: Sendable {
    static let atLibjack = Turn()

    private struct State {
        var isTaken = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func take(_ doing: () async throws -> Void) async rethrows {
        await withCheckedContinuation { asker in
            let isMine = state.withLock { state in
                if state.isTaken { state.waiting.append(asker) }
                defer { state.isTaken = true }
                return !state.isTaken
            }
            if isMine { asker.resume() }
        }
        defer { pass() }
        try await doing()
    }

    private func pass() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            if state.waiting.isEmpty {
                state.isTaken = false
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}
