/// A packet and what became of it, once for all listeners.
///
/// Thread: the server's.
final class SharedPacket {
    let piece: Broadcast.Piece
    private(set) lazy var message = WireMessage(piece.packet.bytes)

    init(_ piece: Broadcast.Piece) { self.piece = piece }
}

/// Packets on their way to one listener. It is bounded: the oldest are lost to a listener that does not read.
///
/// How many were lost is found by their numbers, so that it is right whichever of them did not come this far.
///
/// Thread: the server's.
struct ListenerQueue {
    private var packets: [SharedPacket] = []
    private var start = 0
    private let limitSeconds: Double
    /// Of the packet that left last.
    private var lastSequence: UInt32?
    /// Behind the frames that left last.
    private var endFrame: UInt64?

    private static let leastPackets = 8

    /// - Parameter seconds: how much may wait, any number; 8 packets may always.
    init(seconds: Double) { limitSeconds = max(0, min(seconds, 3600)) }

    var count: Int { packets.count - start }

    /// Packets that were lost behind the one that left last: of the encoding of that one.
    var lostPackets: UInt32 {
        guard start < packets.count, let lastSequence else { return 0 }
        return packets[start].piece.packet.sequence &- lastSequence &- 1
    }

    /// Of the next packet; `nil` where there is none.
    var generation: Int? { start < packets.count ? packets[start].piece.generation : nil }

    mutating func push(_ packet: SharedPacket) {
        packets.append(packet)
        let opening = packet.piece.opening
        let limit = limitSeconds * Double(opening.rate) / Double(max(1, opening.packetFrames))
        if count > max(Self.leastPackets, Int(limit.rounded())) { start += 1 }
        if start > 64, start * 2 > packets.count {
            packets.removeFirst(start)
            start = 0
        }
    }

    /// The next packet, how many are missing before it, and how many frames.
    mutating func next() -> (packet: SharedPacket, lost: UInt32, missingFrames: UInt64)? {
        guard start < packets.count else { return nil }
        let (shared, lost) = (packets[start], lostPackets)
        start += 1
        if start == packets.count {
            packets.removeAll(keepingCapacity: true)
            start = 0
        }
        let packet = shared.piece.packet
        let missing = endFrame.map { packet.firstFrame > $0 ? packet.firstFrame - $0 : 0 } ?? 0
        lastSequence = packet.sequence
        endFrame = packet.endFrame
        return (shared, lost, missing)
    }
}
