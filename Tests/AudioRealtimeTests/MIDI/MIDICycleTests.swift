import AudioRealtime
import TestSupport
import Testing

@Suite("The MIDI of a cycle") struct MIDICycleTests {
    private func note(_ number: UInt8, at frame: Int) -> MIDIEvent {
        MIDIEvent(MIDIMessage(0x90, number, 100), atFrame: frame)
    }

    private final class Rig {
        let cell = Cell(MIDICycle())
        var number: UInt64 { cell.pointer.pointee.number }
        var sent: [MIDIEvent] {
            var events: [MIDIEvent] = []
            while let event = cell.pointer.pointee.made[events.count] { events.append(event) }
            return events
        }
        func begin() { cell.pointer.pointee.begin() }
        func listen() { cell.pointer.pointee.listen() }
        func send(_ event: MIDIEvent) -> Bool { cell.pointer.pointee.made.insert(event) }
        func receive(_ event: MIDIEvent) -> Bool { cell.pointer.pointee.arrived.insert(event) }
        func received(_ place: Int) -> MIDIEvent? { cell.pointer.pointee.arrived[place] }
    }

    @Test func `messages of several nodes leave in the order of their frames, those of one frame as they came`() {
        let cycle = Rig()
        cycle.begin()
        for (number, frame) in [0, 40, 40, 200, 0, 40, 199, 255].enumerated() {
            #expect(cycle.send(note(UInt8(number), at: frame)))
        }
        #expect(cycle.sent.map(\.frame) == [0, 0, 40, 40, 40, 199, 200, 255])
        #expect(cycle.sent.map(\.message.first) == [0, 4, 1, 2, 5, 6, 3, 7])
    }

    @Test func `what finds no room is refused, and the next cycle is empty`() {
        let cycle = Rig()
        #expect(cycle.number == 0)
        cycle.begin()
        for place in 0..<MIDICycle.capacity {
            #expect(cycle.send(note(1, at: place)) && cycle.receive(note(2, at: place)))
        }
        #expect(!cycle.send(note(3, at: 0)) && !cycle.receive(note(3, at: 0)))
        #expect(cycle.sent.count == MIDICycle.capacity && cycle.received(MIDICycle.capacity) == nil)
        #expect(cycle.received(5) == note(2, at: 5) && cycle.received(-1) == nil)
        cycle.begin()
        #expect(cycle.number == 2 && cycle.sent.isEmpty && cycle.received(0) == nil)
    }

    @Test func `a port hands over what came with its frame, and counts what the nodes have no room for`() {
        let nodes = Rig()
        let controlEnd = MIDIControlEnd(nodes.cell)
        func come(_ bytes: [UInt8], at frame: Int) {
            bytes.withUnsafeBufferPointer { bytes in
                guard let base = bytes.baseAddress else { return }
                controlEnd.audioEnd.pointer.pointee.take(base, count: bytes.count, atFrame: frame)
            }
        }
        nodes.listen()
        controlEnd.audioEnd.pointer.pointee.begin()
        for frame in 0..<MIDICycle.capacity { come([0x90, 60, 1], at: frame) }
        #expect(controlEnd.statistics.received == 1024 && controlEnd.statistics.dropped == 0)
        come([0x90, 61, 1], at: 7)
        come([0xf8], at: 8)
        come([0x90, 60], at: 9)
        let statistics = controlEnd.statistics
        #expect(statistics.dropped == 1 && statistics.ignored == 1 && statistics.malformed == 1)
        #expect(nodes.received(100)?.frame == 100)
        controlEnd.audioEnd.pointer.pointee.begin()
        come([0xc3, 5], at: 11)
        #expect(nodes.received(0) == MIDIEvent(MIDIMessage(0xc3, 5), atFrame: 11))
        #expect(nodes.received(1) == nil)
        // What nodes make comes once, behind what is rendered.
        #expect(nodes.send(note(9, at: 30)))
        #expect(controlEnd.audioEnd.pointer.pointee.nextOfNodes() == note(9, at: 30))
        #expect(controlEnd.audioEnd.pointer.pointee.nextOfNodes() == nil)
    }

    @Test func `what one of them has no room for is lost only where that one is there`() {
        let nodes = Rig()
        let controlEnd = MIDIControlEnd(nodes.cell)
        func come(_ count: Int) {
            controlEnd.audioEnd.pointer.pointee.begin()
            let bytes: [UInt8] = [0x90, 60, 1]
            bytes.withUnsafeBufferPointer { bytes in
                guard let base = bytes.baseAddress else { return }
                for frame in 0..<count {
                    controlEnd.audioEnd.pointer.pointee.take(base, count: bytes.count, atFrame: frame)
                }
            }
        }
        // More than have room in a cycle, and less than wait for the control thread.
        come(MIDICycle.capacity + 100)
        #expect(controlEnd.statistics.dropped == 0, "no node listens")
        while controlEnd.take() != nil {}
        nodes.listen()
        come(MIDICycle.capacity + 100)
        #expect(controlEnd.statistics.dropped == 100, "a node listened in the cycle before")
        controlEnd.leaveToNodes()
        for _ in 0..<10 { come(1000) }
        #expect(controlEnd.statistics.dropped == 100, "nobody takes what comes")
        #expect(controlEnd.statistics.received == UInt64(2 * MIDICycle.capacity + 100 + 10_000))
    }
}
