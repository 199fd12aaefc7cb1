import Synchronization
import Threads

/// A client's word on how long sound takes through it, which may change while it runs: other clients read it in the
/// latencies of their own ports.
public final class LatencyDeclaration: Sendable {
    private let hub: NotificationHub
    private let inputs: [Port]
    private let outputs: [Port]
    private let state: Mutex<State>

    private struct State {
        /// `nil` when the client is about to be closed.
        var client: ConnectionView?
        var addedFrames: Int
        /// When to ask the clients again, on the monotonic clock, where the server did not answer; else `nil`.
        var retryNanoseconds: UInt64?
    }

    private static let retryPause: UInt64 = 1_000_000_000

    /// Declares for the first time, before the client is activated. What was declared holds until the client is closed,
    /// also where nobody keeps the value to change it. Thread: control.
    ///
    /// - Parameters:
    ///   - inputs, outputs: sound goes from each input to the output beside it; of fewer on one side, each goes with several.
    ///   - addedFrames: and takes so much longer, 0 or more.
    public init(of client: borrowing Client, inputs: [Port], outputs: [Port], addedFrames: Int) {
        hub = client.view.hub
        self.inputs = inputs
        self.outputs = outputs
        state = Mutex(State(client: client.view, addedFrames: addedFrames))
        answer(addedFrames)
    }

    private func answer(_ addedFrames: Int) {
        let pairs = inputs.isEmpty || outputs.isEmpty ? 0 : max(inputs.count, outputs.count)
        hub.answerLatency(
            (0..<pairs).map { pair in
                LatencyThrough(
                    input: inputs[pair % inputs.count], output: outputs[pair % outputs.count], addedFrames: addedFrames)
            })
    }

    /// Declares another latency and asks all clients to recompute theirs. Does nothing where it is the same, but for asking
    /// again, a second later, where the server did not answer. Waits for the server. Thread: worker.
    public func change(toAddedFrames addedFrames: Int) {
        state.withLock { state in
            guard let client = state.client else { return }
            let isDue = state.retryNanoseconds.map { MonotonicClock.nanoseconds() >= $0 } ?? false
            guard isDue || addedFrames != state.addedFrames else { return }
            state.addedFrames = addedFrames
            answer(addedFrames)
            do throws(JackError) {
                // The owner calls `end` before it closes the client.
                try client.recomputeLatencies()
                state.retryNanoseconds = nil
            } catch {
                // Where the server is gone there is nobody to ask.
                state.retryNanoseconds = client.hasShutDown ? nil : MonotonicClock.nanoseconds() + Self.retryPause
            }
        }
    }

    /// Nothing is declared any more; waits for a change that is under way. To be called before the client is closed.
    /// Thread: control.
    public func end() { state.withLock { $0.client = nil } }
}
