import AudioFiles

/// What a codec made of some frames.
struct EncodedPayload {
    var bytes: [UInt8]
    /// How many frames of the stream a decoder gets out of it, when it has dropped the codec's delay.
    var frames: Int
    /// Whether the codec's state begins with it: a decoder forgets what came before.
    var isStart: Bool
}

/// One codec: it gathers frames, and makes payloads of a fixed length of them.
///
/// Thread: one at a time, any that may block.
protocol PacketEncoder: AnyObject, SendableMetatype {
    /// - Parameters:
    ///   - settings: of this codec, with nothing that it has no choice of.
    ///   - inputRate: of what comes in, in hertz, before it is converted.
    ///   - sampleRate, channels: of the stream; the codec has them.
    /// - Throws: `unsupported`, naming what there is; `codec`.
    init(_ settings: CodecSettings, inputRate: Int, sampleRate: Int, channels: Int) throws(StreamError)

    /// What it takes: interleaved, at the stream's rate.
    var format: StreamFormat { get }
    /// What a decoder needs before the first payload; empty where it needs nothing.
    var header: [UInt8] { get }
    /// Frames of each payload but the last.
    var frames: Int { get }
    /// Frames that a decoder drops at the start.
    var delayFrames: Int { get }

    /// Takes frames of `format`, any number; returns what has become full.
    func encode(_ buffer: PCMBuffer) throws(StreamError) -> [EncodedPayload]

    /// Ends here: what was held back comes out, and the next frame begins with no memory of this one. The frames of all
    /// payloads since the start are as many as were taken.
    func finish() throws(StreamError) -> [EncodedPayload]
}

extension PacketEncoder {
    var header: [UInt8] { [] }
    var delayFrames: Int { 0 }
}

extension Array {
    /// Takes off the beginning as many pieces of a length as there are.
    mutating func takePieces(of length: Int) -> [ArraySlice<Element>] {
        let whole = count / length * length
        defer { removeFirst(whole) }
        return stride(from: 0, to: whole, by: length).map { self[$0..<($0 + length)] }
    }
}

/// The other end of a `PacketEncoder`. Any bytes may come; none makes it take more memory than a packet can hold.
///
/// Thread: one at a time, any that may block.
protocol PacketDecoder: AnyObject, SendableMetatype {
    /// - Throws: `badData` for a rate and channels that the codec does not have; `codec` without memory.
    init(_ opening: StreamOpening) throws(StreamError)
    /// Takes what stands before the first payload.
    func begin(_ header: [UInt8]) throws(StreamError)
    /// Forgets what came before.
    func reset()
    /// Returns all frames of a payload.
    func decode(_ payload: [UInt8]) throws(StreamError) -> PCMBuffer
    /// Makes up for frames that did not come, from what came before and the packet after them; `nil` where it cannot.
    func conceal(_ frames: Int, before next: StreamPacket?) throws(StreamError) -> PCMBuffer?
}

extension PacketDecoder {
    func begin(_ header: [UInt8]) {}
    func reset() {}
    func conceal(_ frames: Int, before next: StreamPacket?) -> PCMBuffer? { nil }
}

extension StreamOpening {
    func makeDecoder() throws(StreamError) -> any PacketDecoder {
        guard let decoder = codec.decoder else {
            throw bad("it does not come in packets; the sender is another program")
        }
        return try decoder.init(self)
    }

    func bad(_ reason: String) -> StreamError { StreamError(.badData, "decode \(codec.name)", reason) }
}
