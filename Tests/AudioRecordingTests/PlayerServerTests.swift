import AudioFiles
import AudioIO
import AudioRecording
import Glibc
import Jack
import Synchronization
import TestSupport
import Testing
import Threads

/// A player in an engine on a private server. In sync mode no cycle is left out, only late, so that every frame has its place
/// on any machine.
@Suite("A player on a server", .serialized, .ownServers) struct PlayerServerTests {
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    static func configuration(sampleRate: Int = 48_000) -> ServerConfiguration {
        var configuration = ServerConfiguration()
        configuration.isSync = true
        configuration.periodFrames = 256
        configuration.sampleRate = sampleRate
        return configuration
    }

    /// An engine of one channel with a player, and what a tap on the player has heard.
    struct Stage {
        let engine: Engine
        let player = Player()
        private let heard: Heard

        final class Heard: Sendable {
            let samples = Mutex<[(run: Int, sample: Float)]>([])
        }

        init(on server: String, _ policy: ReconnectPolicy = ReconnectPolicy(.never)) throws {
            var configuration = EngineConfiguration()
            configuration.serverName = server
            configuration.inputChannels = 0
            configuration.outputChannels = 1
            configuration.outputs = .none
            configuration.rampMilliseconds = 0
            engine = try Engine(configuration, policy: policy)
            heard = Heard()
            engine.attach(player)
            try engine.connect(player, to: engine.output)
            try engine.tap(player, frames: 64) { [heard] buffer, time in
                heard.samples.withLock { $0 += buffer[0].map { (time.sampleRate, $0) } }
            }
        }

        /// What was heard up to the last whole buffer, from the first sample that is not silence on.
        var sound: [Float] { heard.samples.withLock { $0.map(\.sample) }.drop { $0 == 0 }.map(\.self) }
        func sound(atRate rate: Int) -> [Float] {
            heard.samples.withLock { $0.filter { $0.run == rate }.map(\.sample) }.drop { $0 == 0 }.map(\.self)
        }
    }

    func numbers(_ range: Range<Int>) -> [Float] { range.map(Sound.numberedSample) }

    func file(_ sound: Sound) throws -> String {
        try sound.write(to: folder("a.wav"))
        return folder("a.wav")
    }

    @Test func `plays from the first frame on what it was told before the start, and to the end`() async throws {
        let server = try Server(Self.configuration())
        defer { server.stop() }
        let stage = try Stage(on: server.name)
        try stage.player.play(try file(.numbered(frames: 100_000)), at: .frame(0))
        try stage.engine.start()
        await stage.player.waitUntilEnd()
        #expect(stage.player.startPosition == 0 && stage.player.endPosition == 100_000)
        let end = stage.engine.position
        try waitUntil("the tap has heard the end") { stage.engine.position > end + 10_000 }
        stage.engine.close()
        #expect(stage.player.underrunFrames == 0)
        #expect(firstDifference(Array(stage.sound.prefix(100_000)), numbers(0..<100_000)) == nil)
    }

    @Test func `plays in queued mode too, sample for sample, on the worker`() async throws {
        let server = try Server(Self.configuration())
        defer { server.stop() }
        var configuration = UnitConfiguration()
        configuration.serverName = server.name
        configuration.channels = 1
        configuration.outputs = .none
        configuration.shape = .off
        configuration.rampMilliseconds = 0
        var buffers = QueueConfiguration(bufferFrames: 1024)
        buffers.bufferCount = 4
        let unit = try QueuedUnit(configuration, queue: buffers)
        let engine = try Engine(unit)
        let player = engine.attach(Player())
        try engine.connect(player, to: unit.shaper)
        let heard = Mutex<[Float]>([])
        try engine.tap(unit.shaper, frames: 64) { buffer, _ in heard.withLock { $0 += buffer[0] } }
        try player.play(try file(.numbered(frames: 100_000)), at: .frame(5000))
        try engine.start()
        await player.waitUntilEnd()
        #expect(player.startPosition == 5000 && player.endPosition == 105_000 && player.underrunFrames == 0)
        try waitUntil("the tap has heard the end") { heard.withLock { $0.count } > 105_000 }
        engine.close()
        #expect(firstDifference(Array(heard.withLock { $0 }[5000..<105_000]), numbers(0..<100_000)) == nil)
    }

    @Test func `lands at its frame when it is told while the engine runs`() throws {
        let server = try Server(Self.configuration())
        defer { server.stop() }
        let stage = try Stage(on: server.name)
        try stage.engine.start()
        let path = try file(.numbered(frames: 1000))
        let frame = stage.engine.position + 72_000
        try stage.player.play(path, at: .frame(frame))
        try waitUntil("its end") { stage.player.endPosition == frame + 1000 }
        #expect(stage.player.startPosition == frame)
        stage.engine.close()
    }

    @Test func `in freewheel has nothing left out`() throws {
        let server = try Server(Self.configuration())
        defer { server.stop() }
        let stage = try Stage(on: server.name)
        let other = try Listener(server: server, channels: 1, capacity: 1000)
        try stage.engine.start()
        try other.setFreewheel(true)
        // Ten rings full, many times faster than in real time.
        try stage.player.play(try file(.numbered(frames: 480_000)))
        try waitUntil("the end of the file") { stage.player.endPosition != nil }
        try other.setFreewheel(false)
        let end = stage.engine.position
        try waitUntil("the tap has heard the end") { stage.engine.position > end + 10_000 }
        stage.engine.close()
        #expect(stage.player.underrunFrames == 0 && stage.player.failure == nil)
        #expect(firstDifference(Array(stage.sound.prefix(480_000)), numbers(0..<480_000)) == nil)
    }

    @Test func `in freewheel ends a file that breaks, and not the server`() throws {
        let server = try Server(Self.configuration())
        defer { server.stop() }
        let stage = try Stage(on: server.name)
        let other = try Listener(server: server, channels: 1, capacity: 1000)
        try stage.engine.start()
        try stage.player.play(try file(.numbered(frames: 480_000)))
        try waitUntil("it is heard") { stage.player.playedFrames > 0 }
        truncate(folder("a.wav"), 1_000_000)
        try other.setFreewheel(true)
        try waitUntil("the end of the file") { stage.player.endPosition != nil }
        #expect(stage.player.failure?.kind == .io)
        #expect((200_000..<250_000).contains(stage.player.playedFrames))
        try other.setFreewheel(false)
        stage.engine.close()
    }

    /// A file of numbered frames that can be held up.
    final class SlowFile: Playable {
        let isHeld = Atomic<Bool>(false)
        func frames(at sampleRate: Int) -> Int? { nil }
        func open(
            sampleRate: Int, channels: Int, from seconds: Double
        ) throws(SoundFileError) -> sending any Signal { SlowSignal(file: self) }
    }

    struct SlowSignal: Signal {
        let file: SlowFile
        var position = 0
        let channels = 1
        mutating func read(_ frames: Int, into target: inout [Float]) -> Int {
            try? waitUntil("the file may be read") { !file.isHeld.load(ordering: .relaxed) }
            for frame in 0..<frames { target[frame] = Sound.numberedSample(position + frame) }
            position += frames
            return frames
        }
    }

    @Test func `counts what a slow file leaves out, and then goes on with the next frame`() throws {
        let server = try Server(Self.configuration())
        defer { server.stop() }
        let stage = try Stage(on: server.name)
        try stage.engine.start()
        let file = SlowFile()
        stage.player.play(file)
        try waitUntil("it is heard") { stage.player.playedFrames > 0 }
        file.isHeld.store(true, ordering: .relaxed)
        try waitUntil("it underruns") { stage.player.underrunFrames > 0 }
        file.isHeld.store(false, ordering: .relaxed)
        let played = stage.player.playedFrames
        try waitUntil("it goes on") { stage.player.playedFrames > played + 48_000 }
        stage.player.stop()
        stage.engine.close()
        let heard = stage.sound.filter { $0 != 0 }
        #expect(heard.count > 48_000 && firstDifference(heard, numbers(0..<heard.count)) == nil)
        #expect(stage.player.underrunFrames > 0)
    }

    /// A file on a disk that does not answer until it may.
    final class HungFile: Playable {
        let isAsked = Atomic<Bool>(false)
        let mayAnswer = Semaphore()
        func frames(at sampleRate: Int) -> Int? { nil }
        func open(
            sampleRate: Int, channels: Int, from seconds: Double
        ) throws(SoundFileError) -> sending any Signal {
            isAsked.store(true, ordering: .relaxed)
            mayAnswer.wait()
            throw SoundFileError(.io, "open", "a.wav", "the disk was away")
        }
    }

    @Test func `that is attached while the engine runs holds nobody up where a disk hangs`() throws {
        let server = try Server(Self.configuration())
        defer { server.stop() }
        let stage = try Stage(on: server.name)
        try stage.engine.start()
        let (engine, late, file) = (stage.engine, Player(), HungFile())
        defer { file.mayAnswer.handle.post() }
        late.play(file)
        let attacher = try Worker("attacher") { _ = engine.attach(late) }
        try waitUntil("its file is being opened") { file.isAsked.load(ordering: .relaxed) }
        try waitUntil("it is attached all the same") { attacher.isFinished }
        try engine.connect(late, to: engine.output)
        #expect(engine.isConnected(late, to: engine.output) && late.failure == nil)
        file.mayAnswer.handle.post()
        try waitUntil("what the disk said is told") { late.failure?.kind == .io }
        engine.close()
    }

    @Test func `goes on at its frame when the server was killed and comes back`() throws {
        let host = try Succession(Self.configuration())
        let stage = try Stage(on: host.name, ReconnectPolicy(.automatic))
        try stage.player.play(try file(.numbered(frames: 960_000)))
        try stage.engine.start()
        try waitUntil("a while of the file") { stage.player.playedFrames > 20_000 }
        try host.end(by: SIGKILL)
        try host.startAgain()
        let played = stage.player.playedFrames
        try waitUntil("it goes on") { stage.player.playedFrames > played + 20_000 }
        #expect(stage.engine.resets == 1)
        stage.engine.close()
        // The tap's buffers end with the server's periods, so that it misses nothing.
        let heard = stage.sound
        #expect(firstDifference(heard, numbers(0..<heard.count)) == nil)
        #expect(stage.player.startPosition == 0)
    }

    @Test func `goes on at the time where it was when the server comes back at another rate`() throws {
        let host = try Succession(Self.configuration())
        let stage = try Stage(on: host.name, ReconnectPolicy(.automatic))
        // 10 s of a straight line: a sample tells its time at any rate.
        let line = Sound(samples: (0..<480_000).map { Float($0 + 1) / 480_000 })
        try stage.player.play(try file(line))
        try stage.engine.start()
        try waitUntil("a while of the file") { stage.player.playedFrames > 30_000 }
        try host.end(by: SIGKILL)
        try host.startAgain(Self.configuration(sampleRate: 96_000))
        let played = stage.player.playedFrames
        try waitUntil("it goes on") { stage.player.playedFrames > played + 50_000 }
        stage.engine.close()
        let (before, after) = (stage.sound(atRate: 48_000), stage.sound(atRate: 96_000))
        // The converter's filter begins in silence.
        let settled = try #require(after.dropFirst(2000).first)
        let expected = try #require(before.last) + 2000.0 / 960_000
        #expect(abs(settled - expected) < 200.0 / 480_000)
        #expect(stage.engine.sampleRate == 96_000 && stage.player.startPosition == 0)
    }

    @Test func `ends its worker when it is detached, and when the engine is closed`() throws {
        let server = try Server(Self.configuration())
        defer { server.stop() }
        let stage = try Stage(on: server.name)
        try stage.engine.start()
        // Players have workers on servers alone, and this suite has its turn at those.
        func workers() -> Int { Belongings.threads(named: "iounit-player") }
        // A thread names itself when it first runs.
        try waitUntil("it has its worker") { workers() == 1 }
        let second = stage.engine.attach(Player())
        try stage.engine.connect(second, to: stage.engine.output)
        try second.play(.tone(hertz: 440))
        try waitUntil("it plays") { second.playedFrames > 1000 }
        #expect(workers() == 2)
        stage.engine.detach(second)
        try waitUntil("its thread is gone") { workers() == 1 }
        #expect(!second.isPlaying && !second.isAttached)
        stage.engine.close()
        try waitUntil("the other's is gone too") { workers() == 0 }
    }
}
