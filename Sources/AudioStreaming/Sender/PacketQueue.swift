import Synchronization
import Threads

/// Packets on their way to one target: its encoder puts them in, its worker takes them out.
///
/// It is bounded by the sound in it. A gap takes no room: where a server loses many cycles, there are many gaps at once with little
/// sound between them. What finds no room pushes the oldest out: whole packets, which are counted, and of which the next packet
/// that the target gets says so. The encoder never waits.
final class PacketQueue: Sendable {
    /// What an account of a queue has.
    struct Counts: Equatable {
        /// Packets that were pushed out, or that a target failed to take.
        var lostPackets: UInt64 = 0
        /// Frames in them, without those of gaps.
        var lostFrames: UInt64 = 0
    }

    private struct State {
        var packets: [StreamPacket] = []
        /// The first of them that is still there.
        var start = 0
        /// Of sound.
        var frames = 0
        var bytes = 0
        /// Lost since the last packet that went out, for the next one to say.
        var unsaidLoss: UInt32 = 0
        var counts = Counts()
        var isEnded = false

        var count: Int { packets.count - start }
    }

    private let state = Mutex(State())
    private let semaphore = Semaphore()
    private let limitFrames: Int
    private let limitBytes: Int
    /// With gaps: some megabytes, as those have no payload.
    private static let limitPackets = 1 << 16

    /// - Parameters:
    ///   - frames: of sound that waits at the most, but for a single packet that is longer.
    ///   - bytes: of all payloads that wait, but for a single one that is larger.
    init(frames: Int, bytes: Int) {
        limitFrames = frames
        limitBytes = bytes
    }

    var counts: Counts { state.withLock { $0.counts } }
    var count: Int { state.withLock { $0.count } }
    var isEnded: Bool { state.withLock { $0.isEnded } }
    /// Nothing is in it, and no more will come.
    var isExhausted: Bool { state.withLock { $0.isEnded && $0.count == 0 } }

    /// Thread: the encoder's. Never waits for a target.
    func push(_ packet: StreamPacket) {
        state.withLock { state in
            while state.count > 0,
                state.frames + packet.soundFrames > limitFrames || state.bytes + packet.payload.count > limitBytes
                    || state.count >= Self.limitPackets
            {
                lose(take(&state), &state)
            }
            state.packets.append(packet)
            state.frames += packet.soundFrames
            state.bytes += packet.payload.count
        }
        wake()
    }

    /// No more will come. What is in it still goes out.
    func end() {
        state.withLock { $0.isEnded = true }
        wake()
    }

    /// Ends a wait.
    func wake() { semaphore.handle.post() }

    /// The next packet; `nil` where there is none at present. Thread: the target's.
    func next() -> StreamPacket? {
        state.withLock { state in
            guard state.count > 0 else { return nil }
            var packet = take(&state)
            packet.lostPackets = state.unsaidLoss
            if state.unsaidLoss > 0 { packet.flags.insert(.loss) }
            state.unsaidLoss = 0
            return packet
        }
    }

    /// A packet that was taken out did not arrive. Thread: the target's.
    func lose(_ packet: StreamPacket) { state.withLock { lose(packet, &$0) } }

    /// All that waits is lost.
    func loseAll() {
        state.withLock { state in while state.count > 0 { lose(take(&state), &state) } }
    }

    /// Waits until something may have come, up to a time of the monotonic clock. Thread: the target's.
    func wait(untilNanoseconds deadline: UInt64) { semaphore.wait(untilNanoseconds: deadline) }

    private func take(_ state: inout State) -> StreamPacket {
        let packet = state.packets[state.start]
        state.start += 1
        state.frames -= packet.soundFrames
        state.bytes -= packet.payload.count
        if state.start == state.packets.count || state.start >= 256 {
            state.packets.removeFirst(state.start)
            state.start = 0
        }
        return packet
    }

    private func lose(_ packet: StreamPacket, _ state: inout State) {
        // What the packet itself would have said is said by the next.
        let unsaid = UInt64(state.unsaidLoss) + 1 + UInt64(packet.lostPackets)
        state.unsaidLoss = UInt32(clamping: unsaid)
        state.counts.lostPackets += 1
        state.counts.lostFrames += UInt64(packet.soundFrames)
    }
}

extension StreamPacket {
    /// Its frames, but for those of a gap.
    fileprivate var soundFrames: Int { isGap ? 0 : Int(frames) }
}
