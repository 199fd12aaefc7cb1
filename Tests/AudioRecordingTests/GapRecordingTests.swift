import AudioFiles
import AudioRealtime
import AudioRecording
import CSndFile
import Foundation
import Glibc
import TestSupport
import Testing
import Threads

@Suite("A recording with gaps") struct GapRecordingTests {
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private func recorder(
        _ name: String = "a.wav", _ gapFill: GapFill = .silence, _ change: RateChange = .split, channels: Int = 2,
        force: Bool = false
    ) throws -> Recorder {
        try Recorder(
            path: folder(name), sampleRate: 48000, channels: channels, force: force, gapFill: gapFill,
            onRateChange: change)
    }

    /// What the list beside the recording says.
    private func list(_ name: String = "a.wav") throws -> [String: Any] {
        let data = try Data(contentsOf: URL(fileURLWithPath: folder("\(name).json")))
        return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    private func gaps(_ name: String = "a.wav") throws -> [[String: Any]] {
        try #require(try list(name)["gaps"] as? [[String: Any]])
    }

    enum Event: CaseIterable, CustomTestStringConvertible {
        case reset, restart, pause, skipped, late, dropped
        var testDescription: String { "\(self)" }
    }

    /// 4800 frames, the event, and 4800 more, recorded; 960 frames are missing between.
    private func record(_ event: Event, _ recorder: Recorder) throws {
        var feed = try TapFeed.start(recorder, channels: 2, capacity: 20_000)
        try feed.feedMore(4800, block: 64)
        switch event {
        case .reset: feed.begin(TapRun(sampleRate: 48000, cause: .reset), after: 20_000_000)
        case .restart: feed.begin(TapRun(sampleRate: 48000, cause: .restart), after: 20_000_000)
        case .pause: feed.pause(960)
        case .skipped: feed.stall(nanoseconds: 20_000_000, skippedFrames: 960)
        case .late: feed.stall(nanoseconds: 20_000_000)
        case .dropped: feed.drop(960)
        }
        try feed.feedMore(4800, block: 64)
        recorder.finish()
    }

    @Test(arguments: Event.allCases, GapFill.allCases)
    func `says where and how long, and fills what was not wanted`(event: Event, gapFill: GapFill) throws {
        let recorder = try recorder("a.wav", gapFill)
        try record(event, recorder)
        #expect(recorder.failure == nil)
        let filled = gapFill == .silence && event != .pause ? 960 : 0
        let (sound, _, promised) = try Sound.read(folder("a.wav"))
        #expect(promised == 9600 + filled)
        let whole = Sound.numbered(frames: 9600, channels: 2).samples
        let silence = [Float](repeating: 0, count: 2 * filled)
        #expect(firstDifference(sound.samples, whole[..<9600] + silence + whole[9600...]) == nil)

        let gap = try #require(recorder.gaps.first)
        #expect(recorder.gaps.count == 1 && recorder.gapCount == 1)
        #expect(gap.cause.rawValue == "\(event)" && gap.segment == 1 && gap.frame == 4800)
        #expect(gap.lengthFrames == 960 && gap.filledFrames == filled)
        #expect(abs(Int(gap.lengthNanoseconds) - 20_000_000) < 1000)
        #expect(recorder.filledFrames == UInt64(filled) && recorder.writtenFrames == UInt64(9600 + filled))
        #expect(recorder.sidecar == folder("a.wav.json") && recorder.segments == [folder("a.wav")])
        #expect(try #require(recorder.frame(atPosition: 4799)) == 4799)

        let list = try list()
        #expect(
            Set(list.keys) == [
                "schema", "gapFill", "onRateChange", "start", "segments", "takes", "omittedTakes", "marks",
                "omittedMarks", "freewheels", "omittedFreewheels", "omittedGaps", "gaps",
            ])
        #expect(list["schema"] as? String == "iounit.recording/1" && list["gapFill"] as? String == gapFill.rawValue)
        let segment = try #require((list["segments"] as? [[String: Any]])?.first)
        #expect(segment["path"] as? String == folder("a.wav") && segment["frames"] as? Int == 9600 + filled)
        #expect(segment["sampleRate"] as? Int == 48000 && segment["channels"] as? Int == 2)
        let listed = try #require(try gaps().first)
        #expect(listed["cause"] as? String == "\(event)" && listed["frame"] as? Int == 4800)
        #expect(listed["filledFrames"] as? Int == filled && listed["lengthFrames"] as? Int == 960)
        // 0.1 s after the start, by either clock.
        let start = try #require(list["start"] as? [String: Any])
        let passed = try #require(listed["monotonicNanoseconds"] as? Int) - (start["monotonicNanoseconds"] as? Int ?? 0)
        #expect(abs(passed - 100_000_000) < 1000)
        let times = try [start["wallTime"], listed["wallTime"]].map { text in
            let text = try #require(text as? String)
            #expect(text.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z/) != nil, "\(text)")
            let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
            return try style.parse(String(text.dropLast(4)) + "Z").timeIntervalSince1970
        }
        // The clock that is set while the test runs is another matter.
        #expect(abs(times[1] - times[0] - 0.1) < 0.05 && abs(times[0] - Date().timeIntervalSince1970) < 3600)
    }

    @Test func `without any has no list`() throws {
        let recorder = try recorder()
        var feed = try TapFeed.start(recorder, channels: 2, capacity: 20_000)
        try feed.feedMore(48_000)
        recorder.finish()
        #expect(folder.names == ["a.wav"] && recorder.sidecar == nil && recorder.gaps.isEmpty)
    }

    @Test func `in time with the world is as long as the time that went by`() throws {
        let recorder = try recorder(channels: 1)
        var feed = try TapFeed.start(recorder, channels: 1, capacity: 20_000)
        let start = feed.dueNanoseconds
        try feed.feedMore(6400, block: 64)
        feed.stall(nanoseconds: 1e9 / 48000 * 1000)
        try feed.feedMore(6400, block: 64)
        feed.begin(TapRun(sampleRate: 48000, cause: .reset), after: 1.5e9)
        try feed.feedMore(6400, block: 64)
        feed.stall(nanoseconds: 64e9 / 48000 * 3, skippedFrames: 192)
        try feed.feedMore(6400, block: 64)
        recorder.finish()
        let elapsed = (feed.dueNanoseconds - start) / 1e9 * 48000
        #expect(abs(Double(recorder.writtenFrames) - elapsed) <= 64)
        #expect(recorder.writtenFrames == 4 * 6400 + recorder.filledFrames)
        #expect(try #require(recorder.frame(atPosition: 6400)) == 7400)
        let all: UInt64 = 19_200 + 1000 + 72_000 + 192
        #expect(try #require(recorder.frame(atPosition: 19_200)) == all)
    }

    // The rate changes.

    /// 4800 frames at 48 kHz and 4410 at 44.1 kHz, 0.5 s later.
    private func recordAtTwoRates(_ recorder: Recorder) throws {
        var feed = try TapFeed.start(recorder, channels: 2, capacity: 20_000)
        try feed.feedMore(4800)
        feed.begin(TapRun(sampleRate: 44100, cause: .reset), after: 500_000_000)
        try feed.feedMore(4410)
        recorder.finish()
        #expect(recorder.failure == nil)
    }

    @Test(arguments: GapFill.allCases)
    func `goes on in a new file when the rate has changed`(gapFill: GapFill) throws {
        let recorder = try recorder("a.wav", gapFill)
        try recordAtTwoRates(recorder)
        #expect(recorder.segments == [folder("a.wav"), folder("a-2.wav")])
        let filled = gapFill == .silence ? 24_000 : 0
        let first = try Sound.read(folder("a.wav")).sound
        let second = try Sound.read(folder("a-2.wav")).sound
        #expect(first.sampleRate == 48000 && first.frames == 4800 + filled)
        #expect(second.sampleRate == 44100 && second.frames == 4410)
        let whole = Sound.numbered(frames: 9210, channels: 2).samples
        #expect(first.samples.starts(with: whole[..<9600]) && first.samples[9600...].allSatisfy { $0 == 0 })
        #expect(second.samples == Array(whole[9600...]))
        #expect(recorder.writtenFrames == UInt64(9210 + filled))
        let segments = try #require(try list()["segments"] as? [[String: Any]])
        #expect(segments.map { $0["frames"] as? Int } == [4800 + filled, 4410])
        #expect(segments.map { $0["sampleRate"] as? Int } == [48000, 44100])
        #expect(try gaps().map { $0["segment"] as? Int } == [1])
    }

    @Test func `ends what goes on behind the next file when the rate has changed`() throws {
        var settings = RecordingSettings()
        (settings.gapFill, settings.split, settings.overlapSeconds) = (.cut, .seconds(0.09), 0.05)
        let recorder = try Recorder(RecordingName(folder("a.wav")), sampleRate: 48000, channels: 2, settings)
        try recordAtTwoRates(recorder)
        let sounds = try recorder.segments.map { try Sound.read($0).sound }
        #expect(sounds.map(\.sampleRate) == [48000, 48000, 44100, 44100])
        #expect(sounds.map(\.frames) == [4800, 480, 4410, 441])
        let whole = Sound.numbered(frames: 9210, channels: 2).samples
        #expect(sounds[0].samples == Array(whole[..<9600]) && sounds[1].samples == Array(whole[8640..<9600]))
    }

    @Test func `passes over a name that is taken, unless it may write over it`() throws {
        try put([1, 2, 3], at: folder("a-2.wav"))
        symlink(folder("nowhere"), folder("a-3.wav"))
        let kept = try recorder()
        // A link is no name that is free either.
        var feed = try TapFeed.start(kept, channels: 2, capacity: 20_000)
        try feed.feedMore(480)
        feed.begin(TapRun(sampleRate: 44100, cause: .reset), after: 500_000_000)
        try feed.feedMore(441)
        kept.finish()
        #expect(kept.failure == nil && kept.segments == [folder("a.wav"), folder("a-4.wav")])
        #expect(try bytes(of: folder("a-2.wav")) == [1, 2, 3])
        for name in ["a.wav.json", "a-3.wav"] { unlink(folder(name)) }
        let forced = try recorder(force: true)
        try recordAtTwoRates(forced)
        #expect(forced.segments == [folder("a.wav"), folder("a-2.wav")])
        #expect(try Sound.read(folder("a-2.wav")).sound.frames == 4410)
    }

    @Test func `takes the rate of its first block, where the server has changed it since the file was made`() throws {
        let recorder = try recorder(channels: 1)
        var feed = try TapFeed.start(recorder, channels: 1, capacity: 20_000, sampleRate: 96000)
        try feed.feedMore(9600)
        recorder.finish()
        let (sound, _, _) = try Sound.read(folder("a.wav"))
        #expect(sound == Sound.numbered(frames: 9600, sampleRate: 96000))
        #expect(folder.names == ["a.wav"])
    }

    @Test(arguments: RateChange.allCases, [false, true])
    func `goes on, converted, where its kind of file does not take the new rate`(
        change: RateChange, isFirst: Bool
    ) throws {
        let recorder = try recorder("a.mp3", .cut, change)
        var feed = try TapFeed.start(recorder, channels: 2, capacity: 20_000, sampleRate: isFirst ? 96000 : 48000)
        try feed.feedMore(isFirst ? 9600 : 4800)
        feed.begin(TapRun(sampleRate: 96000, cause: .reset), after: 500_000_000)
        try feed.feedMore(4800)
        // Back at the file's own rate nothing has to be converted, nor split.
        feed.begin(TapRun(sampleRate: 48000, cause: .reset), after: 500_000_000)
        try feed.feedMore(4800)
        recorder.finish()
        #expect(recorder.failure == nil && recorder.lostFrames == 0 && recorder.droppedFrames == 0)
        #expect(recorder.segments == [folder("a.mp3")])
        #expect(recorder.writtenFrames == 4800 + 2400 + 4800)
        let (sound, _, _) = try Sound.read(folder("a.mp3"))
        #expect(sound.sampleRate == 48000 && sound.frames >= 12_000)
        let isTold = change == .split || isFirst
        #expect((recorder.conversionReason?.contains("96000 hertz") == true) == isTold)
        #expect((try list("a.mp3")["conversionReason"] as? String) == recorder.conversionReason)
    }

    @Test func `goes on in a new file again when the rate is one that its kind of file has`() throws {
        let recorder = try recorder("a.mp3", .cut)
        var feed = try TapFeed.start(recorder, channels: 2, capacity: 20_000)
        try feed.feedMore(4800)
        for rate in [96000, 44100] {
            feed.begin(TapRun(sampleRate: rate, cause: .reset), after: 500_000_000)
            try feed.feedMore(rate / 10)
        }
        recorder.finish()
        #expect(recorder.failure == nil && recorder.writtenFrames == 4800 + 4800 + 4410)
        #expect(recorder.segments == [folder("a.mp3"), folder("a-2.mp3")])
        let segments = try #require(try list("a.mp3")["segments"] as? [[String: Any]])
        #expect(segments.map { $0["frames"] as? Int } == [9600, 4410])
    }

    @Test func `goes on, converted, where no new file can be made`() throws {
        let recorder = try recorder("a.wav", .cut)
        var feed = try TapFeed.start(recorder, channels: 2, capacity: 20_000)
        try feed.feedMore(4800)
        // Its folder has another name by now.
        try FileManager.default.moveItem(atPath: folder.path, toPath: "\(folder.path)-moved")
        defer { try? FileManager.default.moveItem(atPath: "\(folder.path)-moved", toPath: folder.path) }
        feed.begin(TapRun(sampleRate: 44100, cause: .reset), after: 500_000_000)
        try feed.feedMore(4410)
        recorder.finish()
        #expect(recorder.writtenFrames == 9600 && recorder.lostFrames == 0)
        #expect(recorder.conversionReason?.contains("folder does not exist") == true)
        #expect(try Sound.read("\(folder.path)-moved/a.wav").sound.frames == 9600)
    }

    @Test func `fails, and says what is lost, where its first file is to be made again and cannot be`() throws {
        let recorder = try recorder(channels: 1)
        try FileManager.default.moveItem(atPath: folder.path, toPath: "\(folder.path)-moved")
        defer { try? FileManager.default.moveItem(atPath: "\(folder.path)-moved", toPath: folder.path) }
        var feed = try TapFeed.start(recorder, channels: 1, capacity: 20_000, sampleRate: 96000)
        try feed.feedMore(480)
        recorder.finish()
        #expect(recorder.failure?.kind == .cannotCreate && recorder.lostFrames == 480)
    }

    // The end without a server.

    @Test(arguments: GapFill.allCases)
    func `counts an outage up to its end, where the server did not come back`(gapFill: GapFill) throws {
        let recorder = try recorder("a.wav", gapFill)
        var feed = try TapFeed.start(recorder, channels: 2, capacity: 20_000)
        try feed.feedMore(4800)
        recorder.finish(withoutServerUntil: UInt64(feed.dueNanoseconds) + 2_500_000_000)
        let filled = gapFill == .silence ? 120_000 : 0
        #expect(try Sound.read(folder("a.wav")).sound.frames == 4800 + filled)
        #expect(recorder.filledFrames == UInt64(filled) && recorder.gapCount == 1)
        let gap = try #require(try gaps().first)
        #expect(gap["cause"] as? String == "reset" && gap["frame"] as? Int == 4800)
        #expect(gap["lengthFrames"] as? Int == 120_000 && gap["filledFrames"] as? Int == filled)
        #expect(abs(try #require(gap["lengthNanoseconds"] as? Int) - 2_500_000_000) < 1000)
    }

    @Test func `has no gap at its end where nothing was recorded, or nothing is missing`() throws {
        let empty = try recorder("a.wav")
        _ = try TapFeed.start(empty, channels: 2, capacity: 20_000)
        empty.finish(withoutServerUntil: .max)
        #expect(empty.gapCount == 0 && empty.writtenFrames == 0)
        let whole = try recorder("b.wav")
        var feed = try TapFeed.start(whole, channels: 2, capacity: 20_000)
        try feed.feedMore(4800)
        whole.finish(withoutServerUntil: UInt64(feed.dueNanoseconds) - 1)
        #expect(whole.gapCount == 0 && whole.writtenFrames == 4800)
    }

    @Test func `counts what it filled in at the rate of each file`() throws {
        let recorder = try recorder()
        var feed = try TapFeed.start(recorder, channels: 2, capacity: 20_000)
        try feed.feedMore(4800)
        feed.begin(TapRun(sampleRate: 192_000, cause: .reset), after: 2_200_000_000)
        try feed.feedMore(19_200)
        feed.begin(TapRun(sampleRate: 192_000, cause: .reset), after: 100_000_000)
        try feed.feedMore(19_200)
        recorder.finish()
        #expect(recorder.filledFrames == 105_600 + 19_200)
        #expect(abs(Int(recorder.filledNanoseconds) - 2_300_000_000) < 100_000)
    }

    // Freewheeling.

    @Test func `tells which frames a freewheeling server has rendered, and misses none`() throws {
        let recorder = try recorder()
        var feed = try TapFeed.start(recorder, channels: 2, capacity: 20_000)
        try feed.feedMore(4800)
        var starts: [UInt64] = []
        for _ in 0..<2 {
            feed.setFreewheel(true)
            starts.append(UInt64(feed.dueNanoseconds))
            // 4800 frames, ten times as fast as they last.
            for _ in 0..<10 {
                try feed.feedMore(480)
                feed.stall(nanoseconds: -9_000_000)
            }
            feed.setFreewheel(false)
            try feed.feedMore(4800)
        }
        recorder.finish()
        #expect(recorder.gapCount == 0 && recorder.writtenFrames == 5 * 4800)
        #expect(recorder.freewheels.map(\.frame) == [4800, 14_400])
        #expect(recorder.freewheels.map(\.frames) == [4800, 4800])
        #expect(recorder.freewheels.map(\.monotonicNanoseconds) == starts)
        for span in recorder.freewheels { #expect(abs(Int(span.lengthNanoseconds) - 10_000_000) < 1000) }
        let list = try list()
        let listed = try #require(list["freewheels"] as? [[String: Any]])
        #expect(
            Set(try #require(listed.first).keys) == [
                "segment", "frame", "frames", "wallTime", "monotonicNanoseconds", "lengthNanoseconds",
            ])
        #expect(listed.map { $0["frame"] as? Int } == [4800, 14_400])
        #expect(list["omittedFreewheels"] as? Int == 0 && (list["gaps"] as? [Any])?.isEmpty == true)
    }

    @Test func `tells a gap behind freewheeling once`() throws {
        let recorder = try recorder()
        var feed = try TapFeed.start(recorder, channels: 2, capacity: 20_000)
        try feed.feedMore(9600)
        feed.setFreewheel(true)
        // A busy machine is slower than the clock.
        for _ in 0..<10 {
            try feed.feedMore(480)
            feed.stall(nanoseconds: 20_000_000)
        }
        feed.setFreewheel(false)
        feed.stall(nanoseconds: 300_000_000)
        try feed.feedMore(9600)
        recorder.finish()
        let (span, gap) = (try #require(recorder.freewheels.first), try #require(recorder.gaps.first))
        #expect(recorder.gapCount == 1 && abs(Int(gap.lengthNanoseconds) - 320_000_000) < 1000)
        #expect(span.monotonicNanoseconds + span.lengthNanoseconds == gap.monotonicNanoseconds)
        #expect(abs(Int(span.lengthNanoseconds) - 280_000_000) < 1000)
    }

    @Test func `counts no silence behind freewheeling as freewheeled, where nothing comes behind that`() throws {
        let recorder = try recorder()
        var feed = try TapFeed.start(recorder, channels: 2, capacity: 20_000)
        feed.setFreewheel(true)
        try feed.feedMore(4800)
        recorder.finish(withoutServerUntil: UInt64(feed.dueNanoseconds) + 1_000_000_000)
        #expect(recorder.freewheels.map(\.frames) == [4800] && recorder.filledFrames == 48_000)
    }

    @Test func `counts what its conversion holds back to the end as freewheeled too`() throws {
        var settings = RecordingSettings()
        settings.sampleRate = 8000
        let recorder = try Recorder(RecordingName(folder("a.wav")), sampleRate: 8000, channels: 1, settings)
        var feed = try TapFeed.start(recorder, channels: 1, capacity: 20_000)
        feed.setFreewheel(true)
        try feed.feedAll(48_000)
        recorder.finish()
        #expect(recorder.writtenFrames == 8000 && recorder.freewheels.map(\.frames) == [8000])
        let listed = try #require(try list()["freewheels"] as? [[String: Any]])
        #expect(listed.map { $0["frames"] as? Int } == [8000])
    }

    @Test func `lists a thousand spans of freewheeling and counts the others`() throws {
        let recorder = try recorder("a.wav", .cut, channels: 1)
        var feed = try TapFeed.start(recorder, channels: 1, capacity: 200_000)
        for _ in 0..<1010 {
            feed.setFreewheel(true)
            try feed.feedMore(16, block: 16)
            feed.setFreewheel(false)
            try feed.feedMore(16, block: 16)
        }
        recorder.finish()
        #expect(recorder.freewheels.count == 1000 && recorder.freewheels.allSatisfy { $0.frames == 16 })
        #expect(try list()["omittedFreewheels"] as? Int == 10)
    }

    @Test(arguments: [44100, 96000, 8000], GapFill.allCases)
    func `converts what comes at another rate, and loses no frame at the seams`(rate: Int, gapFill: GapFill) throws {
        let recorder = try recorder("a.wav", gapFill, .convert, channels: 1)
        var feed = try TapFeed.start(recorder, channels: 1, capacity: 200_000)
        func tone(_ frame: Int, _ rate: Int) -> Float {
            Float(0.5 * sin(2 * Double.pi * 1000 * Double(frame) / Double(rate)))
        }
        try feed.feedMore(4800)
        feed.begin(TapRun(sampleRate: rate, cause: .reset), after: 500_000_000)
        var fed = 0
        for _ in 0..<100 {
            feed.feed((0..<rate / 100 + 1).map { tone(fed + $0, rate) })
            fed += rate / 100 + 1
        }
        feed.stall(nanoseconds: 20_000_000, skippedFrames: rate / 50)
        try feed.feedMore(rate, block: rate / 100)
        feed.begin(TapRun(sampleRate: 48000, cause: .reset), after: 500_000_000)
        let last = feed.frames
        try feed.feedMore(4800)
        recorder.finish()

        #expect(recorder.failure == nil && recorder.segments == [folder("a.wav")])
        let samples = try Sound.read(folder("a.wav")).sound.samples
        let converted = Int((Double(fed + rate) * 48000 / Double(rate)).rounded())
        let filled = gapFill == .silence ? 24_000 + 960 + 24_000 : 0
        #expect(samples.count == 4800 + converted + 4800 + filled)
        #expect(recorder.writtenFrames == UInt64(samples.count))
        #expect(Array(samples[..<4800]) == Sound.numbered(frames: 4800).samples)
        #expect(Array(samples.suffix(4800)) == (last..<last + 4800).map { Sound.numberedSample($0) })
        #expect(recorder.gaps.map(\.lengthFrames) == [24_000, 960, 24_000])
        // Away from the seams, where the filter sees silence: in phase, so that nothing was lost or added.
        let start = 4800 + (gapFill == .silence ? 24_000 : 0)
        let length = Int(Double(fed) * 48000 / Double(rate))
        var worst: Float = 0
        for frame in 2000..<(length - 2000) { worst = max(worst, abs(samples[start + frame] - tone(frame, 48000))) }
        #expect(worst < 1e-4, "worst difference \(worst)")
    }

    // Markers.

    private static func cues(_ path: String) throws -> [Int] {
        var facts = SF_INFO()
        let file = try #require(sf_open(path, CInt(SFM_READ), &facts), "libsndfile does not open \(path)")
        defer { sf_close(file) }
        var cues = SF_CUES()
        guard sf_command(file, CInt(SFC_GET_CUE), &cues, CInt(MemoryLayout<SF_CUES>.size)) == SF_TRUE else { return [] }
        return withUnsafeBytes(of: cues.cue_points) { points in
            points.bindMemory(to: SF_CUE_POINT.self).prefix(Int(cues.cue_count)).map { Int($0.sample_offset) }
        }
    }

    private func recordTwoGaps(_ name: String, channels: Int = 2) throws {
        let recorder = try recorder(name, .cut, channels: channels)
        var feed = try TapFeed.start(recorder, channels: channels, capacity: 20_000)
        for _ in 0..<2 {
            try feed.feedMore(4801)
            feed.begin(TapRun(sampleRate: 48000, cause: .reset), after: 1_234_000_000)
        }
        try feed.feedMore(1000)
        recorder.finish()
        #expect(recorder.failure == nil)
    }

    @Test(arguments: ["a.wav", "a.rf64", "a.w64", "a.caf", "a.aiff", "a.au", "a.flac"], [1, 2])
    func `has a marker at each gap where its kind of file has such, and reads the same`(
        name: String, channels: Int
    ) throws {
        try recordTwoGaps(name, channels: channels)
        let (sound, _, promised) = try Sound.read(folder(name))
        #expect(promised == 10_602)
        #expect(firstDifference(sound.samples, Sound.numbered(frames: 10_602, channels: channels).samples) == nil)
        if ["a.wav", "a.aiff"].contains(name) { #expect(try Self.cues(folder(name)) == [4801, 9602]) }
        let text = String(decoding: try bytes(of: folder(name)).suffix(200), as: UTF8.self)
        let isMarked = ["a.wav", "a.rf64", "a.caf", "a.aiff"].contains(name)
        #expect(text.contains("reset 1234 ms") == isMarked)
        // It is taken for a source, not for a file that was cut off.
        _ = try Source(.file(path: folder(name)), sampleRate: 48000, channels: channels)
    }

    @Test func `keeps sizes that fit its bytes`() throws {
        try recordTwoGaps("a.wav")
        let wave = try bytes(of: folder("a.wav"))
        func little(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reversed().reduce(0) { $0 << 8 | Int($1) } }
        #expect(little(wave[4..<8]) == wave.count - 8)
        try recordTwoGaps("a.rf64")
        let wide = try bytes(of: folder("a.rf64"))
        #expect(little(wide[4..<8]) == 0xffff_ffff && little(wide[20..<28]) == wide.count - 8)
        try recordTwoGaps("a.aiff")
        let form = try bytes(of: folder("a.aiff"))
        #expect(little(ArraySlice(form[4..<8].reversed())) == form.count - 8)
    }

    // The list.

    @Test func `is refused where there is a list of that name, and replaces it where it may`() throws {
        try put(Array("{}".utf8), at: folder("a.wav.json"))
        let error = #expect(throws: SoundFileError.self) { _ = try recorder() }
        #expect(error?.kind == .exists && error?.description.contains("a.wav.json") == true)
        #expect(folder.names == ["a.wav.json"], "the recording was not made either")
        _ = try recorder(force: true)
        #expect(folder.names == ["a.wav.json"], "nothing was recorded, so nothing is replaced")
        try record(.reset, try recorder(force: true))
        #expect(try bytes(of: folder("a.wav.json")).count > 100)
        mkdir(folder("b.wav.json"), 0o700)
        let folderError = #expect(throws: SoundFileError.self) { _ = try recorder("b.wav", force: true) }
        #expect(folderError?.kind == .cannotCreate)
    }

    @Test(arguments: [false, true])
    func `follows no link and writes over nothing that came meanwhile`(isLink: Bool) throws {
        let recorder = try recorder()
        try put([1, 2, 3], at: folder("target"))
        if isLink { symlink(folder("target"), folder("a.wav.json")) } else { try put([4], at: folder("a.wav.json")) }
        try record(.reset, recorder)
        #expect(try bytes(of: folder("target")) == [1, 2, 3])
        if !isLink { #expect(try bytes(of: folder("a.wav.json")) == [4]) }
        #expect(recorder.failure?.kind == .io && recorder.failure?.path == folder("a.wav.json"))
        #expect(try Sound.read(folder("a.wav")).sound.frames == 10_560, "the recording went on all the same")
        #expect(Set(folder.names) == ["a.wav", "a.wav.json", "target"], "nothing else was left behind")
    }

    /// Makes gap after gap, and has itself killed.
    private static func recordGapsUntilKilled(_ path: String, gaps: Int) throws {
        let recorder = try Recorder(path: path, sampleRate: 48000, channels: 1, gapFill: .cut)
        let killer = try Worker("killer") {
            while recorder.gapCount < gaps { sched_yield() }
            kill(getpid(), SIGKILL)
        }
        var feed = try TapFeed.start(recorder, channels: 1, capacity: 8192)
        while true {
            try feed.feedMore(64, block: 64)
            feed.begin(TapRun(sampleRate: 48000, cause: .reset), after: 1e9)
        }
        killer.join()
    }

    @Test(arguments: [1, 2, 10, 300, 2000])
    func `that is killed has a list that can be read`(count: Int) async throws {
        let path = folder("a.wav")
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, count = count as Int] in
            try Self.recordGapsUntilKilled(path, gaps: count)
        }
        // The first gap may have been found and not written; what was written is whole.
        if folder.names.contains("a.wav.json") {
            let listed = try gaps()
            #expect(listed.enumerated().allSatisfy { $0.element["frame"] as? Int == 64 * ($0.offset + 1) })
        } else {
            #expect(count == 1, "of several gaps one was listed")
        }
        _ = try Sound.read(path)
    }

    @Test func `that is asked to end does not fill a gap of years`() throws {
        // Silence takes no room there.
        let recorder = try recorder("a.flac", channels: 1)
        var feed = try TapFeed.start(recorder, channels: 1, capacity: 8192)
        feed.feed(480)
        feed.begin(TapRun(sampleRate: 48000, cause: .reset), after: 1e17)
        feed.feed(480)
        try waitUntil("the silence begins") { recorder.filledFrames > 0 }
        recorder.finish()
        let gap = try #require(recorder.gaps.first)
        #expect(gap.filledFrames > 0 && gap.filledFrames < gap.lengthFrames)
        #expect(recorder.writtenFrames == UInt64(960 + gap.filledFrames) && recorder.failure == nil)
        #expect(try gaps("a.flac").first?["filledFrames"] as? Int == gap.filledFrames)
    }

    @Test func `whose silence fills the disk ends there, and says so`() async throws {
        let path = folder("a.wav")
        await #expect(processExitsWith: .success) { [path = path as String] in
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: 500_000, rlim_max: rlim_t.max)
            #expect(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
            let recorder = try Recorder(path: path, sampleRate: 48000, channels: 1)
            var feed = try TapFeed.start(recorder, channels: 1, capacity: 8192)
            feed.feed(480)
            feed.begin(TapRun(sampleRate: 48000, cause: .reset), after: 3600e9)
            feed.feed(480)
            recorder.finish()
            #expect(recorder.failure?.kind == .io)
            #expect(recorder.failure?.reason.contains("is the disk full?") == true)
            #expect(recorder.lostFrames == 480 && recorder.filledFrames > 10_000)
        }
    }
}
