import AudioFiles
import AudioRecording
import CSndFile
import Glibc
import TestSupport
import Testing
import Threads

/// What is left of a recording when its process is killed or its disk is full.
@Suite struct BrokenRecordingTests {
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    /// Records into the tap without an end, and has itself killed when so much is in the file.
    static func recordUntilKilled(_ path: String, frames: Int) throws {
        let recorder = try Recorder(path: path, sampleRate: 48000, channels: 2)
        let killer = try Worker("killer") {
            while recorder.writtenFrames < frames { sched_yield() }
            kill(getpid(), SIGKILL)
        }
        var feed = try TapFeed.start(recorder, channels: 2, capacity: 8192)
        try feed.feedAll(.max)
        killer.join()
    }

    @Test(
        arguments: ["a.wav", "a.rf64", "a.w64", "a.caf", "a.aiff", "a.au"], [1, 20_000, 300_000])
    func aKilledRecordingOfSamplesIsWholeUpToTheLastWrite(name: String, frames: Int) async throws {
        let path = folder(name)
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, frames = frames as Int] in
            try Self.recordUntilKilled(path, frames: frames)
        }
        let (sound, _, promised) = try Sound.read(path)
        #expect(sound.frames >= frames)
        #expect(promised == sound.frames)
        #expect(sound == Sound.numbered(frames: sound.frames, channels: 2))
        // And it is taken for a source, not for a file that was cut off.
        _ = try Source(.file(path: path), sampleRate: 48000, channels: 2)
    }

    @Test(
        arguments: [("a.flac", 4608), ("a.ogg", 60_000), ("a.opus", 24_000), ("a.mp3", 4608)], [100_000, 300_000])
    func aKilledCompressedRecordingLosesNoMoreThanItsLastPage(kind: (String, Int), frames: Int) async throws {
        let path = folder(kind.0)
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, frames = frames as Int] in
            try Self.recordUntilKilled(path, frames: frames)
        }
        let (sound, _, _) = try Sound.read(path)
        #expect(sound.frames >= frames - kind.1, "\(sound.frames) of \(frames) frames")
        _ = try Source(.file(path: path), sampleRate: 48000, channels: 2)
    }

    @Test(arguments: ["a.wav", "a.w64", "a.caf", "a.aiff", "a.au", "a.flac", "a.ogg", "a.opus", "a.mp3"])
    func aFullDiskEndsTheFileAndNotTheProgram(name: String) async throws {
        let path = folder(name)
        await #expect(processExitsWith: .success) { [path = path as String] in
            // Writing beyond the limit fails as it does on a full disk, once the signal is out of the way.
            signal(SIGXFSZ, SIG_IGN)
            let compresses = [".flac", ".ogg", ".opus", ".mp3"].contains { path.hasSuffix($0) }
            var limit = rlimit(rlim_cur: compresses ? 20_000 : 500_000, rlim_max: rlim_t.max)
            #expect(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
            let recorder = try Recorder(path: path, sampleRate: 48000, channels: 2)
            var feed = try TapFeed.start(recorder, channels: 2, capacity: 8192)
            try feed.feedAll(400_000)
            recorder.finish()
            #expect(recorder.failure?.kind == .io)
            #expect(recorder.failure?.reason.contains("is the disk full?") == true)
            #expect(recorder.droppedFrames == 0)
            #expect(recorder.lostFrames > 0 && recorder.writtenFrames > 0)
            #expect(recorder.writtenFrames + recorder.lostFrames == 400_000)
            let (sound, _, _) = try Sound.read(path)
            #expect(sound.frames > 0)
            if !compresses {
                #expect(sound == Sound.numbered(frames: sound.frames, channels: 2))
                #expect(sound.frames >= recorder.writtenFrames)
                _ = try Source(.file(path: path), sampleRate: 48000, channels: 2)
            }
        }
    }

    /// The encoders hold back what is no whole block or page yet.
    @Test(arguments: ["a.flac", "a.ogg", "a.opus", "a.mp3"])
    func aDiskThatIsFullOnlyAtTheEndIsToldOf(name: String) async throws {
        let path = folder(name)
        await #expect(processExitsWith: .success) { [path = path as String] in
            signal(SIGXFSZ, SIG_IGN)
            let writer = try SoundFileWriter(path: path, sampleRate: 48000, channels: 1)
            try writer.write((0..<10_000).map { Float($0 % 100) / 200 })
            let size = writer.bytes
            var limit = rlimit(rlim_cur: rlim_t(size), rlim_max: rlim_t.max)
            #expect(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
            let error = #expect(throws: SoundFileError.self) { try writer.close() }
            #expect(error?.kind == .io && error?.reason.contains("is the disk full?") == true)
            #expect(try bytes(of: path).count == size)
        }
    }

    @Test func aFileThatCannotGoOnBehindTheBeginningOfTheNextIsToldOfAtTheEnd() async throws {
        let folder = folder.path
        await #expect(processExitsWith: .success) { [folder = folder as String] in
            signal(SIGXFSZ, SIG_IGN)
            // More than one length of a file, and less than the two that the first is to have.
            var limit = rlimit(rlim_cur: 33_000, rlim_max: rlim_t.max)
            #expect(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
            var settings = RecordingSettings()
            settings.format = SoundFileFormat(.wav, .float)
            (settings.split, settings.overlapSeconds) = (.seconds(0.1), 0.1)
            let recorder = try Recorder(
                RecordingName("\(folder)/a.wav"), sampleRate: 48000, channels: 1, settings)
            var feed = try TapFeed.start(recorder, channels: 1, capacity: 65536)
            try feed.feedAll(9600)
            recorder.finish()
            #expect(recorder.failure?.kind == .io && recorder.writtenFrames == 9600)
            #expect(try Sound.read("\(folder)/a-2.wav").sound.frames == 4800)
        }
    }

    @Test(arguments: ["a.wav", "a.w64", "a.caf", "a.aiff", "a.au", "a.flac", "a.ogg", "a.opus"])
    func aDiskThatIsFullFromTheBeginningIsSaidAtOnce(name: String) async throws {
        let path = folder(name)
        await #expect(processExitsWith: .success) { [path = path as String] in
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: 0, rlim_max: rlim_t.max)
            #expect(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
            let error = #expect(throws: SoundFileError.self) {
                try Recorder(path: path, sampleRate: 48000, channels: 2)
            }
            #expect(error?.kind == .cannotCreate)
            #expect(access(path, F_OK) != 0, "the file was left behind")
        }
    }

    @Test func aRecordingThatFailsBeforeItsFirstFrameReplacesNothing() throws {
        let names = ["a.wav", "a.wav.dat", "a.wav.json"]
        for name in names { try put([1, 2, 3], at: folder(name)) }
        var settings = RecordingSettings()
        (settings.replaces, settings.writesPeaks) = (true, true)
        // No converter goes so far from the server's.
        settings.sampleRate = 100
        let recorder = try Recorder(RecordingName(folder("a.wav")), sampleRate: 48000, channels: 1, settings)
        var feed = try TapFeed.start(recorder, channels: 1, capacity: 1000)
        feed.feed(1000)
        recorder.finish()
        #expect(recorder.failure?.kind == .io && recorder.lostFrames == 1000 && recorder.segments.isEmpty)
        #expect(folder.names.sorted() == names)
        for name in names { #expect(try bytes(of: folder(name)) == [1, 2, 3]) }
    }
}
