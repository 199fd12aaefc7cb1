import AudioIO
import AudioRealtime
import Glibc
import Jack
import TestSupport
import Testing

extension OnServer {
    @Suite("The telemetry of a queue") struct QueueTelemetryTests {
        @Test func `has a record of each cycle and of each call of the worker, and they add up`() throws {
            let server = try Server(ServerConfiguration(patient: 64))
            defer { server.stop() }
            let passage = try QueuePassage(
                on: server, [[0.5]], length: 64, QueueUnderTest(between: server, frames: 1000))
            let unit = passage.unit
            try waitUntil("the worker was called back twelve times") { unit.statistics.buffers >= 12 }
            try unit.stopWhenDrained()
            let statistics = unit.statistics
            let cycles = passage.cycles.all
            #expect(UInt64(cycles.count) == statistics.cycles)
            #expect(cycles.reduce(0) { $0 + UInt64($1.frames) } == statistics.frames)
            #expect(cycles.allSatisfy { $0.frames == 64 && $0.entryNanoseconds <= $0.exitNanoseconds })
            for (one, next) in zip(cycles, cycles.dropFirst()) {
                #expect(one.position + 64 == next.position && one.frameTime &+ 64 == next.frameTime)
                #expect(one.exitNanoseconds <= next.entryNanoseconds)
            }
            let areRemembered = unit.recentCycles == cycles
            #expect(areRemembered)

            let buffers = passage.buffers.all
            #expect(UInt64(buffers.count) == statistics.buffers)
            #expect(buffers.dropLast().allSatisfy { $0.frames == 1000 })
            for (one, next) in zip(buffers, buffers.dropFirst()) {
                #expect(one.position + UInt64(one.frames) == next.position)
                #expect(one.entryNanoseconds <= one.exitNanoseconds && one.exitNanoseconds <= next.entryNanoseconds)
            }
            // What was taken is all that came in until the drain began, less what was dropped.
            let first = try #require(cycles.first)
            let last = try #require(buffers.last)
            let taken = last.position + UInt64(last.frames)
            #expect(UInt64(last.frameTime &- first.frameTime) <= last.position + statistics.droppedFrames)
            #expect(taken + statistics.droppedFrames + UInt64(unit.latencyFrames) <= statistics.frames)
            #expect(unit.meters.totals(0).frames == taken)
            #expect(statistics.lostRecords == 0 && statistics.lostBufferRecords == 0)

            // A buffer is full in the cycle that ends at its last frame or behind it; the worker is called after that
            // cycle began.
            for buffer in buffers.dropLast() {
                let end = buffer.frameTime &+ buffer.frames
                let cycle = cycles.first { Int32(bitPattern: $0.frameTime &+ $0.frames &- end) >= 0 }
                #expect(cycle.map { $0.entryNanoseconds < buffer.entryNanoseconds } == true)
            }
        }

        @Test func `tells of calls that took longer than their buffer lasts`() throws {
            let server = try Server(ServerConfiguration(sync: 64))
            defer { server.stop() }
            let gate = Gate()
            defer { gate.open() }
            let passage = try QueuePassage(
                on: server, [[0.5]], length: 64, QueueUnderTest(between: server, frames: 480)
            ) { _ in gate.pass() }
            for number in 1...3 {
                gate.shut()
                let arrivals = gate.arrivals
                try waitUntil("the worker stands still") { gate.arrivals > arrivals }
                // Longer than 10 ms, by the frames that went by.
                let goal = passage.unit.statistics.frames + 960
                try waitUntil("20 ms go by") { passage.unit.statistics.frames > goal }
                gate.open()
                try waitUntil("it is told of") { passage.unit.statistics.bufferOverruns >= UInt64(number) }
            }
            passage.unit.stop()
            let buffers = passage.buffers.all
            let long = buffers.count { $0.exitNanoseconds - $0.entryNanoseconds > 10_000_000 }
            #expect(long >= 3)
            #expect(UInt64(long) == passage.unit.statistics.bufferOverruns)
        }

        @Test func `knows what the worker costs while it runs`() throws {
            let server = try Server(ServerConfiguration(sync: 64))
            defer { server.stop() }
            let passage = try QueuePassage(
                on: server, [[0.5]], length: 64, QueueUnderTest(between: server, frames: 64))
            let unit = passage.unit
            let before = try #require(unit.workerUsage)
            let buffers = unit.statistics.buffers
            try waitUntil("the worker was called back two hundred times") { unit.statistics.buffers >= buffers + 200 }
            let after = try #require(unit.workerUsage)
            // Called back for several buffers at once, it sleeps once.
            #expect(after.voluntarySwitches > before.voluntarySwitches)
            #expect(after.processorNanoseconds >= before.processorNanoseconds + 100_000)
            unit.stop()
            #expect(unit.workerUsage == nil && unit.audioThreadUsage == nil)
        }

        /// Both rings are read by one thread, which a listener holds up here until they are full. Where the server dies
        /// meanwhile, no record comes after those that are lost.
        @Test(arguments: [false, true])
        func `counts the records that it loses where nobody reads them`(serverDies: Bool) throws {
            let server = try Server(ServerConfiguration(patient: 64))
            defer { server.stop() }
            let gate = Gate()
            defer { gate.open() }
            let configuration = QueueUnderTest(between: server, frames: 32, count: 4)
            let passage = try QueuePassage(on: server, [[0.5]], length: 64, configuration, process: nil) { passage in
                passage.unit.onCycles { [cycles = passage.cycles] records in
                    gate.pass()
                    cycles.add(records)
                }
            }
            let unit = passage.unit
            try passage.freewheel()
            gate.shut()
            let arrivals = gate.arrivals
            try waitUntil("the reader stands still") { gate.arrivals > arrivals }
            // More than there is room for.
            try passage.sink.waitForCycles(9000)
            if serverDies {
                server.signal(SIGKILL)
                try waitUntil("the unit notices that the server is gone") { unit.hasLostServer }
                gate.open()
            } else {
                gate.open()
                let read = passage.cycles.count
                try waitUntil("records are read again") { passage.cycles.count > read + 8500 }
                try passage.keepTime()
            }
            unit.stop()
            let statistics = unit.statistics
            #expect(statistics.lostRecords > 0 && statistics.lostBufferRecords > 0)
            #expect(UInt64(passage.cycles.count) + statistics.lostRecords == statistics.cycles)
            #expect(UInt64(passage.buffers.count) + statistics.lostBufferRecords == statistics.buffers)
            // The frames of those that were lost count all the same.
            let last = try #require(passage.cycles.last)
            if !serverDies { #expect(last.position + 64 == statistics.frames) }
            #expect(statistics.frameGaps == 0)
        }
    }
}
