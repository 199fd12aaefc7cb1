import AudioFiles

/// Samples as they are, in packets of one length.
final class PCMPacketEncoder: PacketEncoder {
    let format: StreamFormat
    let frames: Int
    let header: [UInt8] = []
    let delayFrames = 0
    private var gathered: [UInt8] = []
    private var isAtStart = true

    init(_ settings: CodecSettings, sampleRate: Int, channels: Int) throws(StreamError) {
        guard (1...255).contains(channels) else {
            throw settings.refused("it takes 1 to 255 channels, and not \(channels)")
        }
        format = StreamFormat(
            sampleRate: sampleRate, channels: channels, sampleFormat: settings.codec.sampleFormat(bits: nil))
        frames = settings.frames(atRate: sampleRate, usually: 10)
        guard frames * format.bytesPerFrame <= StreamPacket.payloadLimit else {
            throw settings.refused("such packets are larger than 1 MiB; choose a shorter --frame")
        }
    }

    func encode(_ buffer: PCMBuffer) throws(StreamError) -> [EncodedPayload] {
        gathered += buffer.samples(of: UInt8.self)
        return take { $0 >= frames * format.bytesPerFrame }
    }

    func finish() throws(StreamError) -> [EncodedPayload] {
        defer { isAtStart = true }
        return take { $0 > 0 }
    }

    private func take(while isEnough: (Int) -> Bool) -> [EncodedPayload] {
        var made: [EncodedPayload] = []
        var start = 0
        while isEnough(gathered.count - start) {
            let end = min(gathered.count, start + frames * format.bytesPerFrame)
            let bytes = Array(gathered[start..<end])
            made.append(
                EncodedPayload(bytes: bytes, frames: bytes.count / format.bytesPerFrame, isStart: isAtStart))
            isAtStart = false
            start = end
        }
        gathered.removeFirst(start)
        return made
    }
}
