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
    public var codecs: [StreamCodec] = []
}
