/// Decodes the packets of a stream, makes up for those that are missing, and writes the frames to the present feed.
///
/// Thread: the receiver's worker.
struct PacketPlayer: ~Copyable {
    private var decoder: StreamDecoder
    private let rate: Int
    private let mixer: FrameMixer
    private var planes: [[Float]]
    private let silence: [[Float]]
    /// Where frames go; `nil` before the first packet.
    private(set) var line: FeedLine?
    /// Whether frames found no room, because nobody took them: a new feed begins when somebody does.
    private(set) var isStuck = false
    /// Frames that the codec has made up for in a row.
    private var concealedRun = 0

    /// Frames that were written to feeds, and packets that would have been played but for their damage.
    private(set) var counts = ReceiverFigures()

    /// Beyond this made-up sound is worse than none.
    private static let longestConcealment = 0.1
    private static let ringSeconds = 8.0

    /// - Parameter channels: of the node.
    /// - Throws: `badData`, `codec`.
    init(_ opening: StreamOpening, channels: Int) throws(StreamError) {
        decoder = try StreamDecoder(opening)
        rate = opening.rate
        mixer = FrameMixer(from: opening.channels, to: channels)
        planes = Array(repeating: [], count: channels)
        silence = Array(repeating: [Float](repeating: 0, count: 4096), count: channels)
    }

    /// Of a feed, in frames.
    var capacity: Int { Int(Self.ringSeconds * Double(rate)) }

    /// What comes goes to another feed from now on.
    mutating func begin(_ line: FeedLine) {
        self.line = line
        isStuck = false
    }

    /// Hands the decoder what it needs first; returns whether it can be.
    mutating func takeHeader(_ packet: StreamPacket) -> Bool { (try? decoder.decode(packet)) != nil }

    mutating func play(_ piece: JitterBuffer.Piece) {
        switch piece {
        case .packet(let packet, let passed): play(packet, from: passed)
        case .missing(let frames, let next): conceal(frames, before: next)
        case .gap(let frames):
            concealedRun = 0
            if writeSilence(frames) { counts.gapFrames += frames }
        }
    }

    private mutating func play(_ packet: JitterBuffer.Packet, from passed: Int) {
        guard let decoded = try? decoder.decode(Self.streamPacket(packet)) else {
            counts.damagedPackets += 1
            counts.playedPackets -= 1
            return conceal(packet.frames - passed, before: nil)
        }
        concealedRun = 0
        let count = max(0, min(decoded.frames, packet.frames) - passed)
        mixer.mix(decoded, from: passed, count: count, into: &planes)
        if output(planes, count) { counts.playedFrames += count }
        // A packet may be shorter than it says.
        let rest = packet.frames - passed - count
        if rest > 0, writeSilence(rest) { counts.silentFrames += rest }
    }

    private mutating func conceal(_ frames: Int, before next: JitterBuffer.Packet?) {
        var left = frames
        let most = Int(Self.longestConcealment * Double(rate))
        if concealedRun < most, frames <= rate / 10,
            let made = try? decoder.conceal(frames: frames, before: next.map(Self.streamPacket))
        {
            let count = min(frames, made.frames)
            mixer.mix(made, from: 0, count: count, into: &planes)
            if output(planes, count) { counts.concealedFrames += count }
            left -= count
        }
        concealedRun += frames
        if left > 0, writeSilence(left) { counts.silentFrames += left }
    }

    private static func streamPacket(_ packet: JitterBuffer.Packet) -> StreamPacket {
        StreamPacket(
            flags: packet.flags, sequence: 0, firstFrame: 0, frames: UInt32(clamping: packet.frames),
            wallNanoseconds: 0,
            payload: packet.payload)
    }

    /// A silence longer than a feed is in none: the next feed begins behind it, and at the end of a stream nothing follows.
    private mutating func writeSilence(_ frames: Int) -> Bool {
        guard frames <= capacity else {
            isStuck = true
            return false
        }
        var left = frames
        while left > 0 {
            let count = min(left, 4096)
            guard output(silence, count) else { return false }
            left -= count
        }
        return true
    }

    private mutating func output(_ planes: [[Float]], _ count: Int) -> Bool {
        guard !isStuck, line?.write(planes, count: count) == true else {
            isStuck = true
            return false
        }
        return true
    }
}
