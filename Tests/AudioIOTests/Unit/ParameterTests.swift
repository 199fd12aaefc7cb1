import AudioDSP
import AudioIO
import AudioRealtime
import Jack
import TestSupport
import Testing
import Threads

extension OnServer {
    /// The input is constant here, so that every step of the output is the unit's own doing.
    @Suite("A parameter") struct ParameterTests {
        static let input: Float = 0.5
        static let ramp = 480

        /// A change of a running unit.
        enum Change: String, CaseIterable {
            case gainUp, gainDown, mute, unmute, bypass, shape, makeUpGain

            func prepare(_ unit: IOUnit) { if self == .unmute { unit.setMute(true) } }

            func make(_ unit: IOUnit) {
                switch self {
                case .gainUp: unit.setGain(decibels: 12)
                case .gainDown: unit.setGain(linear: 0.125)
                case .mute: unit.setMute(true)
                case .unmute: unit.setMute(false)
                case .bypass: unit.setBypass(true)
                case .shape: unit.setShape(.off)
                case .makeUpGain: unit.setMakeUpGain(true)
                }
            }
        }

        @Test(arguments: Change.allCases)
        func `that changes while the unit runs makes no sample jump beyond the ramp`(change: Change) throws {
            let server = try Server(ServerConfiguration(patient: 64))
            defer { server.stop() }
            var configuration = UnitConfiguration(between: server, shape: .hard, driveDecibels: 6)
            configuration.rampMilliseconds = 10
            if change == .gainUp || change == .gainDown { configuration.shape = .off }
            // Room for some seconds: a machine that stands still makes the change late.
            let passage = try Passage(
                on: server, [[Self.input]], length: 1 << 19, configuration, prepare: change.prepare)
            let before = formula(Self.input, passage.unit.setting)
            passage.feeder.roll()
            try waitUntil("the old value is heard") { abs(Double(passage.sink.heard) - before) < 1e-6 }
            passage.sink.roll()
            try passage.sink.waitForCycles()
            change.make(passage.unit)
            let after = formula(Self.input, passage.unit.setting)
            try waitUntil("the new value is heard") { abs(Double(passage.sink.heard) - after) < 1e-6 }
            try passage.sink.waitForCycles()

            // It still records: what has come by now is whole.
            let passed = passage.sink.passed
            let heard = Array(passage.sink.signal().prefix(passed))
            #expect(passage.sink.notes.isContinuous)
            #expect(abs(Double(heard[0]) - before) < 1e-6)
            #expect(abs(Double(heard[heard.count - 1]) - after) < 1e-6)
            #expect(abs(after - before) > 0.1, "the change is one that can be heard")
            let steps = zip(heard, heard.dropFirst()).map { abs(Double($1) - Double($0)) }
            let largest = try #require(steps.max())
            #expect(largest <= abs(after - before) / Double(Self.ramp) + 1e-6)
            // It is a ramp of that length, and not a slower one.
            #expect(steps.filter { $0 > 1e-6 }.count <= Self.ramp)
            passage.unit.stop()
        }

        @Test func `that was set before the start is in force from the first frame on`() throws {
            let server = try Server(ServerConfiguration(sync: 64))
            defer { server.stop() }
            let feeder = try Probe.feeder(on: server, [[Self.input]])
            feeder.roll()
            try feeder.waitForCycles()
            let unit = try IOUnit(UnitConfiguration(between: server, shape: .cubic))
            unit.setShape(.tanh)
            unit.setGain(linear: 0.25)
            unit.setDrive(decibels: 20)
            let tap = try TapContent(unit.addTap(capacityFrames: 1 << 16))
            let sink = try Probe.sink(on: server, channels: 1, length: 64)
            try unit.start()
            let wanted = formula(Self.input, unit.setting)
            try waitUntil("the signal is heard") { abs(Double(sink.heard) - wanted) < 1e-6 }
            unit.stop()
            // Silence until the connection is made and after it is gone; in between the one value.
            let heard = tap.finish()[0]
            #expect(heard.contains { $0 != 0 })
            #expect(heard.allSatisfy { $0 == 0 || abs(Double($0) - wanted) < 1e-6 })
        }

        @Test func `that is set ten thousand times arrives at its last value`() throws {
            let server = try Server(ServerConfiguration(sync: 64))
            defer { server.stop() }
            let passage = try Passage(
                on: server, [[Self.input]], length: 64, UnitConfiguration(between: server, shape: .off))
            passage.feeder.roll()
            for number in 1...10_000 { passage.unit.setGain(linear: Double(number) / 4096) }
            let wanted = 10_000.0 / 4096 * Double(Self.input)
            #expect(abs(formula(Self.input, passage.unit.setting) - wanted) < 1e-6)
            try waitUntil("the last gain of ten thousand is heard") {
                abs(Double(passage.sink.heard) - wanted) < 1e-6
            }
            passage.unit.stop()
        }

        @Test func `set from eight threads at once ends as the unit says`() throws {
            let server = try Server(ServerConfiguration(sync: 64))
            defer { server.stop() }
            let passage = try Passage(
                on: server, [[Self.input]], length: 64, UnitConfiguration(between: server, shape: .cubic))
            passage.feeder.roll()
            let unit = passage.unit
            // What is constant does not come through the other one.
            let shapes = Shape.memoryless
            let threads = try (1...8).map { thread in
                try Worker("test-set-\(thread)") {
                    for number in 1...1000 {
                        unit.setGain(linear: Double(thread) + Double(number) / 1000)
                        unit.setDrive(decibels: -Double(thread))
                        unit.setShape(shapes[(thread + number) % shapes.count])
                        unit.setBypass((thread + number) % 3 == 0)
                        unit.setMute(number < 1000 && number % 7 == 0)
                    }
                }
            }
            for thread in threads { thread.join() }
            let parameters = unit.setting
            // Each parameter has the value that one of the threads sent last.
            #expect((1...8).contains { parameters.gain == Float($0 + 1) })
            #expect((1...8).contains { parameters.drive == Float(Decibels.linear(-Double($0))) })
            #expect(!parameters.isMuted)
            let wanted = formula(Self.input, parameters)
            try waitUntil("what is heard is what the unit says") {
                abs(Double(passage.sink.heard) - wanted) < 1e-6
            }
            // And it stays so.
            try passage.sink.waitForCycles(100)
            #expect(abs(Double(passage.sink.heard) - wanted) < 1e-6)
            unit.stop()
        }

        /// The setter ends a little later from time to time, so that its last word comes at any moment of the start.
        @Test func `set while the unit is being started is not lost`() throws {
            let server = try Server(ServerConfiguration(sync: 64))
            defer { server.stop() }
            let passage = try Passage(
                on: server, [[Self.input]], length: 64, UnitConfiguration(between: server, shape: .off))
            passage.feeder.roll()
            let unit = passage.unit
            for round in 0..<24 {
                unit.stop()
                let beginning = MonotonicClock.nanoseconds()
                let setter = try Worker("test-set") {
                    let end = beginning + UInt64(round) * 500_000
                    var number = round
                    repeat {
                        number += 1
                        unit.setGain(linear: 1 + Double(number % 1000) / 1000)
                    } while MonotonicClock.nanoseconds() < end
                }
                defer { setter.join() }
                try unit.start()
                setter.join()
                let wanted = formula(Self.input, unit.setting)
                try waitUntil("the gain that was set during the start is heard") {
                    abs(Double(passage.sink.heard) - wanted) < 1e-6
                }
            }
            unit.stop()
        }

        @Test func `that is no number or out of range is refused or moved to the nearest end`() throws {
            let unit = try IOUnit()
            let before = unit.setting
            unit.setGain(decibels: .nan)
            unit.setGain(linear: .nan)
            unit.setGain(linear: -1)
            unit.setDrive(decibels: .nan)
            #expect(unit.setting == before)
            unit.setGain(decibels: .infinity)
            unit.setDrive(decibels: -.infinity)
            #expect(unit.setting.gain == 1000)
            #expect(abs(unit.setting.drive - 1e-6) < 1e-12)
            unit.setGain(linear: .infinity)
            #expect(unit.setting.gain == 1000)
            unit.setGain(linear: 0)
            #expect(unit.setting.gain == 0)
        }
    }
}
