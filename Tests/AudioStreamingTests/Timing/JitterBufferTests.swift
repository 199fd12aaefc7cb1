import TestSupport
import Testing

@testable import AudioStreaming

@Suite("The jitter buffer") struct JitterBufferTests {
    private func packet(_ number: Int, frames: Int = 100, flags: StreamPacket.Flags = []) -> JitterBuffer.Packet {
        JitterBuffer.Packet(
            sequence: number, firstFrame: number * 100, frames: frames, flags: flags, payload: [UInt8(number & 255)])
    }

    private func counts(
        received: Int, played: Int, late: Int = 0, lost: Int = 0, duplicate: Int = 0, reordered: Int = 0,
        dropped: Int = 0
    ) -> ReceiverFigures {
        var counts = ReceiverFigures()
        (counts.receivedPackets, counts.playedPackets, counts.latePackets) = (received, played, late)
        (counts.lostPackets, counts.duplicatePackets) = (lost, duplicate)
        (counts.reorderedPackets, counts.droppedPackets) = (reordered, dropped)
        return counts
    }

    @Test func `what comes in order is played as it comes, and nothing waits`() {
        var buffer = JitterBuffer()
        for number in 5..<50 {
            #expect(buffer.insert(packet(number)) == .inOrder)
            #expect(buffer.next(needed: 0) == .packet(packet(number), passedFrames: 0))
            #expect(buffer.next(needed: 0) == nil)
        }
        #expect(buffer.counts == counts(received: 45, played: 45))
    }

    @Test func `a packet that was overtaken is waited for until it is needed`() {
        var buffer = JitterBuffer()
        for number in [0, 2, 3] { _ = buffer.insert(packet(number)) }
        #expect(buffer.next(needed: 0) == .packet(packet(0), passedFrames: 0))
        #expect(buffer.next(needed: 100) == nil)
        #expect(buffer.insert(packet(1)) == .reordered)
        for number in 1...3 { #expect(buffer.next(needed: 100) == .packet(packet(number), passedFrames: 0)) }
        #expect(buffer.counts == counts(received: 4, played: 4, reordered: 1))
    }

    @Test func `what is missing is told of when it is needed, with the packet behind it`() {
        var buffer = JitterBuffer()
        for number in [0, 3] { _ = buffer.insert(packet(number)) }
        _ = buffer.next(needed: 0)
        #expect(buffer.next(needed: 101) == .missing(frames: 100, before: nil))
        #expect(buffer.next(needed: 101) == nil)
        #expect(buffer.next(needed: 250) == .missing(frames: 100, before: packet(3)))
        #expect(buffer.next(needed: 250) == .packet(packet(3), passedFrames: 0))
        #expect(buffer.counts == counts(received: 2, played: 2, lost: 2))
        // One of them comes after all.
        #expect(buffer.insert(packet(1)) == .late)
        #expect(buffer.insert(packet(1)) == .duplicate)
        #expect(
            buffer.counts == counts(received: 4, played: 2, late: 1, lost: 1, duplicate: 1, reordered: 1))
    }

    @Test func `what stands for missing packets is damaged, also when its time is over, and no measure of packets`() {
        var buffer = JitterBuffer()
        _ = buffer.insert(packet(0))
        _ = buffer.next(needed: 0)
        #expect(buffer.next(needed: 200) == .missing(frames: 100, before: nil))
        _ = buffer.insert(JitterBuffer.Packet(sequence: 1, firstFrame: 100, frames: 50, payload: []))
        _ = buffer.insert(JitterBuffer.Packet(sequence: 2, firstFrame: 200, frames: 5000, payload: []))
        guard case .packet(let next, 0)? = buffer.next(needed: 200) else {
            Issue.record("the second is not late")
            return
        }
        #expect(next.sequence == 2 && buffer.counts.damagedPackets == 1 && buffer.counts.latePackets == 0)
        #expect(buffer.next(needed: 6000) == .missing(frames: 100, before: nil))
    }

    @Test func `what a later packet has overtaken is given up when it is told to, and nothing else is`() {
        var buffer = JitterBuffer()
        for number in [0, 2] { _ = buffer.insert(packet(number)) }
        _ = buffer.next(needed: 0)
        #expect(buffer.next(needed: 100, overtaken: 100) == nil)
        #expect(buffer.next(needed: 100, overtaken: 101) == .missing(frames: 100, before: packet(2)))
        #expect(buffer.next(needed: 100, overtaken: 101) == .packet(packet(2), passedFrames: 0))
        #expect(buffer.next(needed: 300, overtaken: 400) == nil)
        #expect(buffer.counts == counts(received: 2, played: 2, lost: 1))
    }

    @Test func `the end of a packet that comes too late is played`() {
        var buffer = JitterBuffer()
        _ = buffer.insert(packet(0))
        _ = buffer.next(needed: 0)
        #expect(buffer.next(needed: 130) == .missing(frames: 30, before: nil))
        _ = buffer.insert(packet(1))
        #expect(buffer.next(needed: 130) == .packet(packet(1), passedFrames: 30))
        #expect(buffer.counts == counts(received: 2, played: 2))
    }

    @Test func `a gap of the sender is no loss, whether a packet or the times say it`() {
        var buffer = JitterBuffer()
        _ = buffer.insert(packet(0))
        _ = buffer.next(needed: 0)
        _ = buffer.insert(
            JitterBuffer.Packet(sequence: 1, firstFrame: 100, frames: 5000, flags: .gap, payload: []))
        #expect(buffer.next(needed: 0) == .gap(frames: 5000))
        // As of RTP: the next number, a later time.
        _ = buffer.insert(JitterBuffer.Packet(sequence: 2, firstFrame: 6000, frames: 100, payload: []))
        #expect(buffer.next(needed: 0) == .gap(frames: 900))
        guard case .packet(let last, 0) = buffer.next(needed: 0) else { return #expect(Bool(false)) }
        #expect(last.sequence == 2 && buffer.counts.lostPackets == 0 && buffer.counts.playedPackets == 3)
    }

    @Test func `a gap of no frames is no piece of its own`() {
        var buffer = JitterBuffer()
        _ = buffer.insert(packet(0))
        _ = buffer.insert(JitterBuffer.Packet(sequence: 1, firstFrame: 100, frames: 0, flags: .gap, payload: []))
        #expect(buffer.next(needed: 0) == .packet(packet(0), passedFrames: 0))
        #expect(buffer.next(needed: 0) == nil)
        #expect(buffer.counts == counts(received: 2, played: 2))
    }

    @Test func `a gap of which is told when its time is over is no late packet`() {
        var buffer = JitterBuffer()
        _ = buffer.insert(packet(0))
        _ = buffer.next(needed: 0)
        while buffer.next(needed: 5100) != nil {}
        _ = buffer.insert(JitterBuffer.Packet(sequence: 1, firstFrame: 100, frames: 5000, flags: .gap, payload: []))
        #expect(buffer.next(needed: 5100) == nil)
        #expect(buffer.counts == counts(received: 2, played: 2))
    }

    @Test func `numbers that have nothing to do with the ones before are told of, whatever they are`() {
        var buffer = JitterBuffer()
        _ = buffer.insert(packet(0))
        #expect(
            buffer.insert(JitterBuffer.Packet(sequence: 5000, firstFrame: 100, frames: 1, payload: [])) == .unrelated)
        #expect(
            buffer.insert(JitterBuffer.Packet(sequence: 1, firstFrame: 1 << 62, frames: 1, payload: [])) == .unrelated)
        // The time goes back, and the numbers go on.
        let earlier = JitterBuffer.Packet(sequence: 1, firstFrame: -40_000, frames: 100, payload: [])
        #expect(buffer.insert(earlier) == .unrelated)
        #expect(buffer.counts.receivedPackets == 1)
    }

    @Test(arguments: [1, 480]) func `a hole of hours that is overdue is a few pieces, with the packet behind it`(
        frames: Int
    ) {
        var buffer = JitterBuffer()
        let hole = 1 << 31
        let behind = JitterBuffer.Packet(sequence: 2, firstFrame: frames + hole, frames: frames, payload: [1])
        _ = buffer.insert(JitterBuffer.Packet(sequence: 0, firstFrame: 0, frames: frames, payload: [1]))
        _ = buffer.insert(behind)
        // Within the hole, missing frames are reported as far as they are needed.
        _ = buffer.next(needed: 0)
        #expect(buffer.next(needed: frames + 1) == .missing(frames: frames, before: nil))
        var (pieces, missing) = (0, frames)
        while pieces < 1000, case .missing(let count, let next) = buffer.next(needed: behind.endFrame) {
            (pieces, missing) = (pieces + 1, missing + count)
            #expect(next == (missing == hole ? behind : nil))
        }
        #expect(missing == hole && pieces < 10)
        // Where nothing is behind it either.
        #expect(buffer.next(needed: 1 << 40) == .missing(frames: 1 << 40 - behind.endFrame, before: nil))
        #expect(buffer.counts == counts(received: 2, played: 2, lost: 1))
    }

    @Test(arguments: [StreamPacket.Flags(), .gap])
    func `more bytes than may wait let the oldest go, and their time is silence`(
        flags: StreamPacket.Flags
    ) {
        var buffer = JitterBuffer(byteLimit: 10_000)
        _ = buffer.insert(packet(0))
        _ = buffer.next(needed: 0)
        // The first is missing, so that all others wait.
        for number in 2..<50 {
            _ = buffer.insert(
                JitterBuffer.Packet(
                    sequence: number, firstFrame: number * 100, frames: 100, flags: flags,
                    payload: [UInt8](repeating: 0, count: 1000)))
        }
        #expect(buffer.waiting == 9 && buffer.counts.droppedPackets == 39 && buffer.counts.lostPackets == 1)
        var (missing, rest) = (0, 0)
        while let piece = buffer.next(needed: 5000) {
            switch piece {
            case .missing(let frames, _): missing += frames
            case .packet(let packet, _): rest += packet.frames
            case .gap(let frames): rest += frames
            }
        }
        #expect(missing == 4000 && rest == 900)
        #expect(buffer.counts == counts(received: 49, played: 10, lost: 1, dropped: 39))
    }

    /// Against the sums that must hold, for networks of all kinds.
    @Test(arguments: 0..<20) func `every packet and every frame is accounted for`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let loss = Double.random(in: 0...0.3, using: &generator)
        let spread = Int.random(in: 0...12, using: &generator)
        var arrivals: [(time: Int, number: Int)] = []
        var sent = Set<Int>()
        for number in 0..<2000 {
            guard number == 0 || Double.random(in: 0..<1, using: &generator) >= loss else { continue }
            sent.insert(number)
            arrivals.append((number + (number == 0 ? 0 : Int.random(in: 0...spread, using: &generator)), number))
            if number > 0, Int.random(in: 0..<20, using: &generator) == 0 {
                arrivals.append((number + Int.random(in: 0...spread, using: &generator), number))
            }
        }
        arrivals.sort { ($0.time, $0.number) < ($1.time, $1.number) }
        var buffer = JitterBuffer()
        var (frames, made, next) = (0, 0, 0)
        func take(_ needed: Int) {
            while let piece = buffer.next(needed: needed) {
                switch piece {
                case .packet(let packet, let passed):
                    #expect(packet.firstFrame + passed == frames)
                    frames += packet.frames - passed
                case .missing(let count, _):
                    frames += count
                    made += count
                case .gap(let count): frames += count
                }
            }
        }
        for time in 0..<2020 {
            while next < arrivals.count, arrivals[next].time <= time {
                _ = buffer.insert(packet(arrivals[next].number))
                next += 1
            }
            take((time - 5) * 100)
        }
        let counts = buffer.counts
        let highest = sent.max() ?? 0
        #expect(counts.receivedPackets == arrivals.count)
        #expect(counts.receivedPackets == counts.playedPackets + counts.latePackets + counts.duplicatePackets)
        #expect(counts.playedPackets + counts.latePackets + counts.lostPackets == highest + 1)
        #expect(counts.lostPackets == highest + 1 - sent.count)
        #expect(frames - made == counts.playedPackets * 100)
    }

    @Test func `more packets than may wait let the oldest go, however small they are`() {
        var buffer = JitterBuffer()
        _ = buffer.insert(packet(0))
        _ = buffer.next(needed: 0)
        // The first is missing, so that all others wait.
        let count = JitterBuffer.mostPackets + 10
        for number in 2..<(2 + count) {
            _ = buffer.insert(
                JitterBuffer.Packet(sequence: number, firstFrame: number * 100, frames: 100, payload: []))
        }
        #expect(buffer.waiting == JitterBuffer.mostPackets && buffer.counts.droppedPackets == 10)
    }

    @Test func `numbers of 16 and 32 bits go on beyond their end`() {
        var short = Unwrapper<UInt16>()
        #expect([65534, 65535, 0, 65533, 1].map { short.unwrap($0) } == [65534, 65535, 65536, 65533, 65537])
        var long = Unwrapper<UInt32>()
        #expect([.max, 5, .max - 1].map { long.unwrap($0) } == [4_294_967_295, 4_294_967_301, 4_294_967_294])
    }
}
