import Testing

@testable import AudioStreaming

@Suite("The queue of a target") struct QueueTests {
    private func packet(_ number: UInt32, bytes: Int = 10) -> StreamPacket {
        StreamPacket(
            sequence: number, firstFrame: UInt64(number) * 480, frames: 480, wallNanoseconds: 0,
            payload: [UInt8](repeating: 0, count: bytes))
    }

    @Test func `hands over in order what it has room for`() {
        let queue = PacketQueue(frames: 8 * 480, bytes: 1000)
        for number in 0..<8 { queue.push(packet(UInt32(number))) }
        #expect((0..<8).map { _ in queue.next()?.sequence } == Array(0..<8))
        #expect(queue.next() == nil && queue.counts == PacketQueue.Counts())
    }

    @Test func `is exhausted once it has ended and the last one is out, though it was empty before`() {
        let queue = PacketQueue(frames: 480, bytes: 1000)
        #expect(queue.next() == nil && !queue.isExhausted)
        queue.push(packet(0))
        queue.end()
        #expect(queue.isEnded && !queue.isExhausted)
        #expect(queue.next()?.sequence == 0 && queue.isExhausted)
    }

    @Test func `pushes the oldest out, and the next one says how many`() {
        let queue = PacketQueue(frames: 3 * 480, bytes: 1000)
        for number in 0..<10 { queue.push(packet(UInt32(number))) }
        let next = queue.next()
        #expect(next?.sequence == 7 && next?.lostPackets == 7 && next?.flags == .loss)
        #expect(
            queue.next()?.flags == []
                && queue.counts == PacketQueue.Counts(lostPackets: 7, lostFrames: 7 * 480))
    }

    @Test func `loses no sound to gaps, however many there are at once, nor to what they cut short`() {
        let queue = PacketQueue(frames: 3 * 480, bytes: 1000)
        for number: UInt32 in 0..<60 {
            queue.push(
                StreamPacket(
                    sequence: 2 * number, firstFrame: UInt64(number) * 100, frames: 24, wallNanoseconds: 0, payload: [1]
                ))
            queue.push(
                StreamPacket(
                    flags: .gap, sequence: 2 * number + 1, firstFrame: UInt64(number) * 100 + 24, frames: 76,
                    wallNanoseconds: 0, payload: []))
        }
        #expect(queue.count == 120 && queue.counts == PacketQueue.Counts())
        queue.push(packet(120))
        // Twenty that were cut short make room for a whole one, and go with the gaps between them.
        #expect(queue.counts == PacketQueue.Counts(lostPackets: 39, lostFrames: 480))
    }

    @Test func `is bounded in bytes too, but for one packet`() {
        let queue = PacketQueue(frames: 100 * 480, bytes: 100)
        for number in 0..<20 { queue.push(packet(UInt32(number), bytes: 30)) }
        #expect(queue.count == 3)
        queue.push(packet(20, bytes: 5000))
        #expect(queue.count == 1 && queue.next()?.lostPackets == 20)
    }

    @Test func `counts what a target failed to take, and what that would have said`() {
        let queue = PacketQueue(frames: 2 * 480, bytes: 1000)
        for number in 0..<5 { queue.push(packet(UInt32(number))) }
        let failed = queue.next()
        #expect(failed?.lostPackets == 3)
        if let failed { queue.lose(failed) }
        #expect(queue.next()?.lostPackets == 4 && queue.counts.lostPackets == 4)
        queue.push(packet(9))
        queue.loseAll()
        #expect(queue.counts.lostPackets == 5 && queue.count == 0)
    }

    @Test func `keeps its memory however long it runs`() {
        let queue = PacketQueue(frames: 50 * 480, bytes: 10_000)
        var taken = 0
        for number in 0..<100_000 {
            queue.push(packet(UInt32(number)))
            if number % 3 != 0, queue.next() != nil { taken += 1 }
        }
        #expect(taken + queue.count + Int(queue.counts.lostPackets) == 100_000)
    }

    @Test func `tries again soon, then less and less often, and not all senders at once`() {
        var generator = SystemRandomNumberGenerator()
        var waits: [Double] = []
        var reconnection = Reconnection()
        for _ in 0..<40 { waits.append(reconnection.wait(using: &generator)) }
        for (index, wait) in waits.enumerated() {
            let longest = min(15, 0.5 * Double(1 << min(index, 10)))
            #expect(wait >= longest / 2 && wait <= longest)
        }
        #expect(Set(waits).count > 30)
        reconnection.succeed()
        #expect(reconnection.wait(using: &generator) <= 0.5)
    }
}
