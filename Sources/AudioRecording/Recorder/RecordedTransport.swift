import AudioRealtime

/// What a recording knows of JACK's transport, whose state and place change between two blocks only.
struct RecordedTransport {
    /// Where it is behind the last frame that was recorded, and JACK's frame clock there.
    private var end: (frame: UInt32, frameTime: UInt32)?
    /// The unit's frame at which it began to wait for clients; `nil` where it does not wait.
    private var waitStart: UInt64?

    /// How long it may wait for clients. JACK waits 10 s for them, or as long as a client has set. But a slave of NetJack2 never stops
    /// waiting where one of its own clients has moved the transport, because the master does not hear of that.
    private static let patienceSeconds: UInt64 = 15

    /// Whether it has stopped. While it waits for clients before it rolls on elsewhere, it has not.
    mutating func isStopped(in block: RecordedBlock) -> Bool {
        guard let transport = block.block.transport, transport.isStarting else {
            waitStart = nil
            return block.block.transport?.isRolling != true
        }
        let start = waitStart ?? block.block.position
        waitStart = start
        return block.block.position &- start >= Self.patienceSeconds * UInt64(block.sampleRate)
    }

    /// A block is recorded.
    mutating func note(behind block: RecordedBlock) {
        // After a locate the transport starts at the new place for a cycle. The move counts from when it rolls.
        guard let transport = block.block.transport, transport.isRolling else { return }
        end = (
            transport.advanced(by: block.frames).frame,
            block.block.frameTime &+ UInt32(truncatingIfNeeded: block.frames)
        )
    }

    /// Whether it went elsewhere while it rolled. Cycles that the server ran without us move it as far as the frame clock; after a
    /// late cycle the clock alone jumps.
    func isRelocated(in block: RecordedBlock) -> Bool {
        guard let end, let transport = block.block.transport, transport.isRolling else { return false }
        let moved = transport.frame &- end.frame
        return moved != 0 && moved != block.block.frameTime &- end.frameTime
    }

    /// The next block is not compared with the one before.
    mutating func forgetPlace() { end = nil }
}
