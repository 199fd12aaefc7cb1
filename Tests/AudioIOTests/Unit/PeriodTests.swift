import AudioIO
import AudioRealtime
import Jack
import TestSupport
import Testing

extension OnServer {
    @Suite("A change of period") struct PeriodTests {
        @Test func `loses and repeats nothing that JACK delivers`() throws {
            let server = try Server(ServerConfiguration(sync: 16))
            defer { server.stop() }
            // Each sample says where it stands in the signal: integers are exact below 2²⁴.
            let counter = (0..<(1 << 20)).map { Float($0 + 1) }
            var configuration = UnitConfiguration(between: server)
            configuration.isBypassed = true
            var content: TapContent?
            let passage = try Passage(on: server, [counter], length: 64, configuration) { unit in
                content = try TapContent(unit.addTap(capacityFrames: 1 << 17))
            }
            let tap = try #require(content)
            passage.feeder.roll()
            var records: [UInt32: CycleRecord] = [:]
            var seen: Set<Int> = []
            for frames in [1024, 16, 1024, 16, 64, 8192, 16] {
                try passage.sink.withClient { try $0.setPeriod(frames: frames) }
                try waitUntil("a cycle of \(frames) frames is rendered") {
                    passage.unit.lastCycle.map { $0.frames == UInt32(frames) } ?? false
                }
                try passage.feeder.waitForCycles(8)
                // The unit's memory of its cycles is limited.
                for note in passage.feeder.notes {
                    if let record = passage.unit.cycle(atFrameTime: note.frameTime) { records[note.frameTime] = record }
                }
                seen.insert(frames)
            }
            #expect(passage.unit.periodFrames == 16)
            passage.unit.stop()
            let heard = tap.finish()[0]
            #expect(tap.droppedFrames == 0)
            #expect(UInt64(heard.count) == passage.unit.statistics.frames)

            var compared: Set<Int> = []
            for note in passage.feeder.notes {
                guard let record = records[note.frameTime], record.frames == UInt32(note.frames) else { continue }
                let start = Int(record.position)
                #expect(Array(heard[start..<(start + note.frames)]) == passage.feeder.block(note))
                compared.insert(note.frames)
            }
            #expect(compared.isSuperset(of: seen))
        }

        @Test func `keeps the telemetry's positions continuous`() throws {
            let server = try Server(ServerConfiguration(sync: 64))
            defer { server.stop() }
            let unit = try IOUnit(UnitConfiguration(alone: server))
            try unit.start()
            let watcher = try Watcher(on: server)
            for frames in [256, 32] {
                try watcher.setPeriod(frames: frames)
                try waitUntil("a cycle of \(frames) frames is rendered") {
                    unit.lastCycle.map { $0.frames == UInt32(frames) } ?? false
                }
                #expect(unit.periodFrames == frames)
            }
            unit.stop()
            let last = try #require(unit.lastCycle)
            #expect(last.position + UInt64(last.frames) == unit.statistics.frames)
        }
    }
}
