import CJack

/// The shortest and the longest way that the sound may have gone, in frames.
public struct LatencyRange: Sendable, Equatable {
    public var minimum: Int
    public var maximum: Int

    public init(minimum: Int, maximum: Int) {
        self.minimum = minimum
        self.maximum = maximum
    }
}

/// Which way a latency is counted.
public enum LatencyDirection: Sendable {
    /// From where the sound came into the graph, to the port.
    case capture
    /// From the port, to where the sound leaves the graph.
    case playback

    var mode: jack_latency_callback_mode_t {
        switch self {
        case .capture: JackCaptureLatency
        case .playback: JackPlaybackLatency
        }
    }
}

/// Sound goes from one of our inputs to one of our outputs and takes this long.
struct LatencyThrough: Sendable {
    var input: Port
    var output: Port
    var addedFrames: Int

    /// What lies before the input lies before the output too, and what lies after the output after the input.
    /// Thread: notification, while the client is open.
    func recompute(_ mode: jack_latency_callback_mode_t) {
        let (from, to) = mode == JackCaptureLatency ? (input, output) : (output, input)
        var range = jack_latency_range_t()
        // SAFETY: both ports belong to the client that asks.
        unsafe jack_port_get_latency_range(from.raw, mode, &range)
        range.min += UInt32(addedFrames)
        range.max += UInt32(addedFrames)
        unsafe jack_port_set_latency_range(to.raw, mode, &range)
    }
}
