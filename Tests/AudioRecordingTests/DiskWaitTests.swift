import Glibc
import TestSupport
import Testing
import Threads

@testable import AudioRecording

@Suite("A disk that a recording ends on") struct DiskWaitTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    @Test func `is waited for as long as it gets on`() {
        let isEnough = Semaphore()
        var looks: UInt64 = 0
        let isDone = DiskWait.run(
            patienceSeconds: 0.01,
            progress: {
                looks += 1
                if looks == 20 { isEnough.handle.post() }
                return looks
            }
        ) { isEnough.wait() }
        #expect(isDone && looks >= 20)
    }

    @Test func `is given up where it takes nothing, and what hangs goes on by itself`() throws {
        let isAnswering = Semaphore()
        let end = folder("end")
        let hasEnded = DiskWait.run(patienceSeconds: 0.02, progress: { 7 }) {
            isAnswering.wait()
            _ = mkdir(end, 0o700)
        }
        #expect(!hasEnded)
        isAnswering.handle.post()
        try waitUntil("what hung has ended") { access(end, F_OK) == 0 }
    }

    /// A pipe that nobody reads takes no more than 64 KiB, and less where small writes leave its pages half full. The recorder
    /// itself would give it up after 5 s.
    @Test func `loses what it has not taken, which is told and counted`() throws {
        let path = folder("a.wav")
        try #require(mkfifo(path, 0o600) == 0)
        let reading = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        try #require(reading >= 0)
        // Then the write that hangs ends as well.
        defer { close(reading) }
        let recorder = try Recorder(path: path, sampleRate: 48000, channels: 1)
        var feed = try TapFeed.start(recorder, channels: 1, capacity: 65536)
        try feed.feedAll(60_000)
        try waitUntil("the pipe to be half full") {
            var bytes: Int32 = 0
            return ioctl(reading, UInt(FIONREAD), &bytes) == 0 && bytes > 32_768
        }
        recorder.finish(isAbandoned: false, withoutServerUntil: nil, patienceSeconds: 0.5)
        #expect(recorder.failure?.kind == .io && recorder.failure?.path == path)
        #expect(recorder.failure?.reason.contains("the disk has not answered") == true)
        let counted = recorder.writtenFrames + recorder.missingFrames
        // Some blocks may be on their way from the tap to the file.
        #expect(counted <= 60_000 && counted > 60_000 - 17 * 480, "\(counted)")
        #expect(recorder.lostFrames > 30_000, "\(recorder.lostFrames)")
        // It does not begin again.
        recorder.finish()
        #expect(recorder.writtenFrames + recorder.missingFrames == counted)
    }
}
