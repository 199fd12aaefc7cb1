import AudioFiles
import AudioRealtime
import AudioRecording
import CSndFile
import Foundation
import Glibc
import TestSupport
import Testing
import Threads

@Suite struct RecorderTests {
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    func recorder(_ name: String, rate: Int = 48000, channels: Int = 2, force: Bool = false) throws -> Recorder {
        try Recorder(path: folder(name), sampleRate: rate, channels: channels, force: force)
    }

    func expectRefusal(
        _ name: String, _ kind: SoundFileError.Kind, _ words: String, rate: Int = 48000, channels: Int = 2,
        force: Bool = false
    ) {
        let error = #expect(throws: SoundFileError.self) {
            try recorder(name, rate: rate, channels: channels, force: force)
        }
        #expect(error?.kind == kind)
        #expect(error?.description.contains(words) == true, "\(String(describing: error))")
    }

    func record(_ name: String, frames: Int, channels: Int = 2, gain: Float = 1) throws -> Recorder {
        let recorder = try recorder(name, channels: channels)
        var feed = try TapFeed.start(recorder, channels: channels, capacity: 8192)
        try feed.feedAll(frames, gain: gain)
        recorder.finish()
        return recorder
    }

    // What is written.

    @Test(arguments: ["a.wav", "a.WAV", "a.rf64", "a.w64", "a.caf", "a.aiff", "a.aif", "a.au", "a.flac"])
    func aLosslessRecordingHoldsEveryFrame(name: String) throws {
        let recorder = try record(name, frames: 50_003)
        let (sound, _, promised) = try Sound.read(folder(name))
        #expect(sound == Sound.numbered(frames: 50_003, channels: 2))
        #expect(promised == 50_003)
        #expect(recorder.writtenFrames == 50_003 && recorder.droppedFrames == 0 && recorder.lostFrames == 0)
        #expect(recorder.failure == nil && recorder.path == folder(name))
    }

    @Test func `whose server has another rate by the start tells that of its file`() throws {
        let recorder = try recorder("a.wav", channels: 1)
        #expect(recorder.sampleRate == 48000)
        var feed = try TapFeed.start(recorder, channels: 1, capacity: 8192, sampleRate: 44100)
        try feed.feedAll(4410)
        recorder.finish()
        #expect(recorder.sampleRate == 44100 && recorder.writtenFrames == 4410 && recorder.failure == nil)
        #expect(try SoundFileReader(path: folder("a.wav")).sampleRate == 44100)
    }

    @Test func `whose server has another rate by the start has its list beside the file that it has then`() throws {
        let recorder = try Recorder(
            RecordingName(template: folder("{time}.wav")), sampleRate: 48000, channels: 1, RecordingSettings())
        let first = try #require(recorder.segments.first)
        try waitUntil("another second") {
            let time = LocalTime(WallClock.nanoseconds()).time.replacingOccurrences(of: ":", with: "-")
            return folder("\(time).wav") != first
        }
        var feed = try TapFeed.start(recorder, channels: 1, capacity: 8192, sampleRate: 44100)
        try feed.feedAll(4410)
        feed.drop(4410)
        try feed.feedMore(4410)
        recorder.finish()
        let path = try #require(recorder.segments.first)
        #expect(recorder.segments.count == 1 && path != first && recorder.failure == nil)
        #expect(recorder.sidecar == "\(path).json" && recorder.gaps.count == 1)
        #expect(folder.names.sorted().map { folder($0) } == [path, "\(path).json"])
    }

    @Test(arguments: ["a.ogg", "a.opus", "a.mp3"])
    func aLossyRecordingIsAsLong(name: String) throws {
        let recorder = try record(name, frames: 96_000)
        let (sound, _, _) = try Sound.read(folder(name))
        #expect((96_000...100_000).contains(sound.frames), "\(sound.frames) frames")
        #expect(recorder.writtenFrames == 96_000 && recorder.failure == nil)
    }

    @Test(arguments: [1, 3, 8])
    func anyNumberOfChannelsIsRecorded(channels: Int) throws {
        _ = try record("a.wav", frames: 5000, channels: channels)
        #expect(try Sound.read(folder("a.wav")).sound == Sound.numbered(frames: 5000, channels: channels))
    }

    @Test func aWAVFileHoldsFloatsBeyondOneAsTheyAre() throws {
        _ = try record("a.wav", frames: 1000, channels: 1, gain: 10_000)
        let (sound, format, _) = try Sound.read(folder("a.wav"))
        #expect(format & SF_FORMAT_SUBMASK == SF_FORMAT_FLOAT)
        #expect(sound.samples == (0..<1000).map { 10_000 * Sound.numberedSample($0) })
    }

    @Test func aFLACFileHasTwentyFourBitsAndClipsBeyondOne() throws {
        _ = try record("a.flac", frames: 2000, channels: 1, gain: 8192)
        let (sound, format, _) = try Sound.read(folder("a.flac"))
        #expect(format & SF_FORMAT_SUBMASK == SF_FORMAT_PCM_24)
        let highest = 1 - Float(1) / Float(1 << 23)
        #expect(sound.samples == (0..<2000).map { min(8192 * Sound.numberedSample($0), highest) })
    }

    @Test func aWAVFileIsPlainButKeepsRoomForThe64BitHeader() throws {
        _ = try record("a.wav", frames: 1000)
        let header = try bytes(of: folder("a.wav")).prefix(20)
        #expect(String(decoding: header[0..<4], as: UTF8.self) == "RIFF")
        #expect(String(decoding: header[12..<16], as: UTF8.self) == "JUNK")
        #expect(header[16] >= 24)
        _ = try record("a.rf64", frames: 1000)
        #expect(try String(decoding: bytes(of: folder("a.rf64")).prefix(4), as: UTF8.self) == "RF64")
    }

    @Test func aRecordingCanBePlayed() throws {
        for name in ["a.wav", "a.rf64", "a.w64", "a.caf", "a.aiff", "a.au", "a.flac", "a.ogg", "a.opus", "a.mp3"] {
            _ = try record(name, frames: 48_000)
            _ = try Source(.file(path: folder(name)), sampleRate: 48000, channels: 2, loop: true)
        }
    }

    // What is counted.

    @Test func framesWithoutRoomInTheTapAreCountedAsDropped() throws {
        let recorder = try recorder("a.wav")
        var feed = try TapFeed.start(recorder, channels: 2, capacity: 1000)
        // Longer than the whole ring: however fast the worker is, there is no room.
        #expect(feed.feed(1001) == 1001)
        #expect(feed.feed(1000) == 0)
        // Whatever is to be done at the end.
        recorder.mark("late", atPosition: 100_000)
        recorder.finish()
        #expect(recorder.droppedFrames == 1001)
        #expect(recorder.writtenFrames == 1000)
        #expect(recorder.lostFrames == 0)
    }

    @Test func whatIsWrittenIsInTheFileLongBeforeTheEnd() throws {
        let recorder = try recorder("a.wav")
        var feed = try TapFeed.start(recorder, channels: 2, capacity: 48_000)
        feed.feed(4800)
        try waitUntil("the worker to write") { recorder.writtenFrames == 4800 }
        #expect(try Sound.read(folder("a.wav")).sound == Sound.numbered(frames: 4800, channels: 2))
        recorder.finish()
    }

    @Test func finishingTwiceIsFinishingOnce() throws {
        let recorder = try record("a.wav", frames: 100)
        let before = try bytes(of: folder("a.wav"))
        recorder.finish()
        #expect(try bytes(of: folder("a.wav")) == before)
        #expect(recorder.failure == nil)
    }

    @Test func aRecorderThatIsForgottenFinishesItsFile() throws {
        do {
            let recorder = try recorder("a.flac")
            var feed = try TapFeed.start(recorder, channels: 2, capacity: 48_000)
            feed.feed(10_000)
        }
        #expect(try Sound.read(folder("a.flac")).promisedFrames == 10_000)
    }

    @Test(arguments: [false, true]) func `lets go of its tap when it is finished`(isAbandoned: Bool) throws {
        let recorder = try recorder("a.wav")
        var tap = Optional(Tap(channels: 2, capacity: 480))
        weak let left = tap
        if let reader = tap?.reader(capacity: 480) { try recorder.start(reader) }
        tap = nil
        #expect(left != nil)
        if isAbandoned { recorder.abandon() } else { recorder.finish() }
        #expect(left == nil)
        withExtendedLifetime(recorder) {}
    }

    @Test func aRecorderThatWasNeverStartedLeavesNoFile() throws {
        for name in ["a.wav", "a.flac", "a.ogg"] {
            let recorder = try recorder(name)
            #expect(folder.names.contains(name))
            recorder.finish()
            #expect(folder.names.isEmpty)
        }
    }

    @Test(arguments: [0, 480])
    func aRecordingThatIsAbandonedLeavesAFileOnlyWithSoundInIt(frames: Int) throws {
        let recorder = try Recorder(path: folder("a.wav"), sampleRate: 48000, channels: 1)
        var feed = try TapFeed.start(recorder, channels: 1, capacity: 4800)
        if frames > 0 { feed.feed(frames) }
        recorder.abandon()
        #expect(folder.names.contains("a.wav") == (frames > 0))
        #expect(recorder.writtenFrames == UInt64(frames) && recorder.failure == nil)
    }

    @Test func aNameThatIsAnothersByNowIsNotRemoved() throws {
        let recorder = try recorder("a.wav")
        rename(folder("a.wav"), folder("moved.wav"))
        try put([1, 2, 3], at: folder("a.wav"))
        recorder.finish()
        #expect(try bytes(of: folder("a.wav")) == [1, 2, 3])
    }

    // What cannot be created.

    @Test(arguments: ["a", "a.", "a.xyz", "wav", ".b/a", "a.wav.txt"])
    func anUnknownExtensionIsRefusedNamingTheKnownOnes(name: String) {
        expectRefusal(name, .unsupportedFormat, ".wav .rf64 .w64 .caf")
        #expect(folder.names.isEmpty)
    }

    @Test(arguments: [
        ("a.flac", 48000, 9, "no 9 channels (the most are 8)"), ("a.opus", 44100, 2, "no sample rate of 44100 hertz"),
        ("a.mp3", 48000, 3, "no 3 channels (the most are 2)"), ("a.mp3", 96000, 2, "no sample rate of 96000 hertz"),
        ("a.ogg", 48000, 300, "no 300 channels (the most are 255)"), ("a.wav", 48000, 2000, "no 2000 channels"),
        ("a.wav", 48000, 0, "no 0 channels (the fewest are 1)"), ("a.flac", 700_000, 2, "no sample rate of 700000"),
        ("a.ogg", 500_000, 2, "no sample rate of 500000 hertz"),
    ])
    func whatAFormatDoesNotTakeIsRefusedBeforeAFileIsTouched(
        name: String, rate: Int, channels: Int, words: String
    ) throws {
        expectRefusal(name, .unsupportedFormat, words, rate: rate, channels: channels)
        #expect(folder.names.isEmpty)
        try put([1, 2, 3], at: folder(name))
        expectRefusal(name, .unsupportedFormat, words, rate: rate, channels: channels, force: true)
        #expect(try bytes(of: folder(name)) == [1, 2, 3])
    }

    @Test func anExistingFileIsKeptUnlessForced() throws {
        let noise = [UInt8](repeating: 7, count: 100_000)
        try put(noise, at: folder("a.wav"))
        expectRefusal("a.wav", .exists, "--force")
        #expect(try bytes(of: folder("a.wav")) == noise)
        let recorder = try recorder("a.wav", force: true)
        var feed = try TapFeed.start(recorder, channels: 2, capacity: 1000)
        feed.feed(1000)
        recorder.finish()
        #expect(try Sound.read(folder("a.wav")).sound == Sound.numbered(frames: 1000, channels: 2))
        #expect(folder.names == ["a.wav"])
    }

    /// What fails between the making of the recorder and the first frame costs nothing.
    @Test(arguments: [RecordingStart.immediately, .onRequest])
    func aForcedFileIsKeptUntilTheFirstFrameComes(start: RecordingStart) throws {
        let old = [UInt8](repeating: 7, count: 1000)
        for name in ["a.wav", "a.wav.dat", "a.wav.json"] { try put(old, at: folder(name)) }
        #expect(chmod(folder("a.wav"), 0o640) == 0)
        var settings = RecordingSettings()
        (settings.replaces, settings.writesPeaks, settings.start) = (true, true, start)
        func make() throws -> Recorder {
            try Recorder(RecordingName(folder("a.wav")), sampleRate: 48000, channels: 2, settings)
        }
        let failed = try make()
        var feed = try TapFeed.start(failed, channels: 2, capacity: 1000)
        failed.abandon()
        #expect(folder.names.sorted() == ["a.wav", "a.wav.dat", "a.wav.json"])
        for name in folder.names { #expect(try bytes(of: folder(name)) == old) }
        let recorder = try make()
        feed = try TapFeed.start(recorder, channels: 2, capacity: 1000)
        recorder.begin()
        feed.feed(1000)
        recorder.finish()
        #expect(recorder.failure == nil && recorder.writtenFrames > 0)
        #expect(folder.names.sorted() == ["a.wav", "a.wav.dat"])
        for name in folder.names { #expect(try bytes(of: folder(name)) != old) }
        let mode = try FileManager.default.attributesOfItem(atPath: folder("a.wav"))[.posixPermissions] as? Int
        #expect(mode == 0o640)
    }

    /// In a folder as /tmp another user's file cannot be replaced: found out before anything is heard.
    @Test(.enabled(if: geteuid() == 0)) func anotherUsersFileInAFolderForAllIsRefusedAtOnce() async {
        // All threads of a process are one user.
        await #expect(processExitsWith: .success) { try #require(try Self.isRefusedAnothersFile()) }
    }

    private static func isRefusedAnothersFile() throws -> Bool {
        let folder = try TemporaryFolder()
        let path = folder("a.wav")
        try Data([1]).write(to: URL(fileURLWithPath: path))
        try #require(chmod(path, 0o666) == 0 && chmod(folder.path, 0o1777) == 0)
        try #require(chown(folder.path, 1, 1) == 0 && chown(path, 1, 1) == 0 && setuid(65534) == 0)
        let error = #expect(throws: SoundFileError.self) {
            try Recorder(path: path, sampleRate: 48000, channels: 1, force: true)
        }
        return error?.kind == .cannotCreate && error?.reason.contains("may not write there") == true
    }

    @Test(arguments: [false, true])
    func onlyRegularFilesAreWrittenOver(force: Bool) throws {
        mkdir(folder("folder.wav"), 0o700)
        expectRefusal("folder.wav", .cannotCreate, "directory", force: force)
        mkfifo(folder("pipe.wav"), 0o600)
        expectRefusal("pipe.wav", .cannotCreate, "start its reader first", force: force)
        try put([1], at: folder("target"))
        symlink(folder("target"), folder("link.wav"))
        expectRefusal("link.wav", .cannotCreate, "symbolic link", force: force)
        #expect(try bytes(of: folder("target")) == [1])
        symlink(folder("nowhere"), folder("dangling.wav"))
        expectRefusal("dangling.wav", .cannotCreate, "symbolic link", force: force)
        #expect(!folder.names.contains("nowhere"))
    }

    @Test(arguments: ["a.flac", "a.ogg", "a.opus"])
    func `counts all bytes that have gone into a pipe, also what its encoder held back`(name: String) throws {
        let path = folder(name)
        try #require(mkfifo(path, 0o600) == 0)
        let reading = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        try #require(reading >= 0)
        defer { close(reading) }
        let recorder = try recorder(name, channels: 1)
        var feed = try TapFeed.start(recorder, channels: 1, capacity: 65536)
        try feed.feedAll(10_000)
        recorder.finish()
        // The pipe has room for as many.
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = read(reading, &bytes, bytes.count)
        #expect(recorder.failure == nil && recorder.writtenBytes == count)
    }

    @Test func aMissingFolderIsRefused() throws {
        expectRefusal("missing/a.wav", .cannotCreate, "does not exist")
        try put([1], at: folder("file"))
        expectRefusal("file/a.wav", .cannotCreate, "is a file")
        expectRefusal(String(repeating: "a", count: 300) + ".wav", .cannotCreate, "too long")
    }

    @Test func aFolderThatMayNotBeWrittenToIsRefused() throws {
        // Root may write anywhere, but not in /proc.
        let path = geteuid() == 0 ? "/proc/a.wav" : "/a.wav"
        let error = #expect(throws: SoundFileError.self) { try Recorder(path: path, sampleRate: 48000, channels: 1) }
        #expect(error?.kind == .cannotCreate)
    }

    @Test func theUsersMaskApplies() async throws {
        let path = folder("a.wav")
        await #expect(processExitsWith: .success) { [path = path as String] in
            umask(0o027)
            let recorder = try Recorder(path: path, sampleRate: 48000, channels: 1)
            var facts = stat()
            #expect(stat(path, &facts) == 0)
            #expect(facts.st_mode & 0o777 == 0o640)
            recorder.finish()
        }
    }

    // A rate of its own.

    @Test func aRecordingWithManyGapsIsAsLongAtItsOwnRate() throws {
        var settings = RecordingSettings()
        settings.sampleRate = 16_000
        let recorder = try Recorder(RecordingName(folder("a.wav")), sampleRate: 16_000, channels: 1, settings)
        var feed = try TapFeed.start(recorder, channels: 1, capacity: 20_000)
        for gap in 0...60 {
            if gap > 0 { feed.begin(TapRun(sampleRate: 48_000, cause: .restart), after: 1e9 / 48_000 * 100) }
            // A third of a frame is left over of each part, and of each gap.
            try feed.feedMore(1000, block: 500)
        }
        recorder.finish()
        #expect(recorder.gapCount == 60)
        let excess = Int(recorder.writtenFrames) - (61 * 1000 + 60 * 100) / 3
        #expect(abs(excess) <= 1, "\(excess) frames too many")
        #expect(try Sound.read(folder("a.wav")).sound.frames == Int(recorder.writtenFrames))
    }
}
