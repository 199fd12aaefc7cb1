/// Makes the bytes of an endless file out of packets, for one listener.
///
/// A file has no word for a gap or a loss: silence of the same length is in its place, so that the listener's time stays
/// right.
protocol StreamMuxer: AnyObject {
    /// What a packet becomes. `missing`: frames of the stream that are not there before it.
    func bytes(of packet: StreamPacket, missing: UInt64) -> [UInt8]
}

extension StreamMuxer {
    /// In seconds: no longer silence is made up at once.
    static var longestSilence: UInt64 { 10 }
}
