import AudioDSP
import AudioIO
import AudioRealtime
import Glibc
import Jack
import Synchronization
import TestSupport
import Testing
import Threads

extension OnServer {
    @Suite("A unit") struct LifeTests {
        /// Starts and stops a unit once, so that what the libraries keep for good is there before anything is counted.
        private func warmUp(_ server: Server) throws -> Holdings {
            let unit = try IOUnit(UnitConfiguration(physical: server))
            try unit.start()
            unit.stop()
            return Holdings()
        }

        private func expectNothingMore(than before: Holdings, on server: Server) throws {
            try before.expectNothingMore()
            #expect(try Watcher(on: server).ports("^iounit").isEmpty)
        }

        @Test func `goes on with a client that is open, and renders nothing before what that waits for is done`() throws
        {
            let server = try Server(ServerConfiguration(sync: 64))
            defer { server.stop() }
            let configuration = UnitConfiguration(alone: server)
            let client = try Client(name: configuration.clientName, server: server.name)
            let unit = try IOUnit(configuration)
            let seen = Mutex<[(ports: Int?, cycles: UInt64?)]>([])
            unit.join(as: client) { [weak unit] in
                // No event tells that nothing happens: a client that was active already would have thirty cycles by then.
                MonotonicClock.sleep(milliseconds: 40)
                let ports = try? Watcher(on: server).ports("^\(configuration.clientName):")
                seen.withLock { $0.append((ports?.count, unit?.statistics.cycles)) }
            }
            for start in [1, 2] {
                try unit.start()
                try waitUntil("it renders") { unit.statistics.cycles > 10 }
                unit.stop()
                try seen.withLock { seen in
                    try #require(seen.count == 1, "start \(start)")
                    #expect(seen[0].ports == 4)
                    #expect(seen[0].cycles == 0)
                }
            }
        }

        /// Reasons for a start to fail.
        enum Obstacle: CaseIterable {
            case noServer, noInput, noOutput, invalidPattern, nameTaken, invalidName

            func place(in configuration: inout UnitConfiguration) {
                switch self {
                case .noServer: configuration.serverName = "iounit-there-is-no-such-server"
                case .noInput: configuration.inputs = .firstOf(["^nobody:", "^nothing:"])
                case .noOutput: configuration.outputs = .firstOf(["^nobody:"])
                case .invalidPattern: configuration.outputs = .firstOf(["("])
                case .nameTaken: configuration.requiresExactName = true
                case .invalidName: configuration.clientName = "a:b"
                }
            }

            func isNamed(by error: UnitError) -> Bool {
                switch (self, error) {
                case (.noServer, .jack(let error)): error.kind == .noServer
                case (.nameTaken, .jack(let error)): error.kind == .nameTaken
                case (.invalidPattern, .jack(let error)), (.invalidName, .jack(let error)):
                    error.kind == .invalidRequest
                case (.noInput, .nothingMatches(let patterns, .output, let available)):
                    patterns == ["^nobody:", "^nothing:"] && available == ["system:capture_1", "system:capture_2"]
                case (.noOutput, .nothingMatches(let patterns, .input, let available)):
                    patterns == ["^nobody:"] && available == ["system:playback_1", "system:playback_2"]
                default: false
                }
            }
        }

        @Test func `that cannot start says why and leaves nothing behind`() async {
            await #expect(processExitsWith: .success) {
                let (tests, server) = (LifeTests(), try Server(ServerConfiguration(sync: 256)))
                defer { server.stop() }
                var before = try tests.warmUp(server)
                for obstacle in Obstacle.allCases where obstacle != .nameTaken {
                    try tests.fail(obstacle, server)
                    try tests.expectNothingMore(than: before, on: server)
                }
                let rival = try Client(name: "iounit", server: server.name).activate()
                before = Holdings()
                try tests.fail(.nameTaken, server)
                #expect(rival.name == "iounit")
                try rival.close()
                try tests.expectNothingMore(than: before, on: server)
            }
        }

        private func fail(_ obstacle: Obstacle, _ server: Server) throws {
            var configuration = UnitConfiguration(physical: server)
            obstacle.place(in: &configuration)
            let unit = try IOUnit(configuration)
            let error = #expect(throws: UnitError.self) { try unit.start() }
            #expect(error.map { obstacle.isNamed(by: $0) } == true, "\(error?.description ?? "no error")")
            #expect(!unit.isRunning)
            #expect(unit.connection == nil)
            #expect(unit.periodFrames == 0)
            #expect(!unit.hasLostServer)
            // Stopping what does not run is nothing.
            unit.stop()
        }

        @Test func `that could not start starts when the obstacle is gone`() throws {
            let server = try Server(ServerConfiguration(sync: 256))
            defer { server.stop() }
            var configuration = UnitConfiguration(physical: server)
            configuration.requiresExactName = true
            let unit = try IOUnit(configuration)
            let rival = try Client(name: "iounit", server: server.name).activate()
            #expect(throws: UnitError.self) { try unit.start() }
            try rival.close()
            try unit.start()
            #expect(unit.connection?.clientName == "iounit")
            unit.stop()
        }

        @Test func `that has stopped is connected to nothing`() throws {
            let server = try Server(ServerConfiguration(sync: 256))
            defer { server.stop() }
            let unit = try IOUnit(UnitConfiguration(physical: server))
            try unit.start()
            #expect(!unit.links.isEmpty)
            unit.stop()
            #expect(unit.links.isEmpty)
        }

        @Test func `whose configuration is out of range is not made`() {
            func error(_ change: (inout UnitConfiguration) -> Void) -> String {
                var configuration = UnitConfiguration()
                change(&configuration)
                do {
                    _ = try IOUnit(configuration)
                    return ""
                } catch {
                    return error.description
                }
            }
            #expect(error { $0.channels = 0 } == "a number of channels of 0 is out of range; use 1 to 256")
            #expect(error { $0.channels = 257 }.contains("257"))
            #expect(error { $0.setting.gain = .nan } == "gain takes a number from -120 to 60 dB")
            #expect(error { $0.setting.gain = 1001 } == "gain takes a number from -120 to 60 dB")
            #expect(error { $0.setting.drive = -1 } == "drive takes a number from -120 to 60 dB")
            #expect(error { $0.rampMilliseconds = -1 }.contains("a ramp in milliseconds"))
            #expect(error { $0.rampMilliseconds = .nan }.contains("a ramp in milliseconds"))
            #expect(error { $0.channels = 1 } == "")
            #expect(error { $0.channels = 256 } == "")
        }

        @Test func `that is started and stopped fifty times, or dropped while it runs, leaves nothing behind`() async {
            await #expect(processExitsWith: .success) {
                let (tests, server) = (LifeTests(), try Server(ServerConfiguration(sync: 256)))
                defer { server.stop() }
                let before = try tests.warmUp(server)
                let unit = try IOUnit(UnitConfiguration(physical: server))
                for _ in 0..<50 {
                    try unit.start()
                    unit.stop()
                }
                try tests.expectNothingMore(than: before, on: server)
                for _ in 0..<10 {
                    let dropped = try IOUnit(UnitConfiguration(physical: server))
                    try dropped.start()
                }
                try tests.expectNothingMore(than: before, on: server)
            }
        }

        @Test func `is in one state at a time`() throws {
            let server = try Server(ServerConfiguration(sync: 256))
            defer { server.stop() }
            let unit = try IOUnit(UnitConfiguration(physical: server))
            #expect(!unit.isRunning)
            try unit.start()
            #expect(unit.isRunning)
            let twice = #expect(throws: UnitError.self) { try unit.start() }
            #expect(twice == .wrongState("the unit runs already"))
            #expect(unit.isRunning, "a second start does not harm the first")
            unit.stop()
            unit.stop()
            #expect(!unit.isRunning)
        }

        @Test func `can be tapped while it runs, and each tap begins with a block`() throws {
            let server = try Server(ServerConfiguration(sync: 256))
            defer { server.stop() }
            let unit = try IOUnit(UnitConfiguration(physical: server))
            try unit.start()
            var positions: [UInt64] = []
            for _ in 0..<6 {
                var tap = unit.addTap(capacityFrames: 512)
                var samples: [Float] = []
                var block: TapBlock?
                try waitUntil("the tap hears a block") {
                    block = tap.readBlock(interleavedInto: &samples)
                    return block != nil
                }
                let first = try #require(block)
                #expect(first.frames == 256 && first.position % 256 == 0)
                positions.append(first.position)
            }
            unit.stop()
            #expect(positions == positions.sorted() && Set(positions).count == 6)
        }

        @Test func `that is restarted keeps its parameters and counts on`() throws {
            let server = try Server(ServerConfiguration(patient: 64))
            defer { server.stop() }
            let feeder = try Probe.feeder(on: server, [[0.5]])
            let sink = try Probe.sink(on: server, channels: 1, length: 64)
            feeder.roll()
            let unit = try IOUnit(UnitConfiguration(between: server, shape: .cubic))
            let tap = try TapContent(unit.addTap(capacityFrames: 1 << 17))
            try unit.start()
            unit.setGain(linear: 0.5)
            unit.setShape(.tanh)
            let parameters = unit.setting
            let wanted = formula(0.5, parameters)
            try waitUntil("the unit is heard") { abs(Double(sink.heard) - wanted) < 1e-6 }
            let before = unit.statistics
            try unit.restart()
            #expect(unit.setting == parameters)
            try waitUntil("the unit is heard again") {
                unit.statistics.cycles > before.cycles && abs(Double(sink.heard) - wanted) < 1e-6
            }
            unit.setGain(linear: 0.25)
            let quieter = formula(0.5, unit.setting)
            try waitUntil("it still obeys") { abs(Double(sink.heard) - quieter) < 1e-6 }
            unit.stop()
            let after = unit.statistics
            #expect(after.frames == after.cycles * 64)
            #expect(after.frameGaps == 0, "the pause between is no gap")
            #expect(UInt64(tap.finish()[0].count) == after.frames)
        }

        @Test func `outlives its server, and another starts on the next one`() throws {
            let server = try Server(ServerConfiguration(sync: 64))
            defer { server.stop() }
            let feeder = try Probe.feeder(on: server, [[0.5]])
            feeder.roll()
            var configuration = UnitConfiguration(alone: server)
            configuration.channels = 1
            configuration.shape = .off
            configuration.inputs = .firstOf(["^feeder:"])
            let unit = try IOUnit(configuration)
            let tap = try TapContent(unit.addTap(capacityFrames: 1 << 16))
            try unit.start()
            // What was connected may be heard a few cycles later.
            try waitUntil("the tap has the feeder") { tap.last == 0.5 }
            #expect(!unit.hasLostServer)
            server.signal(SIGKILL)
            try waitUntil("the unit notices that the server is gone") { unit.hasLostServer }
            #expect(unit.isRunning, "it must be stopped yet")
            unit.setGain(linear: 0.25)
            unit.stop()
            #expect(!unit.isRunning)
            #expect(!unit.hasLostServer)
            let heard = tap.finish()[0]
            #expect(UInt64(heard.count) == unit.statistics.frames)
            #expect(heard.last == 0.5)
            #expect(throws: UnitError.self) { try unit.start() }
            withExtendedLifetime(feeder) {}
        }

        @Test func `starts on another server after the first was killed`() throws {
            var heard: [UInt64] = []
            for _ in 0..<2 {
                let server = try Server(ServerConfiguration(sync: 64))
                defer { server.stop() }
                let unit = try IOUnit(UnitConfiguration(physical: server))
                try unit.start()
                try waitUntil("the unit has rendered a hundred cycles") { unit.statistics.cycles >= 100 }
                server.signal(SIGKILL)
                try waitUntil("the unit notices that the server is gone") { unit.hasLostServer }
                unit.stop()
                heard.append(unit.statistics.cycles)
            }
            #expect(heard.count == 2)
        }

        /// JACK tells a client that freewheeling begins or ends, not that it is on. The unit does not wait for its
        /// taps then, but nothing is lost without being counted.
        @Test func `that is started while the server freewheels counts what its tap drops`() throws {
            let server = try Server(ServerConfiguration(sync: 64))
            defer { server.stop() }
            let sink = try Probe.sink(on: server, channels: 1, length: 64)
            try sink.withClient { try $0.setFreewheel(true) }
            let unit = try IOUnit(UnitConfiguration(alone: server))
            let tap = try TapContent(unit.addTap(capacityFrames: 0))
            try unit.start()
            try waitUntil("the tap has delivered fifty thousand frames") { tap.count >= 50_000 }
            unit.stop()
            let kept = UInt64(tap.finish()[0].count)
            #expect(kept == 1 << 20 || kept + tap.droppedFrames == unit.statistics.frames)
            try sink.withClient { try $0.setFreewheel(false) }
        }

        @Test func `keeps a freewheeling server waiting until its tap is read`() throws {
            let server = try Server(ServerConfiguration(sync: 64))
            defer { server.stop() }
            let sink = try Probe.sink(on: server, channels: 1, length: 64)
            let unit = try IOUnit(UnitConfiguration(alone: server))
            let tap = try TapContent(unit.addTap(capacityFrames: 0), limit: 100_000)
            try unit.start()
            try waitUntil("the unit runs") { unit.statistics.cycles > 0 }
            try sink.withClient { try $0.setFreewheel(true) }
            try waitUntil("the tap has delivered a hundred thousand frames") { tap.count >= 100_000 }
            try sink.withClient { try $0.setFreewheel(false) }
            unit.stop()
            _ = tap.finish()
            #expect(tap.droppedFrames == 0)
        }

        /// A disk, or the reader of a pipe, may stand still for longer than a cycle can wait.
        @Test func `keeps a freewheeling server waiting though a cycle has waited for its tap in vain`() throws {
            let server = try Server(ServerConfiguration(sync: 64))
            defer { server.stop() }
            let sink = try Probe.sink(on: server, channels: 1, length: 64)
            let unit = try IOUnit(UnitConfiguration(alone: server))
            // Has room for ten seconds until the server freewheels.
            let reader = unit.addTap(capacityFrames: 1 << 19)
            let (source, number) = (reader.tap, reader.number)
            try unit.start()
            try sink.withClient { try $0.setFreewheel(true) }
            try waitUntil("a cycle has waited in vain", within: 60) { source.droppedFrames(number) > 0 }
            let tap = try TapContent(reader)
            try waitUntil("the tap has delivered a million frames", within: 60) { tap.count >= 1 << 20 }
            #expect(tap.droppedFrames <= 3 * 64)
            try sink.withClient { try $0.setFreewheel(false) }
            unit.stop()
            _ = tap.finish()
        }

        @Test func `leaves a freewheeling server though nobody reads its tap`() throws {
            let server = try Server(ServerConfiguration(sync: 64))
            defer { server.stop() }
            let sink = try Probe.sink(on: server, channels: 1, length: 64)
            let unit = try IOUnit(UnitConfiguration(alone: server))
            let reader = unit.addTap(capacityFrames: 1 << 19)
            try unit.start()
            try sink.withClient { try $0.setFreewheel(true) }
            try waitUntil("a cycle waits for the tap") { unit.statistics.frames > (1 << 19) - 2 * 64 }
            unit.stop()
            #expect(LibJack.overdueOperation == nil)
            _ = consume reader
            try sink.withClient { try $0.setFreewheel(false) }
        }
    }
}
