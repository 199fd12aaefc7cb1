import AudioDSP
import AudioIO
import AudioRealtime
import Glibc
import Jack
import TestSupport
import Testing

extension OnServer {
    /// Under the real-time sanitizer (RTSAN=1) the process ends with 43 at the first thing that may block.
    @Suite("On JACK's audio thread") struct RealtimeSafetyTests {
        @Test func `a unit does nothing that may block, whatever it is told`() throws {
            let server = try Server(ServerConfiguration(sync: 64))
            defer { server.stop() }
            var content: [TapContent] = []
            let signal = (0..<4096).map { Float(sin(Double($0) / 20)) * 2 }
            let passage = try Passage(
                on: server, [signal, [Float](repeating: .nan, count: 4096)], length: 64,
                UnitConfiguration(between: server, channels: 2)
            ) { unit in
                content.append(try TapContent(unit.addTap(capacityFrames: 1 << 14)))
            }
            let unit = passage.unit
            // One that is full soon, and drops.
            let full = unit.addTap(capacityFrames: 1)
            passage.feeder.roll()
            for frames in [64, 1024, 16] {
                try passage.sink.withClient { try $0.setPeriod(frames: frames) }
                for shape in Shape.allCases {
                    unit.setShape(shape)
                    for number in 1...100 {
                        unit.setGain(decibels: Double(number % 20))
                        unit.setDrive(decibels: Double(number % 30))
                        unit.setBypass(number % 5 == 0)
                        unit.setMute(number % 7 == 0)
                    }
                    _ = unit.meters.takePeak(0)
                    try passage.sink.waitForCycles(20)
                }
            }
            #expect(unit.statistics.nonFiniteSamples > 0)
            unit.stop()
            for tap in content { _ = tap.finish() }
            #expect(full.droppedFrames > 0)
        }

        @Test(arguments: QueueFormat.allCases)
        func `a queue does nothing that may block, be its worker late, or it flushed, drained or freewheeling`(
            format: QueueFormat
        ) throws {
            let server = try Server(ServerConfiguration(sync: 64))
            defer { server.stop() }
            let gate = Gate()
            defer { gate.open() }
            let signal = (0..<4096).map { Float(sin(Double($0) / 20)) * 2 }
            let passage = try QueuePassage(
                on: server, [signal, [Float](repeating: .nan, count: 4096)], length: 64,
                QueueUnderTest(between: server, frames: 300, channels: 2, format: format)
            ) { _ in gate.pass() }
            let unit = passage.unit
            passage.feeder.roll()
            for frames in [64, 1024, 16] {
                try passage.sink.withClient { try $0.setPeriod(frames: frames) }
                gate.shut()
                let inserted = unit.statistics.insertedFrames
                try waitUntil("silence is inserted") { unit.statistics.insertedFrames > inserted + 600 }
                gate.open()
                for _ in 0..<20 {
                    unit.flush()
                    try passage.sink.waitForCycles(2)
                }
            }
            try passage.freewheel()
            try passage.sink.waitForCycles(200)
            try passage.keepTime()
            try unit.stopWhenDrained()
            let statistics = unit.statistics
            #expect(statistics.nonFiniteSamples > 0)
            #expect(statistics.droppedFrames > 0)
        }
    }
}

/// The sanitizer must find what is planted here: otherwise, that it finds nothing in the unit means nothing.
extension OnServer {
    @Suite("On JACK's audio thread the sanitizer", .enabled(if: RealtimeSanitizer.isLinked))
    struct PlantedFaultTests {
        @Test func `finds malloc`() async {
            await #expect(processExitsWith: .exitCode(43)) { try runPlanted(mallocCycle) }
        }

        @Test func `finds the lock of a mutex`() async {
            await #expect(processExitsWith: .exitCode(43)) { try runPlanted(mutexCycle) }
        }

        @Test func `finds usleep`() async {
            await #expect(processExitsWith: .exitCode(43)) { try runPlanted(sleepCycle) }
        }

        @Test func `finds the allocation of a class`() async {
            await #expect(processExitsWith: .exitCode(43)) { try runPlanted(classCycle) }
        }

        @Test func `lets a cycle pass that does nothing of the kind`() async {
            await #expect(processExitsWith: .success) { try runPlanted(innocentCycle) }
        }
    }
}

// What is planted, and keeps it from being optimised away.
nonisolated(unsafe) private var memory: UnsafeMutableRawPointer?
nonisolated(unsafe) private var object: AnyObject?
nonisolated(unsafe) private var mutex = pthread_mutex_t()

private final class Planted {
    let value: UInt32
    init(_ value: UInt32) { self.value = value }
}

/// Runs a client with this callback on a server of its own for twenty cycles.
private func runPlanted(_ callback: ProcessCallback) throws {
    pthread_mutex_init(&mutex, nil)
    let server = try Server(ServerConfiguration(sync: 256))
    let client = try Client(name: "planted", server: server.name)
    let handle = UnsafeMutablePointer<ClientHandle>.allocate(capacity: 1)
    handle.initialize(to: client.handle)
    let beside = try Probe.sink(on: server, channels: 1, length: 64)
    try client.setProcess(callback, context: handle)
    let active = try client.activate()
    try beside.waitForCycles(20)
    try active.close()
    server.stop()
}

/// Makes the cycle of a planted callback.
private func cycle(_ frames: UInt32, _ context: UnsafeMutableRawPointer?) -> Cycle {
    Cycle(context!.assumingMemoryBound(to: ClientHandle.self).pointee, frames: frames)
}

@c(iounit_test_plant_malloc)
private func mallocCycle(frames: UInt32, context: UnsafeMutableRawPointer?) -> CInt {
    let cycle = cycle(frames, context)
    memory = malloc(64)
    cycle.end()
    return 0
}

@c(iounit_test_plant_mutex)
private func mutexCycle(frames: UInt32, context: UnsafeMutableRawPointer?) -> CInt {
    let cycle = cycle(frames, context)
    pthread_mutex_lock(&mutex)
    pthread_mutex_unlock(&mutex)
    cycle.end()
    return 0
}

@c(iounit_test_plant_sleep)
private func sleepCycle(frames: UInt32, context: UnsafeMutableRawPointer?) -> CInt {
    let cycle = cycle(frames, context)
    usleep(1)
    cycle.end()
    return 0
}

@c(iounit_test_plant_class)
private func classCycle(frames: UInt32, context: UnsafeMutableRawPointer?) -> CInt {
    let cycle = cycle(frames, context)
    object = Planted(frames)
    cycle.end()
    return 0
}

@c(iounit_test_plant_nothing)
private func innocentCycle(frames: UInt32, context: UnsafeMutableRawPointer?) -> CInt {
    let cycle = cycle(frames, context)
    cycle.end()
    return 0
}
