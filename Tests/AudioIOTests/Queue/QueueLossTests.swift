import AudioIO
import AudioRealtime
import Glibc
import Jack
import TestSupport
import Testing

extension OnServer {
    @Suite("A queue whose worker is held up") struct QueueLossTests {
        /// On the first channel the sink hears the number that the feeder gave a frame, on the second one the number
        /// that it has among all frames that the unit took. All that is silent on the second was inserted.
        private static func number(_ buffer: inout QueueBuffer) {
            let position = Int(buffer.position)
            buffer.withSamples(of: 1) { samples in
                for frame in samples.indices { samples[frame] = Float(position + frame + 1) }
            }
        }

        /// Frames that were dropped before the last buffer that the worker was called back with, by its records alone.
        private static func dropped(in passage: QueuePassage) -> UInt64? {
            guard let origin = passage.cycles.all.first?.frameTime, let last = passage.buffers.last else { return nil }
            return UInt64(last.frameTime &- origin) - last.position
        }

        @Test func `inserts silence and drops input as counted, and is in order and on time afterwards`() throws {
            let server = try Server(ServerConfiguration(patient: 256))
            defer { server.stop() }
            let gate = Gate()
            defer { gate.open() }
            var configuration = QueueUnderTest(between: server, frames: 200, count: 9, channels: 2)
            configuration.isRealtime = true
            // Room for all that the feeder has: a busy machine needs seconds for each round.
            let passage = try QueuePassage(
                on: server, [counter, [Float](repeating: 0, count: counter.count)], length: counter.count, configuration
            ) { buffer in
                gate.pass()
                Self.number(&buffer)
            }
            // Not before both channels are connected: each takes a request of its own, and cycles go by between them.
            passage.sink.roll()
            passage.feeder.roll()
            let unit = passage.unit
            try waitUntil("the feeder is heard") { passage.sink.heard > 0 }
            for _ in 0..<3 {
                let before = unit.statistics
                gate.shut()
                try waitUntil("silence is inserted") { unit.statistics.insertedFrames > before.insertedFrames + 1500 }
                gate.open()
                try waitUntil("as much input was dropped, and buffers tell of it") {
                    // In this order: the worker has returned that buffer, so no more silence can come before it. Where
                    // the counts agree with it afterwards, it is heard on time.
                    let dropped = Self.dropped(in: passage)
                    let statistics = unit.statistics
                    return statistics.insertedFrames == statistics.droppedFrames && dropped == statistics.droppedFrames
                }
            }
            try unit.stopWhenDrained()
            let statistics = unit.statistics
            #expect(statistics.insertedFrames > 4500)

            let notes = passage.sink.notes
            try #require(notes.isContinuous && passage.feeder.notes.isContinuous && !passage.sink.isFull)
            let origin = try #require(passage.cycles.all.first?.frameTime)
            let start = Int(Int32(bitPattern: try #require(notes.first).frameTime &- origin))
            let fed = Int(Int32(bitPattern: try #require(passage.feeder.notes.first).frameTime &- origin))
            let numbers = passage.sink.signal(0).prefix(passage.sink.passed).map { Int($0) }
            let places = passage.sink.signal(1).prefix(passage.sink.passed).map { Int($0) }

            // Every frame that was taken is heard, once and in order.
            let taken = try #require(passage.buffers.last)
            let sound = places.filter { $0 > 0 }
            #expect(sound.last == Int(taken.position) + Int(taken.frames))
            #expect(zip(sound, sound.dropFirst()).allSatisfy { $0 + 1 == $1 })

            // So much later than its turn was each frame heard: as much silence came before it.
            let late = places.enumerated().compactMap { index, place in
                place == 0 ? nil : start + index - (place - 1) - unit.latencyFrames
            }
            #expect(late.allSatisfy { $0 >= 0 } && zip(late, late.dropFirst()).allSatisfy { $0 <= $1 })
            #expect(late.last == Int(statistics.insertedFrames))

            // What is missing of the feeder's numbers was dropped, and after the last loss all is as old as at first.
            let heard = numbers.filter { $0 > 0 }
            let first = try #require(heard.first)
            let last = try #require(heard.last)
            #expect(zip(heard, heard.dropFirst()).allSatisfy { $0 < $1 })
            let soundStart = try #require(numbers.firstIndex { $0 > 0 })
            let droppedBefore = fed + first - places[soundStart]
            let missing = last - first + 1 - heard.count
            #expect(droppedBefore + missing == Int(statistics.droppedFrames))
            let ages = numbers.indices.dropFirst(soundStart).compactMap { index -> (age: Int, late: Int)? in
                let time = start + index
                return numbers[index] == 0
                    ? nil : (time - (fed + numbers[index] - 1), time - (places[index] - 1) - unit.latencyFrames)
            }
            #expect(ages.allSatisfy { $0.age >= unit.latencyFrames })
            #expect(ages.contains { $0.late > 4500 && $0.age == unit.latencyFrames })
        }

        @Test func `notices a period for which its queue is too small, and recovers when that is over`() throws {
            let server = try Server(ServerConfiguration(patient: 64))
            defer { server.stop() }
            let passage = try QueuePassage(
                on: server, [counter, [Float](repeating: 0, count: counter.count)], length: 1 << 20,
                QueueUnderTest(between: server, frames: 100, channels: 2), process: Self.number
            ) {
                $0.sink.roll()
                $0.feeder.roll()
            }
            let unit = passage.unit
            for frames in [16, 1024, 100, 256, 64] {
                try passage.sink.withClient { try $0.setPeriod(frames: frames) }
                try waitUntil("a cycle of \(frames) frames is rendered") { unit.lastCycle?.frames == UInt32(frames) }
                #expect(unit.latencyFrames == 200)
                let before = unit.statistics
                if frames > 200 {
                    try waitUntil("silence is inserted") { unit.statistics.insertedFrames > before.insertedFrames }
                } else {
                    try passage.settle()
                    try passage.sink.waitForCycles(50)
                }
            }
            try passage.settle()
            try unit.stopWhenDrained()
            #expect(unit.statistics.insertedFrames > 0)
            let places = passage.sink.signal(1).prefix(passage.sink.passed).filter { $0 > 0 }
            let taken = try #require(passage.buffers.last)
            #expect(places.last == Float(Int(taken.position) + Int(taken.frames)))
            #expect(zip(places, places.dropFirst()).allSatisfy { $0 + 1 == $1 }, "all is heard, in order")
            let heard = passage.sink.signal(0).prefix(passage.sink.passed).filter { $0 > 0 }
            #expect(zip(heard, heard.dropFirst()).allSatisfy { $0 < $1 })
        }
    }
}
