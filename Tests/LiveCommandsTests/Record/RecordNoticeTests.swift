import AudioDSP
import AudioFiles
import AudioRealtime
import AudioRecording
import Glibc
import LiveRuns
import TestSupport
import Testing
import Threads

@testable import LiveCommands

@Suite("What record says of files that are not as they were to be") struct RecordNoticeTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    /// What a unit would give the recorder, a block at a time.
    private final class Silence {
        private let tap = Tap(channels: 1, capacity: 65536)
        private let planes = Planes(channels: 1, capacity: 4800)
        private var block = TapBlock(run: TapRun(sampleRate: 48000))

        init(to recorder: Recorder) throws {
            try recorder.start(tap.reader(capacity: 65536))
            block.frames = 4800
            block.entryNanoseconds = MonotonicClock.nanoseconds()
        }

        func begin(_ run: TapRun) {
            block.run = run
            block.runNumber += 1
        }

        func feed() {
            let isWritten = tap.writer.pointer.pointee.write(block, planes, planes.all)
            #expect(isWritten)
            block.position += 4800
            block.frameTime &+= 4800
            block.entryNanoseconds += 4800 * 1_000_000_000 / UInt64(block.run.sampleRate)
        }
    }

    @Test func `a conversion has one cause, however many files it goes on in`() throws {
        var settings = RecordingSettings()
        settings.split = .seconds(0.1)
        let recorder = try Recorder(
            RecordingName(folder("a.mp3")), sampleRate: 48000, channels: 1, settings)
        let silence = try Silence(to: recorder)
        silence.feed()
        // No MP3 file has this rate.
        silence.begin(TapRun(sampleRate: 96000, cause: .reset))
        silence.feed()
        try waitUntil("the conversion") { !recorder.notices.isEmpty }
        let first = try #require(recorder.notices.first)
        let count = recorder.segments.count
        for _ in 0..<4 { silence.feed() }
        try waitUntil("the next file") { recorder.segments.count > count }
        let next = try #require(recorder.notices.first)
        #expect(next.cause == first.cause && next.words.contains("converted to its rate"))
        recorder.finish()
        #expect(recorder.failure == nil && recorder.notices.count == 1)
        #expect(recorder.notices.first?.words != first.words)
    }

    @Test func `a file that cannot be made is told of while others are written`() throws {
        let inner = folder("inner")
        #expect(mkdir(inner, 0o700) == 0)
        var settings = RecordingSettings()
        settings.start = .onRequest
        let recorder = try Recorder(
            RecordingName("\(inner)/a.wav"), sampleRate: 48000, channels: 1, settings)
        let silence = try Silence(to: recorder)
        #expect(rmdir(inner) == 0 && recorder.notices.isEmpty)
        recorder.begin()
        silence.feed()
        try waitUntil("the failure") { recorder.failure != nil }
        #expect(recorder.notices.count == 1 && recorder.notices.first?.words == recorder.failure?.description)
        recorder.finish()
    }

    @Test func `a file that goes on where the next was to begin is told of until the next begins after all`() throws {
        let (inner, gone) = (folder("inner"), folder("gone"))
        #expect(mkdir(inner, 0o700) == 0)
        var settings = RecordingSettings()
        settings.split = .seconds(0.1)
        let recorder = try Recorder(
            RecordingName("\(inner)/a.wav"), sampleRate: 48000, channels: 1, settings)
        let silence = try Silence(to: recorder)
        #expect(rename(inner, gone) == 0)
        for _ in 0..<2 { silence.feed() }
        try waitUntil("the refusal") { !recorder.notices.isEmpty }
        #expect(recorder.notices.first?.words.contains("goes on in \(inner)/a.wav, and not in the next file") == true)
        #expect(rename(gone, inner) == 0)
        silence.feed()
        try waitUntil("the next file") { recorder.segments.count == 2 }
        #expect(recorder.notices.isEmpty)
        // The report goes on telling why the first is too long.
        #expect(recorder.splitRefusal?.contains("folder does not exist") == true)
        recorder.finish()
        #expect(recorder.failure == nil && recorder.writtenFrames == 14_400)
    }
}
