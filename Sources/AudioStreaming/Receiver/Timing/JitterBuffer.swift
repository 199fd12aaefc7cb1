/// Brings the packets of a stream into their order, and says what is missing when it is needed.
///
/// It knows no clock and no decoder: packets go in as they come, pieces come out in the order of the frames. Each number of a
/// packet ends as exactly one of played, late, damaged, dropped and lost; what came twice counts apart.
struct JitterBuffer: Sendable {
    /// One packet with its numbers made continuous.
    struct Packet: Sendable, Equatable {
        /// One more than that of the packet before.
        var sequence: Int
        /// At the stream's rate.
        var firstFrame: Int
        var frames: Int
        var flags: StreamPacket.Flags = []
        var payload: [UInt8]

        var endFrame: Int { firstFrame + frames }
        var isGap: Bool { flags.contains(.gap) }
        /// Whether it stands for what is missing, or has nothing that can be decoded.
        var isPlaceholder: Bool { payload.isEmpty && !isGap }
        /// What it takes of the memory, about.
        fileprivate var bytes: Int { payload.count + 96 }
    }

    /// What has become of a packet on its arrival.
    enum Arrival: Sendable, Equatable {
        case inOrder
        case reordered
        case duplicate
        /// Its time was over.
        case late
        /// It has nothing to do with what came before: the sender began again.
        case unrelated
    }

    /// What is to be played next.
    enum Piece: Sendable, Equatable {
        /// A packet, but for the frames at its beginning whose time is over.
        case packet(Packet, passedFrames: Int)
        /// Frames that have not come; the packet behind them, where that has come and they reach up to it.
        case missing(frames: Int, before: Packet?)
        /// Frames of which the sender has no sound.
        case gap(frames: Int)
    }

    /// What has become of packets.
    var counts = ReceiverFigures()
    /// The first frame that is not played yet; `nil` before the first packet.
    private(set) var nextFrame: Int?
    private var nextSequence = 0
    private var highest = 0
    /// Behind the packet with that number.
    private var highestEnd = 0
    /// In the order of their numbers.
    private var held: [Packet] = []
    /// Of `held`, and how many there may be.
    private var heldBytes = 0
    private let byteLimit: Int
    /// Up to here frames are missing that were let go.
    private var droppedEnd = Int.min
    /// Which of the last numbers have come, by number modulo the size.
    private var seen = [Bool](repeating: false, count: Self.reach)
    private var usualFrames = 1

    /// Beyond this a number has nothing to do with the one before.
    static let reach = 4096
    /// A time that jumps by more than this has none either.
    private static let frameReach = 1 << 33
    /// So far may the time go back while the numbers go on.
    static let backReach = 1 << 15
    /// A hole that is overdue by more is no longer cut into packets: nobody makes up sound for it.
    private static let longOverdue = 1 << 16

    /// What may wait, in bytes: five seconds of 64 channels of 24 bits at 48 kHz.
    static let byteLimit = 64 << 20
    /// As many may wait, however small they are: each that is played moves all others.
    static let mostPackets = 1 << 15

    init(byteLimit: Int = Self.byteLimit) { self.byteLimit = byteLimit }

    /// Packets that wait.
    var waiting: Int { held.count }
    /// Behind the last frame that has come.
    var endFrame: Int? { held.last?.endFrame ?? nextFrame }

    /// Takes a packet.
    mutating func insert(_ packet: Packet) -> Arrival {
        guard let nextFrame else {
            counts.receivedPackets += 1
            (nextSequence, highest, self.nextFrame) = (packet.sequence, packet.sequence, packet.firstFrame)
            highestEnd = packet.endFrame
            hold(packet, at: 0)
            return .inOrder
        }
        guard (packet.sequence &- highest).magnitude < Self.reach,
            (packet.firstFrame &- nextFrame).magnitude < Self.frameReach,
            packet.sequence <= highest || packet.firstFrame > highestEnd - Self.backReach
        else { return .unrelated }
        counts.receivedPackets += 1
        if packet.sequence > highest {
            for number in (highest + 1)...packet.sequence { seen[slot(number)] = false }
        } else if seen[slot(packet.sequence)] {
            counts.duplicatePackets += 1
            return .duplicate
        }
        let isOvertaken = packet.sequence < highest
        if packet.sequence > highest { (highest, highestEnd) = (packet.sequence, packet.endFrame) }
        if isOvertaken { counts.reorderedPackets += 1 }
        guard packet.sequence >= nextSequence else {
            // Its number was given up as lost.
            seen[slot(packet.sequence)] = true
            counts.latePackets += 1
            counts.lostPackets = max(0, counts.lostPackets - 1)
            return .late
        }
        hold(packet, at: held.lastIndex { $0.sequence < packet.sequence }.map { $0 + 1 } ?? 0)
        while heldBytes > byteLimit && held.count > 1 || held.count > Self.mostPackets { drop() }
        return isOvertaken ? .reordered : .inOrder
    }

    private func slot(_ number: Int) -> Int {
        let rest = number % Self.reach
        return rest < 0 ? rest + Self.reach : rest
    }

    private mutating func hold(_ packet: Packet, at index: Int) {
        seen[slot(packet.sequence)] = true
        if !packet.isGap && !packet.isPlaceholder && packet.frames > 0 { usualFrames = packet.frames }
        held.insert(packet, at: index)
        heldBytes += packet.bytes
    }

    /// Takes the oldest out, and gives up the numbers before it.
    private mutating func release() -> Packet {
        let first = held.removeFirst()
        heldBytes -= first.bytes
        counts.lostPackets += max(0, first.sequence - nextSequence)
        nextSequence = first.sequence + 1
        return first
    }

    /// Lets the oldest go.
    private mutating func drop() {
        droppedEnd = max(droppedEnd, release().endFrame)
        counts.droppedPackets += 1
    }

    /// What is to be played next; `nil` where that has not come, and is not needed yet.
    ///
    /// - Parameters:
    ///   - needed: all frames before this one must be played now, whether or not they have come.
    ///   - overtaken: all before this one that a later packet has overtaken must be played now too, so that it is not held up.
    mutating func next(needed: Int, overtaken: Int = .min) -> Piece? {
        guard let nextFrame else { return nil }
        while let first = held.first {
            let hole = first.firstFrame - nextFrame
            if hole > 0 {
                if first.sequence == nextSequence, nextFrame >= droppedEnd {
                    // The times of a sender step on where it has no sound.
                    self.nextFrame = first.firstFrame
                    return .gap(frames: hole)
                }
                guard nextFrame < max(needed, overtaken) else { return nil }
                return missing(hole, before: first, max(needed, overtaken))
            }
            _ = release()
            if first.endFrame <= nextFrame && (first.isGap || first.frames > 0 || hole < 0) {
                // A gap packet comes at the end of the gap, so it is never late, and so does what stands for what is missing.
                if first.isGap {
                    counts.playedPackets += 1
                } else if first.isPlaceholder {
                    counts.damagedPackets += 1
                } else {
                    counts.latePackets += 1
                }
                continue
            }
            counts.playedPackets += 1
            self.nextFrame = first.endFrame
            return first.isGap ? .gap(frames: first.frames + hole) : .packet(first, passedFrames: -hole)
        }
        guard nextFrame < needed else { return nil }
        return missing(needed - nextFrame, before: nil, needed)
    }

    private mutating func missing(_ hole: Int, before packet: Packet?, _ needed: Int) -> Piece {
        let overdue = needed - (nextFrame ?? needed)
        let count = min(hole, overdue > Self.longOverdue ? overdue : usualFrames)
        nextFrame = nextFrame.map { $0 + count }
        return .missing(frames: count, before: count == hole ? packet : nil)
    }
}

/// Finds out that a sender was started again and counts from a lower number: nothing but old numbers comes for long.
struct RestartWatch: Sendable {
    /// Packets in a row whose numbers were passed.
    private var count = 0
    /// When the last of another kind came.
    private var lastNanoseconds: UInt64 = 0

    private static let mostPackets = 10
    private static let patienceNanoseconds: UInt64 = 500_000_000

    /// Whether it was, after one more packet.
    mutating func isSeen(in arrival: JitterBuffer.Arrival, at nanoseconds: UInt64) -> Bool {
        guard arrival == .late || arrival == .duplicate else {
            (count, lastNanoseconds) = (0, nanoseconds)
            return false
        }
        count += 1
        return count >= Self.mostPackets && nanoseconds > lastNanoseconds + Self.patienceNanoseconds
    }
}
