import CJack

/// Where JACK's transport is: the clock that the clients of a server start, stop and locate together.
public struct TransportPosition: BitwiseCopyable, Sendable, Equatable {
    /// The frame of the timeline, from 0; wraps at 2³².
    public var frame: UInt32
    /// Whether the frame moves on with each cycle. It does not while the transport is stopped, or waits for clients that are
    /// not ready to start (see `Client.setSync`).
    public var isRolling: Bool
    /// Whether the transport waits for slow clients before it rolls, or on a slave of NetJack2 for the master. In jackd2 also for
    /// one cycle after each locate.
    public var isStarting: Bool

    /// Thread: any. Wait-free.
    @_noLocks @_noAllocation
    public init(frame: UInt32, isRolling: Bool, isStarting: Bool = false) {
        self.frame = frame
        self.isRolling = isRolling
        self.isStarting = isStarting
    }

    @_noLocks @_noAllocation
    init(_ transport: cjack_transport) {
        self.init(
            frame: transport.frame, isRolling: transport.is_rolling != 0, isStarting: transport.is_starting != 0)
    }
}

/// A sync callback: a global `@c` function. JACK's audio thread calls it before the process callback when the transport is to
/// start or was located, and again in each cycle until it returns 1: the client is ready to play from that frame on.
///
/// Its parameters are the transport's state, the position (see `requestedTransportFrame`) and the context.
public typealias SyncCallback = @convention(c) (UInt32, UnsafeRawPointer?, UnsafeMutableRawPointer?) -> CInt

/// The frame for which a sync callback is to be ready. Thread: audio. Wait-free.
///
/// - Parameter position: the callback's second parameter.
@unsafe @_noLocks @_noAllocation
public func requestedTransportFrame(_ position: UnsafeRawPointer) -> UInt32 { unsafe cjack_position_frame(position) }

extension Client {
    /// Makes the client a slow-sync client: JACK's transport starts only when the callback says that the client is ready, or
    /// after JACK's sync timeout: 10 s in jackd2, 2 s in jackd1. Thread: control, before activation.
    ///
    /// - Parameters:
    ///   - callback: a global `@c` function.
    ///   - context: passed to it; must stay valid until the client is closed.
    @unsafe public func setSync(_ callback: SyncCallback, context: UnsafeMutableRawPointer?) throws(JackError) {
        guard unsafe cjack_set_sync_callback(view.raw, callback, context) == 0 else {
            throw JackError(.refused, "set the transport's sync callback of \(name)", "JACK refused")
        }
    }
}

// Any client may move the transport; all of them follow. Thread: any but audio.
extension JackClient where Self: ~Copyable {
    /// Where the transport is now.
    public var transport: TransportPosition {
        TransportPosition(unsafe cjack_query_transport(view.raw))
    }

    /// Starts the transport; it rolls when all slow-sync clients are ready, two cycles later at the soonest.
    public func startTransport() { unsafe jack_transport_start(view.raw) }

    /// Stops the transport with the next cycle.
    public func stopTransport() { unsafe jack_transport_stop(view.raw) }

    /// Has the transport go to a frame, with the cycle after the next at the soonest.
    public func locateTransport(to frame: UInt32) throws(JackError) {
        guard unsafe jack_transport_locate(view.raw, frame) == 0 else {
            throw failure("locate the transport", "the server refused")
        }
    }
}
