import CJack

/// One cycle of the graph, seen from a process callback: the only place where a port has a buffer.
///
/// Made in the first line of a process callback and ended in its last; in between the real-time sanitizer watches,
/// where it is linked. Must not: lock, allocate, wait, log, call the system. May: what is annotated
/// `@_noLocks @_noAllocation`, which the compiler then proves.
@safe public struct Cycle: ~Copyable {
    // Here and below, inlinable: a callback comes from cold caches, where a call costs more than what these do.
    @usableFromInline let client: OpaquePointer
    @usableFromInline let cancellation: cjack_cancellation
    /// Length of the cycle and of each of its buffers, in frames.
    public let frames: Int

    /// Thread: audio. Wait-free.
    @inlinable @_noLocks @_noAllocation
    public init(_ handle: ClientHandle, frames: jack_nframes_t) {
        // libjack ends the audio thread wherever it is, when the server has died.
        cancellation = cjack_hold_cancellation()
        cjack_realtime_enter()
        unsafe client = handle.raw
        self.frames = Int(frames)
    }

    /// JACK's frame clock at the start of the cycle; wraps at 2³². Thread: audio. Wait-free.
    @inlinable public var frameTime: UInt32 {
        // SAFETY: the client is active, or we would not have been called.
        @_noLocks @_noAllocation get { unsafe jack_last_frame_time(client) }
    }

    /// The server's sample rate in this cycle, in hertz: a server may change it at any time. Thread: audio. Wait-free.
    @inlinable public var sampleRate: UInt32 {
        // SAFETY: as above.
        @_noLocks @_noAllocation get { unsafe jack_get_sample_rate(client) }
    }

    /// Where JACK's transport is at the first frame of the cycle. Thread: audio. Wait-free.
    public var transport: TransportPosition {
        // SAFETY: as above.
        @_noLocks @_noAllocation get { TransportPosition(unsafe cjack_query_transport(client)) }
    }

    /// The buffer of one of the client's ports, `frames` samples long, or `nil` where the server has none (as
    /// PipeWire sometimes). An input's must not be written to: it may be the very memory of its source.
    /// Thread: audio. Wait-free.
    @unsafe @inlinable @_noLocks @_noAllocation
    public func buffer(of port: PortHandle) -> UnsafeMutablePointer<Float>? {
        unsafe jack_port_get_buffer(port.raw, jack_nframes_t(truncatingIfNeeded: frames))?
            .assumingMemoryBound(to: Float.self)
    }

    /// The messages of one of the client's MIDI ports in this cycle, or `nil` where the server has no buffer for it.
    /// Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    public func messages(of port: PortHandle) -> MIDIBuffer? {
        guard let buffer = unsafe jack_port_get_buffer(port.raw, jack_nframes_t(truncatingIfNeeded: frames)) else {
            return nil
        }
        return unsafe MIDIBuffer(buffer)
    }

    /// Thread: audio. Wait-free.
    @inlinable @_noLocks @_noAllocation
    public consuming func end() {
        cjack_realtime_exit()
        cjack_restore_cancellation(cancellation)
    }
}

/// The real-time sanitizer, which interprets each call made between the beginning and the end of a `Cycle`.
public enum RealtimeSanitizer {
    /// Whether this program was linked with it.
    public static var isLinked: Bool { cjack_realtime_sanitizer_is_linked() != 0 }
}

/// Waits a moment for another thread, which only a cycle of a freewheeling server may do: it is not real time, and
/// JACK waits for us. Thread: audio, before the `Cycle` is made.
@_noLocks @_noAllocation
public func pauseFreewheelingCycle() { cjack_freewheel_pause() }
