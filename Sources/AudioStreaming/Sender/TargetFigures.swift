/// What has become of the packets for one target so far.
public struct TargetFigures: Sendable, Equatable {
    /// How it is with the target.
    public enum State: String, Sendable {
        /// It has not been reached yet, or not again: it is tried again by itself.
        case connecting
        /// It takes packets.
        case connected
        /// It was given up: `failure` says why.
        case failed
        /// The stream has ended.
        case ended
    }

    /// The target.
    public var target: StreamTarget
    /// Of the stream that goes there, in hertz.
    public var sampleRate: Int
    /// How it is with it at present.
    public var state = State.connecting
    /// Packets that left, gaps among them.
    public var sentPackets: UInt64 = 0
    /// Bytes that left: of RTP the payloads, else all that the stream has, but for what an encoder holds back.
    public var sentBytes: UInt64 = 0
    /// Packets that did not, because the target was not reached, or took too little.
    public var lostPackets: UInt64 = 0
    /// Frames of sound in those, at the stream's rate.
    public var lostFrames: UInt64 = 0
    /// Packets that left by a WebSocket that then broke, and of which the receiver had not said that it has them, or by one to
    /// an Icecast server that had not taken all of them yet: it may have some. They are counted as sent, and not as lost.
    public var unconfirmedPackets: UInt64 = 0
    /// Packets that wait.
    public var waitingPackets = 0
    /// How often it was reached.
    public var connections = 0
    /// Why it was not reached or was lost, the last time that this happened.
    public var failure: StreamError?
    /// Whether its name has led to an address.
    package var isFound = false
    /// Why the end of the stream did not leave.
    package var closeFailure: StreamError?
}
