import AudioFiles

/// The receiving side of a `StreamEncoder`: packets go in, frames at their places come out.
///
/// Any packet may come. It cannot be copied, and each call needs it exclusively.
///
/// Thread: one at a time, any that may block.
///
/// `@unchecked Sendable`: the decoder is an object that is made here, that only this value refers to, and that cannot be
/// reached but through calls of this value.
public struct StreamDecoder: ~Copyable, @unchecked Sendable {
    /// What the stream is.
    public let opening: StreamOpening
    private let decoder: any PacketDecoder
    /// Decoded frames that are still to be dropped.
    private var droppedFrames = 0

    /// - Throws: `badData` for a codec, rate and channels that do not go together; `codec` without memory.
    public init(_ opening: StreamOpening) throws(StreamError) {
        self.opening = opening
        decoder = try opening.makeDecoder()
    }

    /// Takes the next packet; returns its frames, the first of which is `packet.firstFrame`: of a gap or a header none.
    ///
    /// - Returns: in `opening.format`; a packet that is shorter than it says gives what it has.
    /// - Throws: `badData`; the next packet may be decoded all the same.
    public mutating func decode(_ packet: StreamPacket) throws(StreamError) -> PCMBuffer {
        let nothing = PCMBuffer(opening.format, capacityFrames: 0)
        if packet.isGap { return nothing }
        if packet.flags.contains(.header) {
            try decoder.begin(packet.payload)
            return nothing
        }
        if packet.flags.contains(.start) {
            decoder.reset()
            droppedFrames = opening.delayFrames
        }
        let decoded = try decoder.decode(packet.payload)
        let dropped = min(droppedFrames, decoded.frames)
        droppedFrames -= dropped
        let end = min(decoded.frames, dropped + Int(packet.frames))
        return dropped == 0 && end == decoded.frames ? decoded : decoded.part(dropped..<end)
    }

    /// Makes up for frames that did not come.
    ///
    /// - Parameters:
    ///   - frames: how many; of more than 120 ms only those.
    ///   - next: the packet behind them, where that has come; with forward error correction it says them again.
    /// - Returns: as many frames; `nil` where the codec cannot: then silence is in their place.
    public mutating func conceal(frames: Int, before next: StreamPacket?) throws(StreamError) -> PCMBuffer? {
        guard let made = try decoder.conceal(frames, before: next) else { return nil }
        return made.part(0..<min(made.frames, frames))
    }
}
