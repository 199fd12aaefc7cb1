import AudioFiles
import AudioIO
import AudioRecording
import Glibc
import Synchronization
import TestSupport
import Testing
import Threads

/// A player in an engine without a server: what it plays comes to the output at its frame, whatever its length.
@Suite("A player") struct PlayerTests {
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    /// An engine that plays, and what it has played.
    final class Stage {
        let engine: Engine
        let player: Player
        private(set) var heard: [[Float]]

        init(_ player: Player = Player(), channels: Int = 1, sampleRate: Int = 48_000, rampFrames: Int = 0) throws {
            engine = try Engine(
                offline: sampleRate, inputs: channels, outputs: channels,
                rampMilliseconds: Double(rampFrames) / Double(sampleRate) * 1000 + 0.001)
            self.player = player
            heard = [[Float]](repeating: [], count: channels)
            engine.attach(player)
            try engine.connect(player, to: engine.output)
            try engine.start()
        }

        /// Renders up to a frame, in pieces of this length.
        @discardableResult
        func render(to frame: Int, by length: Int = 500) throws -> [Float] {
            while heard[0].count < frame {
                let block = try engine.render(min(length, frame - heard[0].count))
                for (channel, samples) in block.enumerated() { heard[channel] += samples }
            }
            return heard[0]
        }
    }

    func silence(_ count: Int) -> [Float] { [Float](repeating: 0, count: count) }
    func numbers(_ range: Range<Int>) -> [Float] { range.map(Sound.numberedSample) }
    func buffer(_ range: Range<Int>) -> AudioBuffer { AudioBuffer([numbers(range)]) }

    func file(_ sound: Sound, _ name: String = "a.wav") throws -> String {
        try sound.write(to: folder(name))
        return folder(name)
    }

    // When.

    @Test(arguments: [1, 64, 480, 1024, 5000])
    func `lands at the frame that was named, however long the blocks are`(length: Int) throws {
        let stage = try Stage()
        try stage.player.play(try file(.numbered(frames: 3000)), at: .frame(1234))
        let heard = try stage.render(to: 5000, by: length)
        #expect(firstDifference(heard, silence(1234) + numbers(0..<3000) + silence(766)) == nil)
        #expect(stage.player.startPosition == 1234 && stage.player.endPosition == 4234)
        #expect(stage.player.playedFrames == 3000 && stage.player.underrunFrames == 0)
        #expect(!stage.player.isPlaying && stage.player.failure == nil)
    }

    @Test func `can be told before it is attached, and before its engine runs`() throws {
        let player = Player()
        player.play(buffer: buffer(0..<100), at: .frame(10))
        let engine = try Engine(offline: 44_100, inputs: 1, outputs: 1)
        engine.attach(player)
        player.play(buffer: buffer(100..<150), at: .afterPrevious)
        try engine.connect(player, to: engine.output)
        #expect(player.isPlaying && player.startPosition == nil)
        try engine.start()
        #expect(try engine.render(200)[0] == silence(10) + numbers(0..<150) + silence(40))
    }

    @Test func `plays one thing after the other without a gap, however short they are and of what kind`() throws {
        let stage = try Stage()
        let path = try file(.numbered(frames: 5000))
        stage.player.play(buffer: buffer(0..<1), at: .frame(700))
        var expected = silence(700) + numbers(0..<1)
        for place in 0..<300 {
            let range = place * 7..<place * 7 + place % 13
            stage.player.play(buffer: buffer(range), at: .afterPrevious)
            expected += numbers(range)
        }
        for _ in 0..<3 {
            try stage.player.play(path, at: .afterPrevious)
            expected += numbers(0..<5000)
        }
        expected += silence(1000)
        #expect(firstDifference(try stage.render(to: expected.count), expected) == nil)
        #expect(stage.player.underrunFrames == 0)
    }

    @Test func `goes on without a gap with what comes while the last block of the one before is heard`() throws {
        let stage = try Stage()
        stage.player.play(buffer: buffer(0..<1000), at: .now)
        try stage.render(to: 999, by: 333)
        stage.player.play(buffer: buffer(0..<10), at: .afterPrevious)
        try stage.render(to: 1009, by: 10)
        stage.player.play(buffer: buffer(20..<30), at: .afterPrevious)
        let heard = try stage.render(to: 1100)
        #expect(heard == silence(0) + numbers(0..<1000) + numbers(0..<10) + numbers(20..<30) + silence(80))
    }

    @Test func `keeps loops of different lengths together for as long as they run`() throws {
        let (lengths, frames) = ([441, 480, 1000], 500_000)
        let engine = try Engine(offline: 48_000, inputs: 0, outputs: 1)
        for length in lengths {
            let player = engine.attach(Player())
            try engine.connect(player, to: engine.output)
            player.play(buffer: buffer(0..<length), at: .frame(100), loops: true)
        }
        try engine.start()
        let heard = try engine.render(100 + frames)[0]
        let expected = (0..<frames).map { frame in
            lengths.reduce(0) { $0 + Sound.numberedSample(frame % $1) }
        }
        #expect(firstDifference(heard, silence(100) + expected) == nil)
    }

    @Test func `lands at its frame however late it is attached or connected`() throws {
        let stage = try Stage()
        let late = Player()
        try stage.render(to: 100_000)
        stage.engine.attach(late)
        late.play(buffer: buffer(0..<100), at: .frame(100_007))
        try stage.engine.connect(late, to: stage.engine.output)
        try stage.render(to: 101_000)
        stage.engine.disconnect(late, from: stage.engine.output)
        late.play(buffer: buffer(0..<100), at: .frame(250_003))
        try stage.render(to: 250_000)
        try stage.engine.connect(late, to: stage.engine.output)
        try stage.render(to: 251_000)
        let heard = stage.heard[0]
        #expect(Array(heard[100_007..<100_107]) == numbers(0..<100))
        #expect(Array(heard[250_003..<250_103]) == numbers(0..<100))
        #expect(heard.filter { $0 != 0 }.count == 200)
    }

    @Test func `ends at the frame that was named, and fades out from there where there is a ramp`() throws {
        for rampFrames in [0, 100] {
            let stage = try Stage(rampFrames: rampFrames)
            let ones = AudioBuffer([[Float](repeating: 1, count: 10_000)])
            stage.player.play(buffer: ones, at: .frame(100))
            stage.player.play(buffer: ones, at: .frame(3000))
            stage.player.stop(at: .frame(2000))
            let heard = try stage.render(to: 4000)
            #expect(heard[100..<2000].allSatisfy { $0 == 1 })
            #expect(heard[(2000 + rampFrames)...].allSatisfy { $0 == 0 }, "what was to begin later is left out too")
            let steps = zip(heard[1999...], heard[2000...]).map { $0 - $1 }
            #expect(rampFrames == 0 || steps.max() ?? 1 < 1.01 / Float(rampFrames))
            #expect(stage.player.endPosition == 2000 && !stage.player.isPlaying)
        }
    }

    @Test func `begins where a stop is, and what is scheduled behind a stop is heard`() throws {
        let stage = try Stage()
        stage.player.play(buffer: buffer(0..<1000), at: .now)
        stage.player.stop(at: .frame(400))
        stage.player.play(buffer: buffer(50..<60), at: .afterPrevious)
        stage.player.play(buffer: buffer(0..<10), at: .frame(600))
        let heard = try stage.render(to: 700)
        #expect(
            heard == numbers(0..<400) + numbers(50..<60) + silence(190) + numbers(0..<10) + silence(90))
        stage.player.play(buffer: buffer(0..<1000), at: .now)
        try stage.render(to: 800)
        stage.player.stop()
        #expect(try stage.render(to: 1000)[700...] == (numbers(0..<100) + silence(200))[...])
    }

    @Test func `takes the place of what plays at its frame, in the order of the frames and not of the calls`() throws {
        let stage = try Stage()
        stage.player.play(buffer: buffer(2000..<3000), at: .frame(500))
        stage.player.play(buffer: buffer(0..<1000), at: .frame(100))
        stage.player.play(buffer: buffer(5000..<5010), at: .frame(500))
        try stage.player.play(.silence, at: .frame(700))
        let heard = try stage.render(to: 800)
        #expect(heard == silence(100) + numbers(0..<400) + numbers(5000..<5010) + silence(290))
    }

    @Test func `begins as many things as there are, though only so many are handed over at once`() throws {
        let stage = try Stage()
        for place in (0..<300).reversed() {
            stage.player.play(buffer: buffer(place..<place + 1), at: .frame(UInt64(place * 1000)))
        }
        let heard = try stage.render(to: 300 * 1000)
        var expected = silence(300 * 1000)
        for place in 0..<300 { expected[place * 1000] = Sound.numberedSample(place) }
        #expect(firstDifference(heard, expected) == nil)
    }

    // What.

    @Test func `loops a file without a seam, and a buffer`() throws {
        let stage = try Stage()
        try stage.player.play(try file(.numbered(frames: 777)), at: .frame(5), loops: true)
        let rounds = (0..<100).flatMap { _ in numbers(0..<777) }
        #expect(firstDifference(try stage.render(to: 50_000), Array((silence(5) + rounds).prefix(50_000))) == nil)
        stage.player.play(buffer: buffer(3..<10), at: .now, loops: true)
        #expect(
            try stage.render(to: 50_070)[50_000...] == ArraySlice((0..<10).flatMap { _ in numbers(3..<10) }))
        #expect(stage.player.isPlaying)
    }

    @Test func `converts a file of another rate: it has its pitch and its length`() throws {
        let stage = try Stage()
        try stage.player.play(try file(.sine(hertz: 1000, frames: 44_100, sampleRate: 44_100)), at: .frame(1000))
        let heard = try stage.render(to: 60_000)
        #expect(stage.player.startPosition == 1000 && stage.player.playedFrames == 48_000)
        // Away from its ends, which the converter's filter rounds off.
        for frame in 2000..<46_000 {
            let expected = 0.5 * sin(2 * Double.pi * 1000 * Double(frame) / 48_000)
            guard abs(Double(heard[1000 + frame]) - expected) > 1e-4 else { continue }
            Issue.record("frame \(frame) is \(heard[1000 + frame]) and not \(expected)")
            break
        }
        #expect(heard[50_000...].allSatisfy { $0 == 0 })
    }

    @Test func `converts a buffer that has a rate, and takes one that has none as it is`() throws {
        let stage = try Stage(sampleRate: 96_000)
        stage.player.play(buffer: AudioBuffer([[Float](repeating: 0.5, count: 4800)]), sampleRate: 48_000)
        try stage.render(to: 20_000)
        #expect(stage.player.playedFrames == 9600)
        stage.player.play(buffer: buffer(0..<100))
        #expect(try stage.render(to: 20_200)[20_000...] == (numbers(0..<100) + silence(100))[...])
    }

    @Test func `plays one channel to all, mixes more down, and leaves those silent that a file lacks`() throws {
        let stage = try Stage(channels: 3)
        stage.player.play(buffer: buffer(0..<100))
        stage.player.play(buffer: AudioBuffer([numbers(0..<100), numbers(200..<300)]), at: .afterPrevious)
        let five = Sound.numbered(frames: 100, channels: 5)
        try stage.player.play(try file(five), at: .afterPrevious)
        try stage.render(to: 300)
        #expect(stage.heard.allSatisfy { $0[..<100] == numbers(0..<100)[...] })
        #expect(stage.heard.map { Array($0[100..<200]) } == [numbers(0..<100), numbers(200..<300), silence(100)])
        let mix = ChannelMatrix(from: 5, to: 3)
        for (input, weights) in mix.weights.enumerated() {
            let expected = (0..<100).map { frame in
                Float((0..<5).reduce(0.0) { $0 + weights[$1] * Double(five.samples[frame * 5 + $1]) })
            }
            #expect(Array(stage.heard[input][200...]) == expected)
        }
    }

    @Test func `plays tones and noise as sources do`() throws {
        let stage = try Stage()
        try stage.player.play(.tone(hertz: 1000), at: .frame(48))
        let heard = try stage.render(to: 1000)
        #expect(heard[48 + 12] == 0.25 && heard[48 + 36] == -0.25)
        try stage.player.play(.noise)
        #expect(try stage.render(to: 2000)[1000...].allSatisfy { abs($0) <= 0.25 && $0 != 0 })
    }

    // What is refused, and what fails.

    @Test func `tells at once what cannot be played, and goes on with what plays`() throws {
        let player = Player()
        let missing = #expect(throws: SoundFileError.self) { try player.play(folder("none.wav")) }
        #expect(missing?.kind == .noInput)
        let low = #expect(throws: SoundFileError.self) { try player.play(.tone(hertz: 3)) }
        #expect(low?.kind == .badInput)
        let stage = try Stage(player)
        player.play(buffer: buffer(0..<1000))
        try stage.render(to: 100)
        #expect(throws: SoundFileError.self) { try player.play(folder("none.wav")) }
        #expect(try stage.render(to: 1000) == numbers(0..<1000))
    }

    @Test func `tells of a file that is gone or broken when its turn comes, and goes on with the next`() throws {
        let stage = try Stage()
        let (gone, cut) = (try file(.numbered(frames: 100), "gone.wav"), try file(.numbered(frames: 90_000), "cut.wav"))
        stage.player.play(buffer: AudioBuffer([silence(50_000)]))
        try stage.player.play(gone, at: .afterPrevious)
        stage.player.play(buffer: buffer(0..<10), at: .afterPrevious)
        unlink(gone)
        try stage.render(to: 50_010)
        #expect(stage.heard[0][50_000...] == numbers(0..<10)[...])
        #expect(stage.player.failure?.kind == .noInput && stage.player.failure?.path == gone)
        try stage.player.play(cut)
        truncate(cut, 80_000 * 4)
        try stage.render(to: 180_000)
        #expect(stage.player.failure?.kind == .io && stage.player.failure?.path == cut)
        #expect(!stage.player.isPlaying)
    }

    @Test func `plays silence in place of what is no sound, and counts it`() throws {
        let stage = try Stage()
        var samples = numbers(0..<100)
        (samples[3], samples[50], samples[99]) = (.nan, -.infinity, 1e30)
        let path = try file(Sound(samples: samples))
        try stage.player.play(path)
        (samples[3], samples[50], samples[99]) = (0, 0, 0)
        #expect(try stage.render(to: 100) == samples)
        #expect(stage.player.nonFiniteSamples == 3)
    }

    @Test func `hears nobody, so nothing can be connected to it`() throws {
        let stage = try Stage()
        let error = #expect(throws: NodeError.wrongDirection("player")) {
            try stage.engine.connect(stage.engine.input, to: stage.player)
        }
        #expect(error?.description == "nothing can be connected to the player; connect it to something")
    }

    // Its end.

    @Test func `leaves no file open when it is detached, and can be attached again`() throws {
        let stage = try Stage(rampFrames: 100)
        let path = try file(.numbered(frames: 200_000))
        for place in 0..<5 { try stage.player.play(path, at: .frame(UInt64(place * 1000))) }
        try stage.render(to: 2500)
        #expect(Belongings.descriptors(of: path) > 0)
        stage.engine.detach(stage.player)
        #expect(Belongings.descriptors(of: path) == 0 && !stage.player.isPlaying)
        #expect(try stage.render(to: 4000)[3000...].allSatisfy { $0 == 0 }, "it has faded out")
        #expect(stage.player.underrunFrames == 0)
        let played = stage.player.playedFrames
        let next = try Stage(stage.player)
        stage.player.play(buffer: buffer(0..<100))
        #expect(try next.render(to: 100) == numbers(0..<100))
        #expect(stage.player.playedFrames == played + 100)
    }

    @Test func `closes its files when its engine is closed, and when they have been played`() throws {
        let path = try file(.numbered(frames: 100_000))
        do {
            let stage = try Stage()
            try stage.player.play(path)
            #expect(Belongings.descriptors(of: path) == 1)
            try stage.render(to: 110_000)
            #expect(Belongings.descriptors(of: path) == 0)
            try stage.player.play(path, loops: true)
            stage.engine.close()
        }
        #expect(Belongings.descriptors(of: path) == 0)
    }

    @Test func `goes on where it was when its engine is stopped and started again`() throws {
        let stage = try Stage()
        try stage.player.play(try file(.numbered(frames: 5000)))
        try stage.render(to: 1000)
        stage.engine.stop()
        try stage.engine.start()
        #expect(firstDifference(try stage.render(to: 5000), numbers(0..<5000)) == nil)
        #expect(stage.player.startPosition == 0 && stage.player.endPosition == 5000)
    }

    @Test func `is recorded at its frame once the latency is taken away`() throws {
        let stage = try Stage()
        let latency = 357
        let loop = stage.engine.attach(Delay(frames: latency))
        try stage.engine.connect(stage.player, to: loop)
        let taken = Mutex<(samples: [Float], start: UInt64?)>(([], nil))
        try stage.engine.tap(loop, frames: 128) { buffer, time in
            taken.withLock { taken in
                if taken.start == nil { taken.start = time.position }
                taken.samples += buffer[0]
            }
        }
        stage.player.play(buffer: buffer(0..<1000), at: .frame(2345))
        try stage.render(to: 8000)
        let (samples, start) = taken.withLock { $0 }
        let first = try #require(samples.firstIndex { $0 != 0 })
        #expect(try #require(start) + UInt64(first) - UInt64(latency) == 2345)
        #expect(Array(samples[first..<first + 1000]) == numbers(0..<1000))
    }

    @Test func `ends a wait for its end when all is over, it is detached, or the task is cancelled`() async throws {
        let stage = try Stage()
        await stage.player.waitUntilEnd()
        stage.player.play(buffer: buffer(0..<100))
        let player = stage.player
        let ended = Task { await player.waitUntilEnd() }
        try stage.render(to: 200)
        await ended.value
        player.play(buffer: buffer(0..<100), at: .frame(10_000))
        let cancelled = Task { await player.waitUntilEnd() }
        cancelled.cancel()
        await cancelled.value
        let detached = Task { await player.waitUntilEnd() }
        stage.engine.detach(player)
        await detached.value
    }
}
