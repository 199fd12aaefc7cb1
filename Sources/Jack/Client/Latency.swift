import CJack

/// The shortest and the longest way that the sound may have gone, in frames.
public struct LatencyRange: Sendable, Equatable {
    /// In frames, along the shortest path.
    public var minimum: Int
    /// In frames, along the longest path.
    public var maximum: Int

    /// - Parameters: both in frames, 0 or more; `minimum` at most `maximum`.
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

    /// What lies before an input lies before its output too, and what lies after an output after its input. Where
    /// several ways meet in a port, its range spans them all. Thread: notification, while the client is open.
    static func recompute(_ ways: [LatencyThrough], _ mode: jack_latency_callback_mode_t) {
        var ranges: [(port: Port, range: jack_latency_range_t)] = []
        for way in ways {
            let (from, to) = mode == JackCaptureLatency ? (way.input, way.output) : (way.output, way.input)
            var range = jack_latency_range_t()
            // SAFETY: both ports belong to the client that asks.
            unsafe jack_port_get_latency_range(from.raw, mode, &range)
            let added = UInt32(clamping: way.addedFrames)
            // Another client may declare anything.
            range.min = UInt32(clamping: UInt64(range.min) + UInt64(added))
            range.max = UInt32(clamping: UInt64(range.max) + UInt64(added))
            if let index = ranges.firstIndex(where: { $0.port == to }) {
                ranges[index].range.min = min(ranges[index].range.min, range.min)
                ranges[index].range.max = max(ranges[index].range.max, range.max)
            } else {
                ranges.append((to, range))
            }
        }
        for (port, range) in ranges {
            var range = range
            unsafe jack_port_set_latency_range(port.raw, mode, &range)
        }
    }
}
