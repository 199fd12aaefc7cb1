import AudioRealtime
import Testing

@Suite("A unit that only notes its cycles") struct RecordTests {
    @Test func `notes each with its times and its place`() {
        let ring = Ring<CycleRecord>(capacity: 16)
        var records = ring.consumer
        var unit = RenderUnit(.none, records: ring.producer)
        for cycle in 0..<10 as Range<UInt64> {
            realtime {
                unit.render(
                    frames: 64, frameTime: 0xFFFF_FFC0 &+ UInt32(cycle) * 64, entryNanoseconds: 1000 * cycle)
                unit.finish(exitNanoseconds: 1000 * cycle + 7)
            }
        }
        for cycle in 0..<10 as Range<UInt64> {
            var expected = CycleRecord()
            expected.entryNanoseconds = 1000 * cycle
            expected.exitNanoseconds = 1000 * cycle + 7
            expected.frameTime = 0xFFFF_FFC0 &+ UInt32(cycle) * 64
            expected.frames = 64
            expected.position = cycle * 64
            #expect(records.pop() == expected)
        }
        #expect(records.pop() == nil)
    }

    @Test func `counts what finds no room, and goes on`() throws {
        let ring = Ring<CycleRecord>(capacity: 4)
        var records = ring.consumer
        var unit = RenderUnit(.none, records: ring.producer)
        func note(_ cycle: UInt64) {
            unit.render(frames: 64, frameTime: 0, entryNanoseconds: cycle)
            unit.finish(exitNanoseconds: cycle)
        }
        for cycle in 0..<7 as Range<UInt64> { note(cycle) }
        for cycle in 0..<4 as Range<UInt64> {
            let record = records.pop()
            #expect(try #require(record).entryNanoseconds == cycle)
        }
        note(7)
        let last = records.pop()
        let next = try #require(last)
        #expect(next.entryNanoseconds == 7)
        #expect(next.lostRecords == 3)
        #expect(next.position == 7 * 64)
    }
    /// PipeWire's libjack says 2³² − 1 as long as it knows none.
    @Test(arguments: [0, 4_294_967_295]) func `begins at no rate that no server runs at`(_ sampleRate: Int) throws {
        let ring = Ring<CycleRecord>(capacity: 4)
        var records = ring.consumer
        var unit = RenderUnit(.none, records: ring.producer)
        unit.begin(sampleRate: 48_000)
        unit.begin(sampleRate: sampleRate)
        unit.render(frames: 64, frameTime: 0, entryNanoseconds: 0)
        unit.finish(exitNanoseconds: 1)
        let record = records.pop()
        #expect(try #require(record).sampleRate == 48_000)
    }
}
