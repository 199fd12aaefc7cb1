import AudioDSP
import AudioIO
import AudioRealtime
import Jack
import TestSupport
import Testing

extension OnServer {
    @Suite("What goes through a unit") struct SignalTests {
        static let shapes = Shape.memoryless

        @Test(arguments: shapes, [false, true])
        func `comes out as the formula says, in real time and in freewheel`(shape: Shape, freewheels: Bool) throws {
            let server = try Server(ServerConfiguration(patient: 256))
            defer { server.stop() }
            var generator = SeededGenerator(seed: 1)
            let signals = (0..<2).map { _ in generator.signal(count: 10_007, magnitude: 1.5) }
            let passage = try Passage(
                on: server, signals, length: 40_000,
                UnitConfiguration(between: server, channels: 2, shape: shape, gainDecibels: -3, driveDecibels: 7))
            if freewheels { try passage.setFreewheel(true) }
            try passage.run()
            if freewheels { try passage.setFreewheel(false) }

            for channel in 0..<2 {
                let (fed, heard) = passage.pairs(channel)
                // All but what the sink recorded before the feeder began.
                #expect(fed.count > 20_000)
                let error = zip(fed, heard).map { abs(Double($1) - formula($0, passage.unit.setting)) }.max() ?? 1
                #expect(error <= 1e-6)
            }
            passage.unit.stop()
        }

        @Test(arguments: [false, true])
        func `comes out to the bit when bypassed, and the tap delivers the same`(freewheels: Bool) throws {
            let server = try Server(ServerConfiguration(patient: 256))
            defer { server.stop() }
            var generator = SeededGenerator(seed: 2)
            var configuration = UnitConfiguration(
                between: server, channels: 2, shape: .tanh, gainDecibels: 12, driveDecibels: 12)
            configuration.isBypassed = true
            let (passage, error) = try compareWithTap(
                on: server, (0..<2).map { _ in generator.signal(count: 9_973, magnitude: 4) }, configuration,
                freewheels: freewheels)
            #expect(error == 0)
            for channel in 0..<2 {
                let (fed, heard) = passage.pairs(channel)
                #expect(fed.count > 20_000)
                #expect(fed.map(\.bitPattern) == heard.map(\.bitPattern))
            }
        }

        @Test(arguments: [false, true])
        func `is the same at the tap and at the outputs`(freewheels: Bool) throws {
            let server = try Server(ServerConfiguration(patient: 256))
            defer { server.stop() }
            var generator = SeededGenerator(seed: 3)
            let (_, error) = try compareWithTap(
                on: server, (0..<2).map { _ in generator.signal(count: 9_973) },
                UnitConfiguration(between: server, channels: 2, shape: .cubic, gainDecibels: 4), freewheels: freewheels)
            #expect(error == 0)
        }

        /// The largest difference of the tap's samples from those that the sink heard at the same frame times.
        private func compareWithTap(
            on server: Server, _ signals: [[Float]], _ configuration: UnitConfiguration, freewheels: Bool
        ) throws -> (Passage, Float) {
            var content: TapContent?
            let passage = try Passage(on: server, signals, length: 40_000, configuration) { unit in
                // All of it: a freewheeling server is minutes ahead before a test that is held up goes on.
                content = try TapContent(unit.addTap(capacityFrames: 1 << 17), limit: 1 << 24)
            }
            let tap = try #require(content)
            if freewheels { try passage.setFreewheel(true) }
            try passage.run()
            let position = try passage.positions()
            let notes = passage.sink.notes
            let first = try #require(notes.first)
            let last = try #require(notes.last)
            #expect(notes.isContinuous)
            let start = position(first.frameTime)
            let end = position(last.frameTime) + last.frames
            try waitUntil("the tap has delivered what the sink heard") { tap.count >= end }
            if freewheels { try passage.setFreewheel(false) }
            passage.unit.stop()
            let channels = tap.finish()
            #expect(tap.droppedFrames == 0)
            #expect(end - start == passage.sink.passed)
            var error: Float = 0
            for channel in channels.indices {
                let heard = passage.sink.signal(channel)
                for frame in 0..<(end - start) {
                    error = max(error, abs(channels[channel][start + frame] - heard[frame]))
                }
            }
            #expect(passage.sink.signal().contains { $0 != 0 })
            return (passage, error)
        }

        @Test func `is treated the same in a period of 8192 frames`() throws {
            let server = try Server(ServerConfiguration(sync: 8192))
            defer { server.stop() }
            var generator = SeededGenerator(seed: 4)
            let passage = try Passage(
                on: server, [generator.signal(count: 30_011)], length: 8192 * 6,
                UnitConfiguration(between: server, shape: .tanh, driveDecibels: 6))
            try passage.setFreewheel(true)
            try passage.run()
            try passage.setFreewheel(false)
            let (fed, heard) = passage.pairs()
            #expect(fed.count >= 8192)
            #expect(zip(fed, heard).allSatisfy { abs(Double($1) - formula($0, passage.unit.setting)) <= 1e-6 })
            passage.unit.stop()
        }

        @Test func `has no denormals where it is changed`() throws {
            let server = try Server(ServerConfiguration(patient: 64))
            defer { server.stop() }
            let denormal = Float.leastNormalMagnitude / 4
            let passage = try Passage(
                on: server, [[denormal]], length: 4096,
                UnitConfiguration(between: server, shape: .off, gainDecibels: 6))
            try passage.run()
            let (fed, heard) = passage.pairs()
            #expect(fed.count >= 64)
            #expect(fed.allSatisfy { $0.bitPattern == denormal.bitPattern })
            #expect(heard.allSatisfy { $0.bitPattern == 0 }, "the audio thread flushes them to zero")
            passage.unit.stop()
        }

        @Test(arguments: [1, 2, 64])
        func `stays in its channel`(channels: Int) throws {
            let server = try Server(ServerConfiguration(sync: 256))
            defer { server.stop() }
            // Integers below 2²⁴, which differ from channel to channel at every place.
            let signals = (0..<channels).map { (channel: Int) -> [Float] in
                let first = channel * 10_000 + 1
                return (first..<first + 1009).map(Float.init)
            }
            var configuration = UnitConfiguration(between: server, channels: channels)
            configuration.isBypassed = true
            let passage = try Passage(on: server, signals, length: 8192, configuration)
            try passage.setFreewheel(true)
            try passage.run()
            try passage.setFreewheel(false)
            for channel in 0..<channels {
                let (fed, heard) = passage.pairs(channel)
                #expect(fed.count >= 256)
                #expect(fed == heard)
            }
            passage.unit.stop()
        }
    }
}

extension Passage {
    func setFreewheel(_ isOn: Bool) throws {
        try sink.withClient { try $0.setFreewheel(isOn) }
    }
}
