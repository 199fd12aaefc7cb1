import AudioFiles
import AudioRealtime
import AudioRecording
import Glibc
import TestSupport
import Testing
import Threads

@testable import AudioIO

/// Parts of files, seeking and pauses, in an engine without a server.
@Suite("A player's place") struct PlayerPlaceTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private typealias Stage = PlayerTests.Stage

    private func silence(_ count: Int) -> [Float] { [Float](repeating: 0, count: count) }
    private func numbers(_ range: Range<Int>) -> [Float] { range.map(Sound.numberedSample) }

    private func file(_ sound: Sound, _ name: String = "a.wav") throws -> String {
        try sound.write(to: folder(name))
        return folder(name)
    }

    // Parts.

    @Test func `plays a part of a file, cut at the frame, once and in a loop`() throws {
        let stage = try Stage()
        let path = try file(.numbered(frames: 96_000))
        let part = try stage.player.play(path, from: 0.5, to: 0.75, at: .frame(10))
        try stage.player.play(path, from: 1.999_979, at: .afterPrevious)
        try stage.player.play(path, to: 3 / 48_000.0, at: .afterPrevious)
        var expected = silence(10) + numbers(24_000..<36_000) + numbers(95_999..<96_000) + numbers(0..<3)
        #expect(firstDifference(try stage.render(to: 12_100), expected + silence(12_100 - expected.count)) == nil)
        #expect(part.isDone && part.playedFrames == 12_000 && part.seconds == 0.75 && part.failure == nil)

        let looped = try Stage()
        try looped.player.play(path, from: 100 / 48_000.0, to: 877 / 48_000.0, loops: true)
        expected = (0..<10).flatMap { _ in numbers(100..<877) }
        #expect(firstDifference(try looped.render(to: expected.count), expected) == nil)
    }

    @Test(arguments: [(44_100, 11_025, 22_050), (22_050, 1, 4_001), (96_000, 7, 50_000)])
    func `converts a part whose length is exact`(rate: Int, first: Int, end: Int) throws {
        let stage = try Stage()
        let path = try file(.sine(hertz: 440, frames: 96_000, sampleRate: rate))
        let part = try stage.player.play(path, from: Double(first) / Double(rate), to: Double(end) / Double(rate))
        let next = try stage.player.play(path, from: 0.5, to: 0.7, at: .afterPrevious)
        try stage.render(to: 60_000)
        let length = Int((Double(end - first) * 48_000 / Double(rate)).rounded())
        #expect(part.playedFrames == length && next.playedFrames == 9600)
        #expect(stage.player.endPosition == UInt64(length + 9600) && stage.player.underrunFrames == 0)
    }

    @Test func `refuses a part behind the end, and takes what there is of one that reaches over it`() throws {
        let stage = try Stage()
        let path = try file(.numbered(frames: 4800))
        let refused = #expect(throws: SoundFileError.self) { try stage.player.play(path, from: 0.1) }
        #expect(refused?.kind == .badInput && refused?.description.contains("ends after 0.1 s") == true)
        try stage.player.play(path, from: 0.05, to: 9)
        #expect(try stage.render(to: 3000) == numbers(2400..<4800) + silence(600))
    }

    @Test func `plays the readable part of a file where that is accepted, and tells what is wrong`() throws {
        let path = try file(.numbered(frames: 10_000))
        truncate(path, 5000 * 4)
        #expect(throws: SoundFileError.self) { try Source(.file(path: path)) }
        let source = try Source(.file(path: path), accepting: .readablePart)
        #expect(source.flaws.count == 1)
        let stage = try Stage()
        let playback = stage.player.play(source)
        let heard = try stage.render(to: 10_000)
        let frames = playback.playedFrames
        #expect(frames > 4900 && frames < 5000 && Array(heard[..<frames]) == numbers(0..<frames))
        #expect(heard[frames...].allSatisfy { $0 == 0 } && playback.isDone && playback.failure == nil)
    }

    // A pause.

    @Test(arguments: [0, 100]) func `keeps its place in a pause, and goes on with the next frame`(ramp: Int) throws {
        let stage = try Stage(rampFrames: ramp)
        let playback = try stage.player.play(try file(.numbered(frames: 9000)))
        try stage.render(to: 1000, by: 333)
        stage.player.isPaused = true
        try stage.render(to: 5000, by: 77)
        #expect(stage.player.isPaused && playback.playedFrames == 1000 + ramp && !playback.isDone)
        stage.player.isPaused = false
        let heard = try stage.render(to: 14_000, by: 333)
        #expect(heard[(1000 + ramp)..<5000].allSatisfy { $0 == 0 })
        #expect(firstDifference(Array(heard[..<1000]), numbers(0..<1000)) == nil)
        let rest = Array(heard[(5000 + ramp)..<(13_000 - ramp)])
        #expect(firstDifference(rest, numbers((1000 + 2 * ramp)..<9000)) == nil)
        #expect(stage.player.underrunFrames == 0 && stage.player.playedFrames == 9000)
        for frame in 0..<ramp {
            #expect(abs(heard[1000 + frame]) <= numbers(1000 + frame..<1001 + frame)[0])
            #expect(abs(heard[5000 + frame]) <= numbers(1000 + ramp + frame..<1001 + ramp + frame)[0])
        }
    }

    @Test func `in a pause, what begins waits at its first frame, and then is heard from it as it is`() throws {
        let stage = try Stage(rampFrames: 100)
        let path = try file(.numbered(frames: 500))
        stage.player.isPaused = true
        try stage.player.play(path)
        #expect(try stage.render(to: 1000) == silence(1000))
        try stage.player.play(path, from: 100 / 48_000.0)
        try stage.render(to: 2000)
        stage.player.isPaused = false
        #expect(try stage.render(to: 3000)[2000...] == (numbers(100..<500) + silence(600))[...])
    }

    @Test func `keeps a pause over a new start of its engine, and when it is attached elsewhere`() throws {
        let stage = try Stage()
        let playback = try stage.player.play(try file(.numbered(frames: 2000)))
        try stage.render(to: 1000)
        stage.player.isPaused = true
        try stage.engine.reset()
        #expect(try stage.render(to: 2000)[1000...].allSatisfy { $0 == 0 })
        #expect(playback.playedFrames == 1000)
        stage.player.isPaused = false
        #expect(try stage.render(to: 3000)[2000...] == numbers(1000..<2000)[...])
    }

    // Another time.

    @Test func `goes to another time of what is heard, and then to what follows that`() throws {
        let stage = try Stage()
        let path = try file(.numbered(frames: 48_000))
        let playback = try stage.player.play(path, from: 0.25)
        let next = stage.player.play(buffer: AudioBuffer([numbers(7..<9)]), at: .afterPrevious)
        try stage.render(to: 1000)
        #expect(stage.player.current === playback && playback.seconds == 0.25 + 1000 / 48_000.0)
        #expect(stage.player.seek(toSeconds: 0.75) && playback.seconds == 0.75)
        try stage.render(to: 1500)
        #expect(stage.player.seek(toSeconds: -5) && playback.seconds == 0.25, "not before its start")
        try stage.render(to: 2000)
        #expect(stage.player.seek(toSeconds: 47_900 / 48_000.0))
        let heard = try stage.render(to: 3000)
        let expected =
            numbers(12_000..<13_000) + numbers(36_000..<36_500) + numbers(12_000..<12_500) + numbers(47_900..<48_000)
            + numbers(7..<9) + silence(898)
        #expect(firstDifference(heard, expected) == nil)
        #expect(playback.isDone && next.isDone && playback.playedFrames == 2100 && !stage.player.seek(toSeconds: 0))
    }

    @Test func `counts what it fades out of the place that it leaves`() throws {
        let stage = try Stage(rampFrames: 480)
        let playback = try stage.player.play(file(.numbered(frames: 48_000)))
        try stage.render(to: 1000)
        #expect(stage.player.seek(toSeconds: 0.5))
        try stage.render(to: 3000)
        #expect(playback.playedFrames == stage.player.playedFrames && playback.playedFrames > 3000)
    }

    @Test func `begins what follows where the time is behind the end, though that was read ahead`() throws {
        let stage = try Stage()
        let path = try file(.numbered(frames: 5000))
        let first = try stage.player.play(path)
        let second = try stage.player.play(path, from: 1000 / 48_000.0, to: 1100 / 48_000.0, at: .afterPrevious)
        let third = try stage.player.play(path, from: 2000 / 48_000.0, to: 2010 / 48_000.0, at: .afterPrevious)
        try stage.render(to: 100)
        #expect(stage.player.seek(toSeconds: 4990 / 48_000.0))
        try stage.render(to: 105)
        #expect(!second.isDone && !third.isDone, "they were read ahead, and are still to come")
        #expect(stage.player.seek(toSeconds: 8))
        let heard = try stage.render(to: 400)
        #expect(
            heard == numbers(0..<100) + numbers(4990..<4995) + numbers(1000..<1100) + numbers(2000..<2010)
                + silence(185))
        #expect(first.isDone && second.isDone && third.isDone && third.playedFrames == 10)
    }

    @Test func `fades from one time to the other without a step`() throws {
        let stage = try Stage(rampFrames: 480)
        let tone = Sound.sine(hertz: 100, frames: 96_000, sampleRate: 48_000)
        try stage.player.play(try file(tone))
        try stage.render(to: 5000)
        // From a crest to a trough.
        stage.player.seek(toSeconds: 1 + Double(5000 % 480 + 240) / 48_000)
        let heard = try stage.render(to: 9000)
        #expect(!heard.isEmpty && heard.largestStep < tone.samples.largestStep + 1.1 / 480)
        let after = 48_000 + 5000 % 480 + 240 + 480
        #expect(Array(heard[5480..<9000]) == Array(tone.samples[after..<(after + 3520)]))
    }

    @Test func `takes back what is not being read yet, and no more`() throws {
        let stage = try Stage()
        let path = try file(.numbered(frames: 96_000))
        let first = try stage.player.play(path)
        let kept = stage.player.play(buffer: AudioBuffer([numbers(0..<5)]), at: .afterPrevious)
        let taken = try stage.player.play(path, at: .afterPrevious)
        let later = stage.player.play(buffer: AudioBuffer([numbers(0..<5)]), at: .frame(900_000))
        try stage.render(to: 100)
        #expect(!stage.player.cancel(first) && stage.player.cancel(taken) && !stage.player.cancel(taken))
        #expect(stage.player.cancel(later) && taken.isDone && later.isDone && !kept.isDone)
        try stage.render(to: 97_000)
        #expect(stage.heard[0][96_000...] == (numbers(0..<5) + silence(995))[...])
        #expect(!stage.player.isPlaying)
    }

    @Test func `tells for each thing what became of it`() throws {
        let stage = try Stage()
        let gone = try file(.numbered(frames: 100), "gone.wav")
        stage.player.play(buffer: AudioBuffer([silence(50_000)]))
        let lost = try stage.player.play(gone, at: .afterPrevious)
        let heard = stage.player.play(buffer: AudioBuffer([numbers(0..<480)]), at: .afterPrevious)
        unlink(gone)
        #expect(!lost.isDone && !heard.hasBegun && heard.seconds == 0)
        try stage.render(to: 50_100)
        #expect(lost.isDone && !lost.hasBegun && lost.failure?.kind == .noInput)
        #expect(heard.hasBegun && !heard.isDone && heard.playedFrames == 100 && heard.isSeekable)
        try stage.render(to: 51_000)
        #expect(heard.isDone && heard.failure == nil && heard.playedSeconds == 0.01)
        let stopped = stage.player.play(buffer: AudioBuffer([numbers(0..<48_000)]))
        let never = stage.player.play(buffer: AudioBuffer([numbers(0..<5)]), at: .frame(80_000))
        try stage.render(to: 51_100)
        stage.player.stop()
        try stage.render(to: 52_000)
        #expect(stopped.isDone && stopped.playedFrames == 100 && never.isDone && !never.hasBegun)
    }

    // With JACK's transport.

    @Test func `holds up JACK's transport only while it follows it`() throws {
        let player = Player(channels: 1)
        let format = NodeFormat(channels: 1, sampleRate: 48_000, rampMilliseconds: 0, hasWorkers: false)
        let node = PlanNode(player.core.driver.makeBody(format), channels: 1)
        let plan = Cell(PlanBuilder.plan(row: [node], rampFrames: 0))
        func isReady() -> Bool { plan.pointer.pointee.isReady(forTransportFrame: 5) }
        #expect(isReady())
        player.follow([try Source(.tone(hertz: 440))])
        #expect(!isReady())
        player.follow([])
        #expect(isReady())
        player.core.driver.end()
    }
}
