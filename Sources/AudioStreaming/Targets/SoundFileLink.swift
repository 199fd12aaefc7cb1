import AudioFiles

/// A stream that has the form of a file: WAV, FLAC, Ogg Opus or MP3, by TCP, into a named pipe or into a new file.
///
/// It has no word for a gap: silence is in the place of what is missing, so that the receiver's time stays right.
final class SoundFileLink: StreamLink {
    /// As long as silence is written in one piece, in frames.
    private static let silenceFrames = 4096
    /// Silence of a gap that is always written, also when the stream is to end at once, in frames: 20 s, written in milliseconds.
    static let leastFrames: UInt64 = 1 << 20

    private let context: LinkContext
    private let socket: Socket?
    private let writer: SoundFileWriter
    private let decoder: PCMPacketDecoder
    private let format: StreamFormat
    /// The next frame of the stream; `nil` before the first.
    private var nextFrame: UInt64?

    init(_ context: LinkContext) throws(StreamError) {
        self.context = context
        let opening = context.opening
        format = opening.format
        decoder = PCMPacketDecoder(opening)
        let target = context.target
        let form = context.settings.codec.file
        let kind = form?.format(context.settings.bits)
        let encoder = try form?.encoder?(context.settings, format) ?? EncoderSettings()
        let socket = target.kind == .tcp ? try context.openSocket(.tcp) : nil
        socket?.limitSilence(seconds: context.silenceSeconds)
        self.socket = socket
        writer = try context.reporting { () throws(SoundFileError) in
            guard let socket else {
                return try SoundFileWriter(
                    path: target.host, format: kind, sampleRate: opening.rate, channels: opening.channels,
                    encoder: encoder, replacing: false, operation: "send to", waits: context.waits)
            }
            return try SoundFileWriter(
                descriptor: socket.descriptor, name: "\(target)", format: kind, sampleRate: opening.rate,
                channels: opening.channels, encoder: encoder, operation: "send to", waits: context.waits)
        }
    }

    func send(_ packet: StreamPacket) throws(StreamError) -> Bool {
        // A stream begins with sound.
        if nextFrame == nil, packet.isGap { return true }
        var next = nextFrame ?? packet.firstFrame
        let soundStart = packet.isGap ? packet.endFrame : packet.firstFrame
        let start = next
        while next < soundStart {
            // Hours of silence take their time, also where they are not waited for any more.
            guard next - start < Self.leastFrames || context.waits() else {
                throw context.fail(
                    context.isPipe ? .network : .file,
                    "it was ended before all the silence of a gap was written, which is missing at its end")
            }
            let frames = Int(min(UInt64(Self.silenceFrames), soundStart - next))
            var silence = PCMBuffer(format, capacityFrames: frames)
            silence.frames = frames
            try write(silence)
            next += UInt64(frames)
            nextFrame = next
        }
        guard !packet.isGap else { return true }
        try write(decoder.decode(packet.payload))
        nextFrame = packet.endFrame
        return true
    }

    var sentBytes: UInt64 { UInt64(max(0, writer.bytes, writer.closedBytes)) }

    func close() throws(StreamError) {
        try context.reporting { () throws(SoundFileError) in try writer.close() }
    }

    private func write(_ buffer: PCMBuffer) throws(StreamError) {
        try context.reporting { () throws(SoundFileError) in try writer.write(buffer) }
    }
}

extension LinkContext {
    /// Whether another reader may come.
    fileprivate var isPipe: Bool { target.kind == .tcp || SoundFileWriter.isPipe(target.host) }

    fileprivate func reporting<Result>(
        _ body: () throws(SoundFileError) -> Result
    ) throws(StreamError) -> Result {
        do throws(SoundFileError) {
            return try body()
        } catch {
            let kind: StreamError.Kind =
                error.kind == .unsupportedFormat ? .unsupported : isPipe ? .network : .file
            let reason =
                error.kind == .exists
                ? "there is a file of that name; choose another, or remove it" : error.reason
            throw fail(kind, reason)
        }
    }
}
