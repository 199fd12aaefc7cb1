import CWebSockets
import Synchronization

/// What other threads hand to the server's: packets, and what the page shows. Bounded.
final class PageInbox: Sendable {
    /// What has come since the last look.
    struct Contents {
        var pieces: [Broadcast.Piece] = []
        /// Codecs that do not work any more.
        var failedCodecs: Set<Codec> = []
        /// The newest figures for the page.
        var live: String?
        /// When to end, on the monotonic clock: what waits goes out until then.
        var endNanoseconds: UInt64?

        /// Whether nothing has come.
        var isEmpty: Bool { pieces.isEmpty && failedCodecs.isEmpty && live == nil }
    }

    /// `OpaquePointer` cannot be sent by itself.
    ///
    /// `@unchecked Sendable`: libwebsockets permits one call from any thread, `lws_cancel_service`, and only that is made,
    /// under the lock under which the pointer is taken away before the context is destroyed.
    @safe private struct State: @unchecked Sendable {
        var contents = Contents()
        var context: OpaquePointer?
    }

    private let state = Mutex(State())
    /// More packets than this wait for a thread that does nothing but send only if it is not let run.
    private static let limit = 4096

    /// The context that is woken; `nil` before it is destroyed.
    @unsafe func wakes(_ context: OpaquePointer?) { state.withLock { unsafe $0.context = context } }

    func push(_ pieces: [Broadcast.Piece]) {
        change { contents in
            contents.pieces += pieces
            if contents.pieces.count > Self.limit { contents.pieces.removeFirst(contents.pieces.count - Self.limit) }
        }
    }

    func fail(_ codec: Codec) { change { _ = $0.failedCodecs.insert(codec) } }
    func show(_ live: String) { change { $0.live = live } }
    func end(atNanoseconds time: UInt64) { change { $0.endNanoseconds = time } }
    func wake() { change { _ in } }

    private func change(_ body: (inout Contents) -> Void) {
        state.withLock { state in
            body(&state.contents)
            // SAFETY: see `State`.
            if let context = unsafe state.context { unsafe lws_cancel_service(context) }
        }
    }

    /// Takes all that has come. The end stays.
    func take() -> Contents {
        state.withLock { state in
            let contents = state.contents
            state.contents = Contents(endNanoseconds: contents.endNanoseconds)
            return contents
        }
    }
}
