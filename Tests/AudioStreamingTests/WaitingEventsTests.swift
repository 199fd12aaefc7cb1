import Testing

@testable import AudioStreaming

@Suite("What waits for the stream before it") struct WaitingEventsTests {
    private func packet(_ number: Int, bytes: Int) -> SourceEvent {
        .packet(
            StreamPacket(
                sequence: UInt32(number), firstFrame: 0, frames: 1, wallNanoseconds: 0,
                payload: [UInt8](repeating: 0, count: bytes)), nanoseconds: 0)
    }

    private func numbers(_ events: [SourceEvent]) -> [UInt32] {
        events.compactMap { if case .packet(let packet, _, _) = $0 { packet.sequence } else { nil } }
    }

    @Test func `is bounded in bytes: the oldest packets go and are counted, and what else there is stays`() {
        var waiting = WaitingEvents(byteLimit: 64 << 10)
        waiting.append(.ended)
        for number in 0..<100 { waiting.append(packet(number, bytes: 1 << 10)) }
        let events = waiting.take()
        let kept = numbers(events)
        #expect(kept == Array(UInt32(100 - kept.count)..<100) && (40...64).contains(kept.count))
        #expect(waiting.droppedPackets == 100 - kept.count)
        guard case .ended? = events.first else { return #expect(Bool(false)) }
        #expect(waiting.isEmpty)
    }

    @Test func `keeps what a decoder needs first, and is bounded where nothing else comes`() {
        let header = SourceEvent.packet(
            StreamPacket(
                flags: .header, sequence: 0, firstFrame: 0, frames: 0, wallNanoseconds: 0,
                payload: [UInt8](repeating: 7, count: 1 << 10)), nanoseconds: 0)
        var waiting = WaitingEvents(byteLimit: 64 << 10)
        waiting.append(header)
        for number in 1...100 { waiting.append(packet(number, bytes: 1 << 10)) }
        let dropped = waiting.droppedPackets
        let kept = numbers(waiting.take())
        #expect(kept.first == 0 && dropped > 0 && dropped == 101 - kept.count)
        for _ in 0..<1000 { waiting.append(header) }
        #expect(waiting.take().count < 64 && waiting.droppedPackets == dropped)
    }

    @Test func `is bounded in number, whatever it is`() {
        var waiting = WaitingEvents()
        for _ in 0..<20_000 { waiting.append(.ended) }
        #expect(waiting.take().count <= 8192 && waiting.droppedPackets == 0)
        for number in 0..<20_000 { waiting.append(packet(number, bytes: 0)) }
        #expect(numbers(waiting.take()).last == 19_999 && waiting.droppedPackets > 20_000 - 8193)
    }
}
