import AudioFiles

/// FLAC, one frame of the format at a time.
final class FLACPacketDecoder: PacketDecoder {
    private let opening: StreamOpening
    private let input = PacketBytes()
    /// `nil` before the header.
    private var frames: FLACFrames?

    init(_ opening: StreamOpening) throws(StreamError) {
        guard opening.codec.channels.contains(opening.channels) else {
            throw opening.bad("it has \(opening.codec.channels.words) channels, and not \(opening.channels)")
        }
        self.opening = opening
    }

    func begin(_ header: [UInt8]) throws(StreamError) {
        input.content = header
        frames = header.starts(with: "fLaC".utf8) ? FLACFrames(input) : nil
        guard let frames, let said = frames.header, !frames.hasMetDamage, frames.firstByte == header.count,
            said.sampleRate == opening.rate, said.channels == opening.channels
        else {
            frames = nil
            throw opening.bad("its header is damaged, or of another rate or number of channels")
        }
    }

    func decode(_ payload: [UInt8]) throws(StreamError) -> PCMBuffer {
        guard let frames else { throw opening.bad("its header has not come") }
        input.content = payload
        frames.place(at: 0)
        frames.hasMetDamage = false
        guard let frame = frames.next(), !frames.hasMetDamage, frame.endByte == payload.count else {
            throw opening.bad("the packet is damaged, or of another rate or number of channels")
        }
        let format = opening.format
        guard format.sampleFormat != .int16 else { return PCMBuffer(format, frames.samples.map { Int16($0 >> 16) }) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(3 * frames.samples.count)
        for sample in frames.samples {
            for shift in [8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: sample >> Int32(shift))) }
        }
        return PCMBuffer(format, bytes)
    }
}

/// A header, and after it one packet at a time.
private final class PacketBytes: FileBytes {
    var content: [UInt8] = []
    let start = 0
    var length: Int { content.count }
    let hasFailed = false

    @unsafe func read(into room: UnsafeMutableRawBufferPointer, at place: Int) -> Int {
        let part = content.dropFirst(place).prefix(room.count)
        // SAFETY: no more bytes than there is room for.
        unsafe room.copyBytes(from: part)
        return part.count
    }
}
