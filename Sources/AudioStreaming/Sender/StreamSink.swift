import AudioFiles

/// What takes the sound of a node, with its gaps: a sender to targets, or a server.
///
/// Thread: one at a time, any that may block.
protocol StreamSink: Sendable {
    /// Takes the frames that follow the ones before. See `StreamSender.send`.
    func send(_ buffer: PCMBuffer, wallNanoseconds: Int64) throws(StreamError)

    /// Time passed of which there is no sound. See `StreamEncoder.gap`.
    func gap(nanoseconds: UInt64, cause: String, wallNanoseconds: Int64) throws(StreamError)
}

extension StreamSender: StreamSink {}
