import AudioDSP
import AudioIO
import Glibc
import Jack
import Synchronization
import TestSupport
import Testing
import Threads

private struct Ones: AudioProcessor, ~Copyable {
    mutating func process(_ block: borrowing ProcessorBlock) {
        for channel in 0..<block.channels {
            for frame in 0..<block.frames { block[channel, frame] = 1 }
        }
    }
}

@_noLocks @_noAllocation
private func makeOnes(_ call: ProcessorCall) { call.process(Ones.self) }

@Suite("A tap on a node") struct EngineTapTests {
    /// What a handler was called with.
    private final class Heard: Sendable {
        let buffers = Mutex<[(buffer: AudioBuffer, time: BufferTime)]>([])
        var times: [BufferTime] { buffers.withLock { $0.map(\.time) } }
        var samples: [Float] { buffers.withLock { $0.flatMap { $0.buffer[0] } } }
        func take(_ buffer: AudioBuffer, _ time: BufferTime) { buffers.withLock { $0.append((buffer, time)) } }
    }

    private func numbers(_ range: Range<Int>) -> [Float] { range.map(Float.init) }

    @Test(arguments: [1, 32, 1000, 4096, 5000])
    func `delivers buffers of exactly its length, each with its time, whatever the server's period is`(frames: Int)
        throws
    {
        let engine = try offlineEngine()
        let heard = Heard()
        try engine.tap(engine.input, frames: frames, handler: heard.take)
        for start in stride(from: 0, to: 20_000, by: 500) { _ = try engine.render(numbers(start..<start + 500)) }
        let count = 20_000 / frames
        #expect(heard.times.map(\.position) == (0..<count).map { UInt64($0 * frames) })
        #expect(heard.times.map(\.frameTime) == (0..<count).map { UInt32($0 * frames) })
        #expect(heard.buffers.withLock { $0.allSatisfy { $0.buffer.frames == frames && $0.buffer.channels == 1 } })
        #expect(heard.samples == numbers(0..<count * frames))
        for time in heard.times {
            #expect(
                abs(Double(time.hostNanoseconds) - Double(time.position) / 48_000 * 1e9) < 2
                    && time.sampleRate == 48_000)
        }
    }

    @Test func `has the longest length that there is where it is asked for more, on an engine of a server too`() throws
    {
        let engine = try Engine()
        for frames in [Int.max, 1 << 20] {
            #expect(try engine.buffers(of: engine.input, frames: frames).tap.frames == 1 << 20)
        }
        #expect(try engine.buffers(of: engine.input, frames: .min).tap.frames == 1)
        engine.close()
    }

    @Test func `hears silence at the input of an engine that has none, whatever other nodes play`() throws {
        let engine = try Engine(offline: 48_000, inputs: 0, outputs: 1)
        try engine.start()
        let source = engine.attach(Processor(Ones(), channels: 1, process: makeOnes))
        try engine.connect(source, to: engine.output)
        let heard = Heard()
        try engine.tap(engine.input, frames: 100, handler: heard.take)
        for _ in 0..<10 { _ = try engine.render(100) }
        #expect(heard.samples == [Float](repeating: 0, count: 1000))
    }

    @Test func `hears its own node: the input before, the output behind, and one that leads nowhere too`() throws {
        let engine = try offlineEngine(rampFrames: 0)
        let (half, aside) = (engine.attach(Gain(linear: 0.5)), engine.attach(Gain(linear: 3)))
        try engine.connect(engine.input, to: half)
        try engine.connect(half, to: engine.mixer)
        try engine.connect(engine.input, to: aside)
        let taps = [Heard(), Heard(), Heard()]
        try engine.tap(engine.input, frames: 100, handler: taps[0].take)
        try engine.tap(engine.output, frames: 100, handler: taps[1].take)
        try engine.tap(aside, frames: 100, handler: taps[2].take)
        _ = try engine.render(ones(1000))
        #expect(taps.map { $0.samples.last } == [1, 0.5, 3])
        #expect(taps.allSatisfy { $0.samples.count == 1000 })
    }

    @Test func `comes and goes while sound runs, several on one node, and from its own handler`() throws {
        let engine = try offlineEngine()
        try engine.connect(engine.input, to: engine.mixer)
        let (first, second) = (Heard(), Heard())
        try engine.tap(engine.input, frames: 10, handler: first.take)
        let own = Mutex<EngineTap?>(nil)
        let tap = try engine.tap(engine.input, frames: 10) { buffer, time in
            second.take(buffer, time)
            if time.position >= 200 { own.withLock { $0 }?.remove() }
        }
        own.withLock { $0 = tap }
        for _ in 0..<10 { _ = try engine.render(ones(50)) }
        #expect(first.times.count == 50)
        #expect(second.times.count == 25, "what was read already is delivered")
        try engine.tap(engine.mixer, frames: 10, handler: second.take)
        _ = try engine.render(ones(50))
        #expect(second.times.count == 30)
    }

    @Test func `has no seam in a buffer: what was gathered before a new run is lost, and told`() throws {
        let engine = try offlineEngine()
        let heard = Heard()
        let tap = try engine.tap(engine.input, frames: 64, handler: heard.take)
        _ = try engine.render(numbers(0..<100))
        engine.stop()
        try engine.start()
        _ = try engine.render(numbers(100..<300))
        #expect(heard.times.map(\.position) == [0, 100, 164, 228])
        #expect(heard.times.map(\.lostFrames) == [0, 36, 0, 0])
        #expect(tap.lostFrames == 36)
        #expect(heard.samples == numbers(0..<64) + numbers(100..<292))
    }

    @Test func `as a sequence gives the same buffers, and ends with the engine`() async throws {
        let engine = try offlineEngine()
        let buffers = try engine.buffers(of: engine.input, frames: 250)
        for start in stride(from: 0, to: 10_000, by: 1000) { _ = try engine.render(numbers(start..<start + 1000)) }
        engine.close()
        var samples: [Float] = []
        for await (buffer, time) in buffers {
            #expect(time.position == UInt64(samples.count))
            samples += buffer[0]
        }
        #expect(samples == numbers(0..<10_000))
    }

    @Test(arguments: [1, 4]) func `has each frame of a loop that is rendered in blocks of its delay`(delay: Int) throws
    {
        let engine = try Engine(offline: 48_000, inputs: 1, outputs: 1, periodFrames: 8192)
        let (mixer, line, gain) = (
            engine.attach(Mixer()), engine.attach(Delay(frames: delay, maximumFrames: 8)),
            engine.attach(Gain(linear: 0))
        )
        try engine.change {
            try engine.connect(engine.input, to: mixer)
            try engine.connect(mixer, to: line)
            try engine.connect(line, to: gain)
            try engine.connect(gain, to: mixer)
            try engine.connect(mixer, to: engine.output)
        }
        let heard = Heard()
        let tap = try engine.tap(engine.output, frames: 1024, handler: heard.take)
        try engine.start()
        _ = try engine.render(ones(81_920))
        #expect(heard.times.count == 80 && tap.lostFrames == 0)
        engine.close()
    }

    @Test func `of an engine that is closed is removed already, and as a sequence it ends`() async throws {
        let engine = try offlineEngine()
        engine.close()
        #expect(try engine.tap(engine.input, frames: 100) { _, _ in }.isRemoved)
        for await (buffer, _) in try engine.buffers(of: engine.input, frames: 100) { Issue.record("\(buffer)") }
    }

    @Test func `as a sequence is removed once the loop over it is left, or its task is cancelled`() async throws {
        let engine = try offlineEngine()
        func loop(_ isLeft: Bool) async throws -> EngineTap {
            let buffers = try engine.buffers(of: engine.input, frames: 100)
            _ = try engine.render(ones(1000))
            for await _ in buffers where isLeft { break }
            return buffers.tap
        }
        let left = try await loop(true)
        #expect(left.isRemoved)
        let waiting = Task { try await loop(false) }
        waiting.cancel()
        #expect(try await waiting.value.isRemoved)
    }

    @Test func `to be read by oneself has each frame`() throws {
        let engine = try offlineEngine()
        var reader = try engine.tapReader(engine.input, capacityFrames: 20_000)
        _ = try engine.render(numbers(0..<10_007))
        var samples: [Float] = []
        let count = reader.read(interleavedInto: &samples, capacity: 20_000)
        #expect(count == 10_007 && Array(samples.prefix(count)) == numbers(0..<10_007))
    }

    @Test(arguments: [Int.max, 1 << 40, .min])
    func `to be read by oneself has as much room as there may be, whatever is asked for`(capacityFrames: Int) throws {
        let engine = try offlineEngine(channels: 256)
        var reader = try engine.tapReader(engine.input, capacityFrames: capacityFrames)
        _ = try engine.render(numbers(0..<8192))
        var samples: [Float] = []
        let count = reader.read(interleavedInto: &samples, capacity: 8192)
        try #require(count == 8192)
        #expect(samples[256 * 8191] == 8191)
        #expect(reader.droppedFrames == 0)
    }
}

extension OnServer {
    @Suite("A tap of an engine on a server") struct EngineTapServerTests {
        private func engine(on server: String) throws -> Engine {
            var configuration = EngineConfiguration()
            configuration.serverName = server
            configuration.inputChannels = 1
            configuration.outputChannels = 1
            configuration.inputs = .none
            configuration.outputs = .none
            return try Engine(configuration)
        }

        private final class Count: Sendable {
            let value = Atomic<Int>(0)
            @discardableResult func add() -> Int { value.add(1, ordering: .relaxed).newValue }
            var now: Int { value.load(ordering: .relaxed) }
        }

        @Test func `delivers short buffers as many as there are, and not a few long ones`() throws {
            let server = try Server(ServerConfiguration(sync: 64))
            defer { server.stop() }
            let engine = try engine(on: server.name)
            let count = Count()
            let wrong = Count()
            let tap = try engine.tap(engine.input, frames: 32) { buffer, _ in
                count.add()
                if buffer.frames != 32 { wrong.add() }
            }
            try engine.start()
            try waitUntil("a thousand buffers were delivered") { count.now >= 1000 }
            engine.close()
            #expect(wrong.now == 0)
            // It loses some where its worker stands still for half a second.
            #expect(UInt64(count.now) * 32 + tap.lostFrames + 32 > engine.position)
        }

        @Test func `as a sequence tells what a slow loop has lost`() async throws {
            let server = try Server(ServerConfiguration(sync: 1024))
            defer { server.stop() }
            let engine = try engine(on: server.name)
            try engine.start()
            let buffers = try engine.buffers(of: engine.input, frames: 8192)
            var (next, lost, slept): (UInt64?, UInt64, Int) = (nil, 0, 0)
            for await (_, time) in buffers {
                if let next { #expect(time.position == next + time.lostFrames) }
                lost += next == nil ? 0 : time.lostFrames
                next = time.position + 8192
                guard lost == 0 else { break }
                // A loop that is slow is what is tested: four buffers of a sixth of a second wait, and the next is lost. Eight
                // times at most.
                guard slept < 8 else { break }
                slept += 1
                try await Task.sleep(nanoseconds: 1_200_000_000)
            }
            #expect(lost > 0 && buffers.tap.lostFrames >= lost)
            engine.close()
        }

        @Test func `loses whole buffers where its handler is slow, tells how many, and disturbs nobody`() throws {
            let server = try Server(ServerConfiguration(sync: 64))
            defer { server.stop() }
            let engine = try engine(on: server.name)
            let (slow, quick) = (Count(), Count())
            let isHeld = Atomic<Bool>(true)
            let lost = Mutex<[UInt64]>([])
            let tap = try engine.tap(engine.input, frames: 512) { _, time in
                lost.withLock { $0.append(time.lostFrames) }
                if slow.add() == 1 {
                    try? waitUntil("the handler may return") { !isHeld.load(ordering: .relaxed) }
                }
            }
            let quickTap = try engine.tap(engine.input, frames: 512) { _, _ in quick.add() }
            try engine.start()
            try waitUntil("it has lost something") { tap.lostFrames > 10_000 }
            isHeld.store(false, ordering: .relaxed)
            try waitUntil("it goes on") { lost.withLock { $0.contains { $0 > 0 } } }
            engine.close()
            #expect(UInt64(quick.now) * 512 + quickTap.lostFrames + 512 > engine.position)
            #expect(slow.now < quick.now)
        }

        @Test(arguments: [false, true])
        func `whose handler is behind gives it the rest at the end, and not where that is only shown`(isShown: Bool)
            throws
        {
            let server = try Server(ServerConfiguration(sync: 64))
            defer { server.stop() }
            let engine = try engine(on: server.name)
            let count = Count()
            let own = Mutex<EngineTap?>(nil)
            let handle: EngineTap.Handler = { _, _ in
                guard count.add() == 1 else { return }
                try? waitUntil("the tap ends") { own.withLock { $0?.isRemoved ?? false } }
            }
            let tap =
                try isShown
                ? engine.watch(engine.input, frames: 512, handler: handle)
                : engine.tap(engine.input, frames: 512, handler: handle)
            own.withLock { $0 = tap }
            try engine.start()
            try waitUntil("ten more wait") { count.now == 1 && engine.position > 12 * 512 }
            engine.close()
            #expect(isShown ? count.now == 1 : count.now > 10)
        }

        @Test func `may close the engine from its handler, and so may several at once`() throws {
            let server = try Server(ServerConfiguration(sync: 64))
            defer { server.stop() }
            let engine = try engine(on: server.name)
            let hasClosed = Count()
            for _ in 0..<3 {
                try engine.tap(engine.output, frames: 64) { _, time in
                    guard time.position > 1000 else { return }
                    engine.close()
                    hasClosed.add()
                }
            }
            try engine.start()
            try waitUntil("each handler has come back from closing") { hasClosed.now >= 3 }
            try waitUntil("the engine is closed") { engine.state == .closed }
        }

        @Test func `may call the engine, and so may the listener of its events`() throws {
            let server = try Server(ServerConfiguration(sync: 64))
            defer { server.stop() }
            let engine = try engine(on: server.name)
            let states = Mutex<[String]>([])
            engine.onEvent { event in
                guard case .transition(_, let state) = event.kind else { return }
                states.withLock { $0.append(state.name) }
                if state == .paused { try? engine.resume() }
            }
            let gain = engine.attach(Gain())
            let count = Count()
            let hasPaused = Atomic<Bool>(false)
            try engine.tap(engine.input, frames: 256) { _, _ in
                switch count.add() {
                case 1: try? engine.connect(engine.input, to: gain)
                case 2: try? engine.connect(gain, to: engine.mixer)
                default:
                    // The first buffers may come before `start` has returned; until then there is nothing to pause.
                    guard !hasPaused.load(ordering: .relaxed), (try? engine.pause()) != nil else { return }
                    hasPaused.store(true, ordering: .relaxed)
                }
            }
            try engine.start()
            try waitUntil("it has gone on after the pause") { states.withLock { $0 }.count >= 3 && count.now > 5 }
            engine.close()
            #expect(states.withLock { $0 } == ["running", "paused", "running", "closed"])
            #expect(gain.isAttached && engine.isConnected(gain, to: engine.mixer))
        }

        @Test func `goes on with the next server, with nodes and connections as they were, at the new rate`() throws {
            let host = try Succession(ServerConfiguration(sync: 64))
            var configuration = EngineConfiguration()
            configuration.serverName = host.name
            let engine = try Engine(configuration, policy: ReconnectPolicy(.automatic))
            let shaper = engine.attach(Shaper(.off, antialiasing: .off))
            try engine.connect(engine.input, to: shaper)
            try engine.connect(shaper, to: engine.mixer)
            let rates = Mutex<[Int]>([])
            try engine.tap(shaper, frames: 100) { _, time in
                rates.withLock { if $0.last != time.sampleRate { $0.append(time.sampleRate) } }
            }
            try engine.start()
            try waitUntil("the tap hears the first server") { rates.withLock { $0 } == [48_000] }
            try host.end(by: SIGKILL)
            var next = ServerConfiguration(sync: 64)
            next.sampleRate = 44_100
            try host.startAgain(next)
            try waitUntil("and the second one") { rates.withLock { $0 } == [48_000, 44_100] }
            #expect(engine.sampleRate == 44_100)
            #expect(engine.isConnected(shaper, to: engine.mixer))
            engine.close()
        }
    }
}
