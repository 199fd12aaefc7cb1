import AudioFiles

/// The other end of a `PacketEncoder`. Any bytes may come; none makes it take more memory than a packet can hold.
///
/// Thread: one at a time, any that may block.
protocol PacketDecoder: AnyObject {
    /// Takes what stands before the first payload.
    func begin(_ header: [UInt8]) throws(StreamError)
    /// Forgets what came before.
    func reset()
    /// Returns all frames of a payload.
    func decode(_ payload: [UInt8]) throws(StreamError) -> PCMBuffer
    /// Makes up for frames that did not come, from what came before and the payload after them; `nil` where it cannot.
    func conceal(_ frames: Int, before next: [UInt8]?) throws(StreamError) -> PCMBuffer?
}

extension StreamOpening {
    func makeDecoder() throws(StreamError) -> any PacketDecoder {
        switch codec {
        case .opus: try OpusPacketDecoder(self)
        case .flac: try FLACPacketDecoder(self)
        case .pcm16, .pcm24, .float: PCMPacketDecoder(format)
        case .mp3: throw bad("it does not come in packets; the sender is another program")
        }
    }

    func bad(_ reason: String) -> StreamError { StreamError(.badData, "decode \(codec.rawValue)", reason) }
}

/// Samples as they are.
final class PCMPacketDecoder: PacketDecoder {
    private let format: StreamFormat

    init(_ format: StreamFormat) { self.format = format }

    func begin(_ header: [UInt8]) {}
    func reset() {}
    func conceal(_ frames: Int, before next: [UInt8]?) -> PCMBuffer? { nil }

    func decode(_ payload: [UInt8]) throws(StreamError) -> PCMBuffer {
        guard payload.count % format.bytesPerFrame == 0 else {
            throw StreamError(.badData, "decode \(format.sampleFormat.rawValue)", "the packet ends within a frame")
        }
        var buffer = PCMBuffer(format, capacityFrames: payload.count / format.bytesPerFrame)
        buffer.frames = buffer.capacityFrames
        buffer.withMutableSamples(of: UInt8.self) { span in
            for index in span.indices { span[index] = payload[index] }
        }
        return buffer
    }
}
