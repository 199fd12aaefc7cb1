import AudioIO
import AudioRealtime
import Glibc
import Jack
import Synchronization
import TestSupport
import Testing
import Threads

extension OnServer {
    @Suite("A unit in queued mode") struct QueueLifeTests {
        /// Starts and stops a unit once, so that what the libraries keep for good is there before anything is counted.
        private func warmUp(_ server: Server) throws -> Holdings {
            let unit = try QueuedUnit(QueueUnderTest(alone: server, frames: 256))
            try unit.start()
            unit.stop()
            return Holdings()
        }

        /// Makes each frame say where it stands among those that the unit took.
        private static func number(_ buffer: inout QueueBuffer) {
            let position = Int(buffer.position)
            buffer.withSamples(of: 0) { samples in
                for frame in samples.indices { samples[frame] = Float(position + frame + 1) }
            }
        }

        @Test func `begins with as much silence as is to be under way, and then with its first frame`() throws {
            let server = try Server(ServerConfiguration(patient: 128))
            defer { server.stop() }
            let passage = try QueuePassage(
                on: server, [[0]], length: 1 << 16, QueueUnderTest(between: server, frames: 3000),
                process: Self.number
            ) { $0.sink.roll() }
            try waitUntil("the first buffer is heard") { passage.sink.heard > 0 }
            passage.unit.stop()
            let beginning = try passage.beginning()
            let origin = try #require(passage.cycles.all.first?.frameTime)
            let silence = Int(Int32(bitPattern: beginning.frameTime &- origin)) - beginning.unheard
            let inserted = Int(passage.unit.statistics.insertedFrames)
            #expect(silence >= 6000 && silence <= 6000 + inserted)
        }

        @Test func `calls the worker back at once with a short buffer when it is flushed`() throws {
            let server = try Server(ServerConfiguration(sync: 128))
            defer { server.stop() }
            // A buffer is full after five seconds only.
            let passage = try QueuePassage(
                on: server, [[0]], length: 64, QueueUnderTest(between: server, frames: 240_000))
            for number in 1...2 {
                passage.unit.flush()
                try waitUntil("the worker is called back") { passage.unit.statistics.buffers == UInt64(number) }
                try passage.unit.restart()
                // A flush before anything is filled has nothing to hand over.
                let goal = passage.unit.statistics.cycles + 2
                try waitUntil("a buffer is being filled") { passage.unit.statistics.cycles >= goal }
            }
            passage.unit.stop()
            let buffers = passage.buffers.all
            #expect(buffers.count == 2)
            #expect(buffers.allSatisfy { $0.frames > 0 && $0.frames < 240_000 })
        }

        @Test func `plays nothing more of what is under way when it is stopped at once`() throws {
            let server = try Server(ServerConfiguration(sync: 128))
            defer { server.stop() }
            let passage = try QueuePassage(
                on: server, [[0]], length: 1 << 19, QueueUnderTest(between: server, frames: 120_000),
                process: Self.number
            ) { $0.sink.roll() }
            passage.unit.flush()
            try waitUntil("the worker has enqueued something") { passage.unit.statistics.buffers > 0 }
            passage.unit.stop()
            try passage.sink.waitForCycles(8)
            #expect(passage.sink.signal().allSatisfy { $0 == 0 })
        }

        @Test func `plays what it took to the last frame when it is stopped after draining`() throws {
            let server = try Server(ServerConfiguration(patient: 128))
            defer { server.stop() }
            let passage = try QueuePassage(
                on: server, [[0]], length: 1 << 17, QueueUnderTest(between: server, frames: 3000),
                process: Self.number
            ) { $0.sink.roll() }
            try waitUntil("the worker was called back twice") { passage.unit.statistics.buffers >= 2 }
            try passage.unit.stopWhenDrained()
            #expect(!passage.unit.isRunning)
            let taken = try #require(passage.buffers.last)
            let heard = passage.sink.signal().filter { $0 > 0 }
            let unheard = try passage.beginning().unheard
            #expect(unheard + heard.count == Int(taken.position) + Int(taken.frames))
            #expect(firstDifferingBits(heard, Array(counter.dropFirst(unheard))) == nil)
            #expect(taken.frames < 3000, "the last buffer was not full yet")
            #expect(throws: UnitError.wrongState("the unit does not run")) { try passage.unit.stopWhenDrained() }
        }

        @Test func `does not wait for a worker that stands still when it is to drain, but to be stopped`() throws {
            let server = try Server(ServerConfiguration(sync: 128))
            defer { server.stop() }
            let gate = Gate()
            defer { gate.open() }
            let passage = try QueuePassage(
                on: server, [[0]], length: 64, QueueUnderTest(between: server, frames: 200)
            ) { _ in gate.pass() }
            gate.shut()
            let arrivals = gate.arrivals
            try waitUntil("the worker stands still") { gate.arrivals > arrivals }
            // The unit has left the graph before it waits for its worker, and its figures do not wait with it.
            let unit = passage.unit
            let wasTold = Atomic<Bool>(false)
            let opener = try Worker("test-opener") {
                defer { gate.open() }
                guard let watcher = try? Watcher(on: server) else { return }
                try? waitUntil("the unit has left the graph") { !watcher.hasPort("iounit:out_1") }
                // Nothing tells when the unit waits for its worker. Of 100 questions, in 100 ms, some come while it does.
                let asker = try? Worker("test-asker") {
                    for _ in 0..<100 {
                        _ = unit.workerUsage
                        MonotonicClock.sleep(milliseconds: 1)
                    }
                }
                try? waitUntil("the figures are told") { asker?.isFinished != false }
                wasTold.store(asker?.isFinished == true, ordering: .relaxed)
            }
            let error = #expect(throws: UnitError.self) { try passage.unit.stopWhenDrained(patienceSeconds: 0.1) }
            opener.join()
            let figuresCame = wasTold.load(ordering: .relaxed)
            #expect(figuresCame)
            #expect(
                error?.description.contains("play the queue to its end: the server or the worker stands still") == true,
                "\(error?.description ?? "")")
            #expect(!passage.unit.isRunning)
        }

        @Test func `is in one state at a time, and begins again each time`() throws {
            let server = try Server(ServerConfiguration(patient: 128))
            defer { server.stop() }
            let passage = try QueuePassage(
                on: server, [[0.25]], length: 64, QueueUnderTest(between: server, frames: 200))
            let unit = passage.unit
            passage.feeder.roll()
            #expect(unit.isRunning && unit.workerUsage != nil)
            #expect(throws: UnitError.wrongState("the unit runs already")) { try unit.start() }
            try waitUntil("a second start does not harm the first") { passage.sink.heard == 0.25 }
            unit.stop()
            unit.stop()
            #expect(!unit.isRunning && unit.workerUsage == nil && unit.workerScheduling == nil)
            let before = unit.statistics
            try unit.start()
            try waitUntil("it is heard again") {
                unit.statistics.buffers > before.buffers && passage.sink.heard == 0.25
            }
            try unit.restart()
            unit.setBypass(false)
            unit.setShape(.off)
            unit.setGain(linear: 2)
            try waitUntil("it obeys") { passage.sink.heard == 0.5 }
            try unit.stopWhenDrained()
            #expect(unit.statistics.frameGaps == 0, "the pauses between are no gaps")
            #expect(unit.statistics.frames == unit.statistics.cycles * 128)
        }

        @Test func `that is started and stopped thirty times or dropped leaves nothing behind`() async {
            await #expect(processExitsWith: .success) {
                let server = try Server(ServerConfiguration(sync: 256))
                defer { server.stop() }
                let before = try QueueLifeTests().warmUp(server)
                let unit = try QueuedUnit(QueueUnderTest(alone: server, frames: 256))
                for _ in 0..<30 {
                    try unit.start()
                    unit.stop()
                }
                for _ in 0..<10 {
                    let dropped = try QueuedUnit(QueueUnderTest(alone: server, frames: 256))
                    try dropped.start()
                }
                try before.expectNothingMore()
            }
        }

        @Test func `that cannot start says why and leaves nothing behind`() async {
            await #expect(processExitsWith: .success) {
                let server = try Server(ServerConfiguration(sync: 256))
                defer { server.stop() }
                let before = try QueueLifeTests().warmUp(server)
                func refusal(_ change: (inout QueueUnderTest) -> Void) throws -> String {
                    var configuration = QueueUnderTest(alone: server, frames: 256)
                    change(&configuration)
                    let unit = try QueuedUnit(configuration)
                    let error = #expect(throws: UnitError.self) { try unit.start() }
                    #expect(!unit.isRunning && unit.workerScheduling == nil)
                    unit.stop()
                    return error?.description ?? ""
                }
                #expect(
                    try refusal { $0.bufferFrames = 480_001 }
                        == "a buffer of 480001 frames lasts longer than 10 s; use 1 to 480000 frames")
                #expect(try refusal { $0.bufferFrames = 100 }.contains("run dry on periods of 256 frames"))
                // Here the worker runs already.
                #expect(try refusal { $0.unit.outputs = .firstOf(["^nobody:"]) }.contains("\"^nobody:\""))
                #expect(try refusal { $0.unit.serverName = "iounit-there-is-no-such-server" } != "")
                try before.expectNothingMore()
            }
        }

        @Test(arguments: [true, false])
        func `has a worker of the priority that was asked for, as the kernel grants it`(isRealtime: Bool) throws {
            let server = try Server(ServerConfiguration(sync: 256))
            defer { server.stop() }
            var configuration = QueueUnderTest(alone: server, frames: 512)
            configuration.isRealtime = isRealtime
            let unit = try QueuedUnit(configuration)
            try unit.start()
            let audio = try #require(unit.connection?.scheduling)
            let worker = try #require(unit.workerScheduling)
            if isRealtime && audio.isRealtime {
                #expect(worker == Scheduling(policy: .fifo, priority: audio.priority - 1))
            } else {
                #expect(worker == Scheduling(policy: .other, priority: 0))
            }
            // What /proc says of this process's threads.
            #expect(
                ProcessFacts.scheduling.contains {
                    $0.priority == worker.priority && $0.policy == (worker.isRealtime ? Int(SCHED_FIFO) : 0)
                })
            #expect(Belongings.threads(named: "iounit-queue") == 1)
            unit.stop()
            try waitUntil("its worker's thread is gone") { Belongings.threads(named: "iounit-queue") == 0 }
        }

        @Test(arguments: [false, true])
        func `outlives its server, and a worker that was held up when it was killed`(isHeldUp: Bool) async {
            await #expect(processExitsWith: .success) { [isHeldUp] in
                let gate = Gate()
                defer { gate.open() }
                var before: Holdings?
                for _ in 0..<2 {
                    let server = try Server(ServerConfiguration(sync: 128))
                    defer { server.stop() }
                    let unit = try QueuedUnit(QueueUnderTest(alone: server, frames: 200)) { _ in gate.pass() }
                    try unit.start()
                    try waitUntil("the worker was called back") { unit.statistics.buffers >= 10 }
                    if isHeldUp {
                        gate.shut()
                        try waitUntil("silence is inserted") { unit.statistics.insertedFrames > 1000 }
                    }
                    server.signal(SIGKILL)
                    try waitUntil("the unit notices that the server is gone") { unit.hasLostServer }
                    #expect(unit.isRunning, "it must be stopped yet")
                    gate.open()
                    let error = #expect(throws: UnitError.self) { try unit.stopWhenDrained() }
                    #expect(error?.description.contains("the server is gone; start it again") == true)
                    #expect(!unit.isRunning && !unit.hasLostServer)
                    server.stop()
                    // The first time the libraries take what they keep for good.
                    try before?.expectNothingMore()
                    before = Holdings()
                }
            }
        }
    }
}
