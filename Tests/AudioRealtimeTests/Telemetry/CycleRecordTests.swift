import AudioRealtime
import TestSupport
import Testing

@Suite("The record of a cycle")
struct CycleRecordTests {
    @Test("holds the cycle's times, frames and place, for each cycle one, in order")
    func everyCycleIsRecorded() {
        let device = FakeDevice()
        device.frameTime = UInt32.max - 100
        let periods = [64, 0, 1, 8193, 20_000, 64]
        var wanted: [CycleRecord] = []
        var position: UInt64 = 0
        for (number, frames) in periods.enumerated() {
            device.renderNanoseconds = UInt64(1000 * (number + 1))
            device.isFreewheeling = number % 2 == 1
            var record = CycleRecord()
            record.entryNanoseconds = device.nanoseconds
            record.exitNanoseconds = device.nanoseconds + device.renderNanoseconds
            record.frameTime = device.frameTime
            record.frames = UInt32(frames)
            record.sampleRate = 48_000
            record.position = position
            record.isFreewheeling = device.isFreewheeling
            wanted.append(record)
            position += UInt64(frames)
            device.cycle(frames: frames)
        }
        #expect(device.takeRecords() == wanted)
        #expect(device.frameTime < 100_000, "JACK's frame clock wrapped around on the way")
    }

    @Test("tells how many records before it were lost, and where in the stream it is all the same")
    func lostRecordsAreCounted() {
        let device = FakeDevice(recordCapacity: 3)
        for _ in 0..<10 { device.cycle(frames: 64) }
        let kept = device.takeRecords()
        #expect(kept.map(\.position) == [0, 64, 128])
        #expect(kept.map(\.lostRecords) == [0, 0, 0])
        device.cycle(frames: 64)
        device.cycle(frames: 64)
        let next = device.takeRecords()
        #expect(next.map(\.position) == [640, 704])
        #expect(next.map(\.lostRecords) == [7, 7])
    }
}
