import AudioDSP
import AudioRealtime
import AudioRecording
import Glibc
import TestSupport
import Testing

/// The worker's and the audio thread's part of a player, hand in hand on one thread.
@Suite struct FeederTests {
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    /// A player without a server.
    struct Player: ~Copyable {
        let state = Cell(FeedState())
        let feeder: Feeder
        var unit: FeedUnit
        let output: UnsafeMutablePointer<Float>
        let frames: Int
        var frameTime: UInt32 = 1000

        init(_ source: Source, capacity: Int, frames: Int) throws {
            let signal = try source.open(sampleRate: 48000, channels: 2)
            let state = state
            let ring = FrameRing(channels: source.channels, capacity: capacity)
            feeder = Feeder(signal, producer: ring.producer, state: state)
            unit = FeedUnit(ring.consumer, state: state)
            self.frames = frames
            output = .allocate(capacity: frames * source.channels)
            for channel in 0..<source.channels {
                unsafe unit.outputs.set(channel, to: output + channel * frames)
            }
        }

        deinit { output.deallocate() }

        /// One cycle of the audio thread; returns what the first channel played.
        mutating func cycle() -> [Float] {
            unit.render(frames: frames, frameTime: frameTime)
            frameTime += UInt32(frames)
            return Array(UnsafeBufferPointer(start: output, count: frames))
        }

        func started(_ isStarted: Bool) { state.pointer.pointee.isStarted.store(isStarted, ordering: .releasing) }
        var underrunFrames: Int { state.pointer.pointee.underrunFrames.load(ordering: .relaxed) }
        var played: Int { state.pointer.pointee.playedFrames.load(ordering: .relaxed) }
        var total: Int { state.pointer.pointee.totalFrames.load(ordering: .relaxed) }
        var end: Int { state.pointer.pointee.endFrameTime.load(ordering: .relaxed) }
    }

    func file(_ frames: Int, channels: Int = 1) throws -> Source {
        try Sound.numbered(frames: frames, channels: channels).write(to: folder("a.wav"))
        return try Source(.file(path: folder("a.wav")), sampleRate: 48000, channels: 2)
    }

    @Test func aLateWorkerIsCountedAndNothingIsLeftOut() throws {
        var player = try Player(file(10_000), capacity: 2048, frames: 1000)
        player.started(true)
        #expect(player.feeder.fill())
        var played: [Float] = []
        for _ in 0..<3 { played += player.cycle() }
        #expect(player.played == 2048)
        #expect(player.underrunFrames == 952)
        #expect(played[2048...].allSatisfy { $0 == 0 })
        #expect(player.feeder.fill())
        #expect(player.cycle() == (2048..<3048).map { Sound.numberedSample($0) })
        #expect(player.underrunFrames == 952)
    }

    @Test func theEndIsTheLastFrameAndNoUnderrun() throws {
        var player = try Player(file(2500), capacity: 4096, frames: 1000)
        player.started(true)
        while player.feeder.fill() {}
        #expect(player.total == 2500)
        var played: [Float] = []
        for _ in 0..<4 { played += player.cycle() }
        #expect(played == (0..<2500).map { Sound.numberedSample($0) } + [Float](repeating: 0, count: 1500))
        #expect(player.end == 1000 + 2500)
        #expect(player.played == 2500 && player.underrunFrames == 0)
    }

    @Test func aFailureEndsTheSourceWhereItHappened() throws {
        var player = try Player(file(20_000), capacity: 4096, frames: 1000)
        player.started(true)
        player.feeder.fill()
        truncate(folder("a.wav"), 30_000)
        for _ in 0..<10 {
            _ = player.cycle()
            player.feeder.fill()
        }
        #expect(player.feeder.failure?.kind == .io)
        #expect(player.total == player.played && player.end == 1000 + player.played)
        #expect((7000..<8000).contains(player.played))
        #expect(!player.feeder.fill())
    }

    @Test func aStoppedWorkerMovesNothing() throws {
        var player = try Player(file(10_000), capacity: 4096, frames: 1000)
        player.started(true)
        player.feeder.stop()
        player.feeder.run()
        player.feeder.fill()
        #expect(player.cycle().allSatisfy { $0 == 0 })
        #expect(player.underrunFrames == 1000)
    }
}
