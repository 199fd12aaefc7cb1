import AudioFigures

/// What a `PageServer` has done so far.
public struct PageFigures: Sendable, Equatable {
    /// Connections at present, of any kind.
    public var connections = 0
    /// Listeners to a stream at present.
    public var listeners = 0
    /// The most listeners that there were at once.
    public var mostListeners = 0
    /// Pages that are open at present.
    public var viewers = 0
    /// How often somebody began to listen.
    public var listenings: UInt64 = 0
    /// Packets that left, for all listeners together.
    public var sentPackets: UInt64 = 0
    /// Bytes of streams that left.
    public var sentBytes: UInt64 = 0
    /// Packets that a listener lost, because it did not take them.
    public var lostPackets: UInt64 = 0
    /// Requests that were refused, and connections beyond the limit.
    public var refusals: UInt64 = 0
    /// Codecs that are encoded at present.
    public var codecs: [Codec] = []
}

extension MetricsExposition {
    /// What the server itself has to tell.
    mutating func add(_ figures: PageFigures) {
        add("page_connections", .gauge, "Connections to the page at present", Double(figures.connections))
        add("page_listeners", .gauge, "Listeners to a stream at present", Double(figures.listeners))
        add("page_viewers", .gauge, "Pages that are open at present", Double(figures.viewers))
        add("page_listenings", .counter, "How often somebody began to listen", Double(figures.listenings))
        add("page_sent_packets", .counter, "Packets sent to all listeners together", Double(figures.sentPackets))
        add("page_sent_bytes", .counter, unit: "bytes", "Bytes of streams sent", Double(figures.sentBytes))
        add("page_lost_packets", .counter, "Packets that a listener did not take", Double(figures.lostPackets))
        add("page_refusals", .counter, "Requests that were refused", Double(figures.refusals))
    }
}
