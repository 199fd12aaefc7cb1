import AudioFiles
import AudioIO
import Glibc
import TestSupport
import Testing
import Threads

@testable import AudioRecording

/// Sound that comes through a pipe, in an engine without a server.
@Suite("A player of a pipe") struct PipedSourceTests {
    private let ends: PipeEnds

    init() throws { ends = try #require(PipeEnds()) }

    private func numbers(_ range: Range<Int>) -> [Float] { range.map(Sound.numberedSample) }

    /// The header of a WAV file of one channel of floats that does not know its length.
    private func header(sampleRate: UInt32 = 48_000) -> [UInt8] {
        func little(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } }
        return Array("RIFF".utf8) + little(.max) + Array("WAVEfmt ".utf8) + little(16) + [3, 0, 1, 0]
            + little(sampleRate) + little(sampleRate * 4) + [4, 0, 32, 0] + Array("data".utf8) + little(.max)
    }

    /// Fewer than a pipe holds.
    private func send(_ bytes: [UInt8]) { #expect(write(ends.writing, bytes, bytes.count) == bytes.count) }
    private func send(_ samples: [Float]) { send(samples.withUnsafeBytes { Array($0) }) }

    private func wait(for what: String, _ holds: () -> Bool) throws {
        let deadline = MonotonicClock.nanoseconds() + 20_000_000_000
        while !holds() {
            try #require(MonotonicClock.nanoseconds() < deadline, "never: \(what)")
            usleep(1000)
        }
    }

    @Test func `that is opened again is read by the last alone`() throws {
        send(header())
        let source = try PipedSource(descriptor: ends.reading, name: "a pipe")
        send(numbers(0..<2048))
        try wait(for: "two blocks") { source.isReady }
        var left = try source.open(sampleRate: 48_000, channels: 1, from: 0)
        var present = try source.open(sampleRate: 48_000, channels: 1, from: 0)
        var block = [Float](repeating: 0, count: 1024)
        #expect(try left.read(1024, into: &block) == 0)
        let count = try present.read(1024, into: &block)
        #expect(count > 0 && Array(block[..<count]) == numbers(0..<count))
        close(ends.writing)
    }

    @Test func `begins with the first block, waits for the rest without waiting, and counts the silence`() throws {
        send(header())
        let source = try PipedSource(descriptor: ends.reading, name: "a pipe")
        #expect(source.sampleRate == 48_000 && source.channels == 1 && source.seconds == nil && !source.isReady)
        send(numbers(0..<2048))
        try wait(for: "two blocks") { source.isReady }
        let stage = try PlayerTests.Stage()
        let playback = stage.player.play(source)
        var heard = 0
        // How much has come through is the reader's business; what was heard is in order.
        try wait(for: "all that there is") {
            _ = try? stage.render(to: stage.heard[0].count + 64, by: 64)
            heard = playback.playedFrames
            return heard == 2048
        }
        #expect(stage.heard[0].filter { $0 != 0 } == numbers(0..<2048))
        let late = stage.player.underrunFrames
        try stage.render(to: stage.heard[0].count + 640)
        #expect(stage.player.underrunFrames == late + 640 && !playback.isDone && playback.failure == nil)
        #expect(!stage.player.seek(toSeconds: 0) && !playback.isSeekable)
        send(numbers(2048..<2500))
        close(ends.writing)
        try wait(for: "the end") {
            _ = try? stage.render(to: stage.heard[0].count + 64, by: 64)
            return playback.isDone
        }
        #expect(stage.heard[0].filter { $0 != 0 } == numbers(0..<2500))
        #expect(playback.playedFrames == 2500 && !stage.player.isPlaying && playback.failure == nil)
        close(ends.reading)
    }

    @Test func `leaves out what comes before the part, and does not read what comes behind it`() throws {
        send(header() + numbers(0..<5000).withUnsafeBytes { Array($0) })
        let source = try PipedSource(
            descriptor: ends.reading, name: "a pipe", from: 1234 / 48_000.0, to: 3000 / 48_000.0)
        try wait(for: "the part") { source.isReady }
        let stage = try PlayerTests.Stage()
        let playback = stage.player.play(source)
        try wait(for: "the end") {
            _ = try? stage.render(to: stage.heard[0].count + 64, by: 64)
            return playback.isDone
        }
        #expect(stage.heard[0].filter { $0 != 0 } == numbers(1234..<3000) && playback.seconds == 3000 / 48_000.0)
        var waiting: CInt = 0
        #expect(ioctl(ends.reading, UInt(FIONREAD), &waiting) == 0)
        ends.close()
    }

    @Test func `is converted to the engine's rate, to its exact length`() throws {
        send(header(sampleRate: 44_100) + numbers(0..<4410).withUnsafeBytes { Array($0) })
        close(ends.writing)
        let source = try PipedSource(descriptor: ends.reading, name: "a pipe")
        let stage = try PlayerTests.Stage()
        let playback = stage.player.play(source)
        try wait(for: "the end") {
            _ = try? stage.render(to: stage.heard[0].count + 64, by: 64)
            return playback.isDone
        }
        #expect(playback.playedFrames == 4800)
        close(ends.reading)
    }

    @Test func `is refused where it brings no sound, and ends at once when nobody wants it`() throws {
        send(Array("hello, this is no sound at all".utf8))
        let refused = #expect(throws: SoundFileError.self) {
            try PipedSource(descriptor: ends.reading, name: "standard input")
        }
        #expect(refused?.kind == .badInput && refused?.description.hasPrefix("cannot play standard input: ") == true)
        let other = try #require(PipeEnds())
        let bytes = header()
        #expect(write(other.writing, bytes, bytes.count) == bytes.count)
        let source = try PipedSource(descriptor: other.reading, name: "a pipe")
        source.abandon()
        close(other.writing)
        try wait(for: "the reader's end") { source.isReady }
        close(other.reading)
        ends.close()
    }

    @Test func `its reader ends when nobody wants it, though the writer brings no more and stays`() throws {
        send(header() + numbers(0..<1500).withUnsafeBytes { Array($0) })
        var source: PipedSource? = try PipedSource(descriptor: ends.reading, name: "a pipe")
        try wait(for: "the first block") { source?.isReady == true }
        // The reader waits for the rest of the second block, and holds on to the source as long as it runs.
        weak let reader = source
        source?.abandon()
        source = nil
        try wait(for: "the reader's end") { reader == nil }
        ends.close()
    }

    @Test func `a header that claims absurd rates takes no more memory than a studio's`() {
        #expect(PipedSource.secondFrames(sampleRate: 192_000, channels: 32) == 192_000)
        #expect(PipedSource.secondFrames(sampleRate: Int(Int32.max), channels: 1024) == 6000)
    }
}
