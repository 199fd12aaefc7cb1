import AudioFiles
import AudioRealtime
import CSndFile
import Foundation
import TestSupport
import Testing
import Threads

@testable import AudioRecording

/// When a recording begins, where its files end, and what is left out.
@Suite struct TakeTests {
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    func recorder(
        _ name: String, rate: Int = 48000, channels: Int = 1, _ change: (inout RecordingSettings) -> Void
    ) throws -> Recorder {
        var settings = RecordingSettings()
        change(&settings)
        return try Recorder(
            RecordingName(template: folder(name)), sampleRate: rate, channels: channels, settings)
    }

    func samples(_ name: String) throws -> [Float] { try Sound.read(folder(name)).sound.samples }

    func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: folder(name)) }

    func list(_ name: String) throws -> [String: Any] {
        let data = try Data(contentsOf: URL(fileURLWithPath: folder("\(name).json")))
        return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    /// Frames of the numbered sound.
    func numbered(_ range: Range<Int>) -> [Float] { range.map { Sound.numberedSample($0) } }

    // Splitting.

    @Test(arguments: [1, 480, 479, 4096, 8192])
    func splitsAfterATimeAndLosesNoFrame(block: Int) throws {
        let recorder = try recorder("a.wav") { $0.split = .seconds(0.1) }
        var feed = try TapFeed.start(recorder, channels: 1, capacity: 65536)
        try feed.feedAll(12_345, block: block)
        recorder.finish()
        #expect(try samples("a.wav") == numbered(0..<4800))
        #expect(try samples("a-2.wav") == numbered(4800..<9600))
        #expect(try samples("a-3.wav") == numbered(9600..<12_345))
        #expect(recorder.segments == ["a.wav", "a-2.wav", "a-3.wav"].map { folder($0) })
        #expect(recorder.writtenFrames == 12_345 && recorder.failure == nil)
        let segments = try #require(try list("a.wav")["segments"] as? [[String: Any]])
        #expect(segments.map { $0["startFrame"] as? Int } == [0, 4800, 9600])
        #expect(segments.map { $0["frames"] as? Int } == [4800, 4800, 2745])
    }

    @Test func `counts frames through all its files, and past a gap in the second`() throws {
        let recorder = try recorder("a.wav") { $0.split = .seconds(0.1) }
        var feed = try TapFeed.start(recorder, channels: 1, capacity: 65536)
        try feed.feedAll(6000)
        feed.stall(nanoseconds: 1e9 / 48000 * 1000)
        try feed.feedMore(6000)
        recorder.finish()
        #expect(recorder.gaps.map(\.segment) == [2] && recorder.gaps.map(\.frame) == [1200])
        let frames = [4799, 4800, 5999, 6000, 11_999].map { recorder.frame(atPosition: $0) }
        #expect(frames == [4799, 4800, 5999, 7000, 12_999])
    }

    @Test func makesNoEmptyFileWhereItEndsWithASplit() throws {
        let recorder = try recorder("a.wav") { $0.split = .seconds(0.1) }
        var feed = try TapFeed.start(recorder, channels: 1, capacity: 65536)
        try feed.feedAll(9600)
        recorder.finish()
        #expect(try samples("a-2.wav").count == 4800)
        #expect(!exists("a-3.wav"))
    }

    @Test func splitsAtARateOfItsOwnWithoutASeam() throws {
        for split in [nil, RecordingSplit.seconds(0.1)] {
            let recorder = try recorder(split == nil ? "whole.wav" : "part.wav") {
                $0.sampleRate = 16_000
                $0.split = split
            }
            var feed = try TapFeed.start(recorder, channels: 1, capacity: 65536)
            try feed.feedAll(48_000)
            recorder.finish()
        }
        var parts = try samples("part.wav")
        for number in 2...10 { parts += try samples("part-\(number).wav") }
        #expect(try samples("part-10.wav").count == 1600)
        #expect(try samples("whole.wav") == parts && parts.count == 16_000)
    }

    @Test func splitsBeforeAFileBecomesTooLarge() throws {
        let recorder = try recorder("a.wav", channels: 2) { $0.split = .bytes(100_000) }
        var feed = try TapFeed.start(recorder, channels: 2, capacity: 65536)
        try feed.feedAll(30_000)
        recorder.finish()
        var whole: [Float] = []
        for path in recorder.segments {
            let size = bytesOnDisk(path)
            #expect(size <= 100_000)
            if path != recorder.segments.last { #expect(size > 80_000) }
            whole += try Sound.read(path).sound.samples
        }
        #expect(recorder.segments.count == 3)
        #expect(whole == numbered(0..<60_000))
    }

    @Test(arguments: [0.01, 0.1, 3600]) func aFileThatGoesOnBehindTheNextIsNoLargerThanItsSize(seconds: Double) throws {
        let recorder = try recorder("a.wav", channels: 2) {
            $0.split = .bytes(100_000)
            $0.overlapSeconds = seconds
        }
        var feed = try TapFeed.start(recorder, channels: 2, capacity: 65536)
        try feed.feedAll(40_000)
        recorder.finish()
        let list = try #require(try list("a.wav")["segments"] as? [[String: Any]])
        let starts = list.compactMap { $0["startFrame"] as? Int }
        var ends: [Int] = []
        for (path, start) in zip(recorder.segments, starts) {
            let size = bytesOnDisk(path)
            #expect(size <= 100_000)
            let sound = try Sound.read(path).sound.samples
            ends.append(start + sound.count / 2)
            #expect(sound == numbered(2 * start..<2 * start + sound.count))
            if ends[ends.count - 1] < 40_000 { #expect(size > 80_000) }
        }
        #expect(starts.count > 3 && starts[0] == 0 && ends.last == 40_000)
        // No more than two at a time.
        for (end, next) in zip(ends, starts.dropFirst(2)) { #expect(end <= next) }
        let overlaps = zip(ends, starts.dropFirst()).map { $0 - $1 }
        if seconds < 1 { #expect(overlaps.dropLast().allSatisfy { $0 == Int(seconds * 48000) }) }
        #expect(overlaps.allSatisfy { $0 > 0 })
    }

    @Test(arguments: [0.0, 2]) func splitsWhatIsCompressedByItsSize(overlap: Double) throws {
        let recorder = try recorder("a.flac") {
            $0.split = .bytes(300_000)
            $0.overlapSeconds = overlap
        }
        var feed = try TapFeed.start(recorder, channels: 1, capacity: 65536)
        var generator = SystemRandomNumberGenerator()
        let noise = (0..<480_000).map { _ in
            Float(Int.random(in: -(1 << 22)...(1 << 22), using: &generator)) / Float(1 << 23)
        }
        for start in stride(from: 0, to: noise.count, by: 4800) {
            try waitUntil("the recorder to make room") { feed.hasRoom(for: 4800) }
            feed.feed(Array(noise[start..<(start + 4800)]))
        }
        recorder.finish()
        let list = try #require(try list("a.flac")["segments"] as? [[String: Any]])
        var whole: [Float] = []
        for (path, segment) in zip(recorder.segments, list) {
            let size = bytesOnDisk(path)
            #expect(size <= 330_000)
            let start = try #require(segment["startFrame"] as? Int)
            // The second of two that overlap has the same as the first.
            let sound = try Sound.read(path).sound.samples
            #expect(start <= whole.count && (overlap > 0 || start == whole.count))
            #expect(firstDifference(Array(whole[start...]), Array(sound.prefix(whole.count - start))) == nil)
            whole += sound.dropFirst(whole.count - start)
        }
        #expect(recorder.segments.count > 2)
        #expect(firstDifference(whole, noise) == nil)
    }

    @Test func aFileGoesOnBehindTheNextOne() throws {
        let recorder = try recorder("a.wav") {
            $0.split = .seconds(0.1)
            $0.overlapSeconds = 0.02
        }
        var feed = try TapFeed.start(recorder, channels: 1, capacity: 65536)
        try feed.feedAll(10_000)
        recorder.finish()
        #expect(try samples("a.wav") == numbered(0..<5760))
        // The last one that was to go on ends with the recording.
        #expect(try samples("a-2.wav") == numbered(4800..<10_000))
        #expect(try samples("a-3.wav") == numbered(9600..<10_000))
        #expect(recorder.writtenFrames == 10_000)
    }

    @Test func splitsWhereItIsAskedTo() throws {
        let recorder = try recorder("a.wav") { _ in }
        var feed = try TapFeed.start(recorder, channels: 1, capacity: 65536)
        recorder.split(atPosition: 1000)
        recorder.split(atPosition: 2500)
        try feed.feedAll(4000)
        recorder.finish()
        #expect(try samples("a.wav") == numbered(0..<1000))
        #expect(try samples("a-2.wav") == numbered(1000..<2500))
        #expect(try samples("a-3.wav") == numbered(2500..<4000))
    }

    @Test func splitsOnRequestAndStillAfterATime() throws {
        let recorder = try recorder("a.wav") { $0.split = .seconds(0.1) }
        var feed = try TapFeed.start(recorder, channels: 1, capacity: 65536)
        for position: UInt64 in [1000, 1100, 1200] { recorder.split(atPosition: position) }
        try feed.feedAll(12_000)
        recorder.finish()
        let lengths = try recorder.segments.map { try SoundFileReader(path: $0).frames }
        #expect(lengths == [1000, 100, 100, 3600, 4800, 2400])
    }

    @Test func doesBehindAPauseWhatIsAskedInIt() throws {
        let recorder = try recorder("a.wav") { _ in }
        var feed = try TapFeed.start(recorder, channels: 1, capacity: 65536)
        recorder.pause(atPosition: 1000)
        recorder.split(atPosition: 1500)
        recorder.mark("verse", atPosition: 1600)
        recorder.resume(atPosition: 2500)
        try feed.feedAll(4000)
        recorder.finish()
        #expect(try samples("a.wav") == numbered(0..<1000))
        #expect(try samples("a-2.wav") == numbered(2500..<4000))
        #expect(try SoundFileReader(path: folder("a-2.wav")).markers.contains(Marker(frame: 0, label: "verse")))
    }

    @Test(arguments: ["a.wav", "a.flac", "a.ogg", "a.opus", "a.mp3", "a.caf"])
    func countsTheBytesThatAreOnTheDisk(name: String) throws {
        let recorder = try recorder(name) { _ in }
        var feed = try TapFeed.start(recorder, channels: 1, capacity: 65536)
        recorder.mark("verse", atPosition: 2000)
        try feed.feedAll(20_000)
        recorder.finish()
        #expect(try recorder.writtenBytes == bytes(of: folder(name)).count)
    }

    @Test func noticesThatAnotherFileHasTakenItsPlace() throws {
        for isReplaced in [false, true] {
            let recorder = try recorder("a.wav") { $0.replaces = true }
            var feed = try TapFeed.start(recorder, channels: 1, capacity: 65536)
            try feed.feedAll(4000)
            try waitUntil("it has begun") { recorder.writtenFrames > 0 }
            if isReplaced {
                try put([1, 2, 3], at: folder("b.wav"))
                #expect(rename(folder("b.wav"), folder("a.wav")) == 0)
            }
            recorder.finish()
            #expect(recorder.failure == nil && recorder.displacedPath == (isReplaced ? folder("a.wav") : nil))
        }
    }

    @Test func asksNoMoreThanWaitWhileNoSoundComes() throws {
        let recorder = try recorder("a.wav") { _ in }
        for number in 0..<5000 { recorder.mark("\(number)", atPosition: 100 + UInt64(number)) }
        #expect(recorder.omittedRequests == 4000)
        recorder.end(atPosition: 2000)
        recorder.end(atPosition: 3000)
        #expect(recorder.omittedRequests == 4000)
        var feed = try TapFeed.start(recorder, channels: 1, capacity: 65536)
        try feed.feedAll(4000)
        recorder.finish()
        #expect(try samples("a.wav") == numbered(0..<2000))
        let marks = try #require(try list("a.wav")["marks"] as? [[String: Any]])
        #expect(marks.map { $0["frame"] as? Int } == (100..<1100).map { $0 })
    }

    @Test func `lists a thousand takes and marks, and counts the others`() throws {
        let (settings, figures) = (RecordingSettings(), RecordingFigures())
        let path = folder("a.wav")
        let files = RecordingFiles(RecordingName(path), channels: 1, settings, patience: Patience())
        var list = RecordingList(settings, figures)
        try files.begin(sampleRate: 48000)
        try list.begin(beside: path)
        list.noteStart(atNanoseconds: 0)
        for frame in 0..<1003 {
            list.note(
                RecordedStart(cause: .request, segment: 1, frame: frame, wallTime: "", monotonicNanoseconds: 0))
        }
        for frame in 0..<1007 { files.mark("\(frame)", at: frame, isListed: true) }
        files.mark("start", at: 1007)
        try files.append(PCMBuffer(StreamFormat(sampleRate: 48000, channels: 1), [Float](repeating: 0, count: 2000)))
        list.save(files, isForced: true)
        try files.close()
        try files.sync.finish()
        let found = try self.list("a.wav")
        for (name, omitted, count) in [("takes", "omittedTakes", 3), ("marks", "omittedMarks", 7)] {
            let listed = try #require(found[name] as? [[String: Any]])
            #expect(listed.map { $0["frame"] as? Int } == (0..<1000).map { $0 })
            #expect(found[omitted] as? Int == count)
        }
    }

    @Test func ofRequestsForLaterFramesNoMoreThanAThousandWait() {
        var gate = RecordingGate(RecordingSettings())
        let later = RecordingGate.Request(position: .max, kind: .split)
        var taken = 0
        for _ in 0..<3000 where gate.add(later) { taken += 1 }
        #expect(taken == 1000)
        // Behind an end nothing is done, and there is room again.
        let isEndTaken = gate.add(RecordingGate.Request(position: 1000, kind: .end))
        let isEarlierTaken = gate.add(RecordingGate.Request(position: 500, kind: .split))
        #expect(isEndTaken && isEarlierTaken)
    }

    @Test func goesOnInTheOldFileWhereTheNextCannotBeMade() throws {
        let inner = folder("inner")
        try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: false)
        let recorder = try recorder("inner/a.wav") { $0.split = .seconds(0.1) }
        try FileManager.default.moveItem(atPath: inner, toPath: folder("gone"))
        var feed = try TapFeed.start(recorder, channels: 1, capacity: 65536)
        try feed.feedAll(10_000)
        recorder.finish()
        #expect(try samples("gone/a.wav") == numbered(0..<10_000))
        #expect(recorder.splitRefusal?.contains("folder does not exist") == true)
        #expect(recorder.segments.count == 1)
    }

    @Test func anOldFileOfALaterNameIsPassedOver() throws {
        try Data("mine".utf8).write(to: URL(fileURLWithPath: folder("a-2.wav")))
        let recorder = try recorder("a.wav") { $0.split = .seconds(0.1) }
        var feed = try TapFeed.start(recorder, channels: 1, capacity: 65536)
        try feed.feedAll(6000)
        recorder.finish()
        #expect(try samples("a-3.wav") == numbered(4800..<6000))
        #expect(try String(contentsOfFile: folder("a-2.wav"), encoding: .utf8) == "mine")
    }

    // Names.

    @Test func namesAreMadeOfTheirTemplate() throws {
        let moment: Int64 = 1_795_000_000_123_456_789
        let local = LocalTime(moment)
        func path(_ template: String, _ number: Int = 1, adding: Bool = true) throws -> String {
            try RecordingName(template: template).path(number, startingAt: moment, addingNumber: adding)
        }
        #expect(try path("a/b-{n}.wav", 7) == "a/b-7.wav")
        #expect(try path("a/b-{n:3}.wav", 7) == "a/b-007.wav")
        #expect(try path("{n:2}", 123) == "123")
        #expect(try path("x.y/take", 2) == "x.y/take-2")
        #expect(try path("take.wav", 2, adding: false) == "take.wav")
        #expect(try path("{{n}.wav", 2) == "{n}-2.wav")
        let time = local.time.replacingOccurrences(of: ":", with: "-")
        #expect(try path("{date}_{time}.flac", adding: false) == "\(local.date)_\(time).flac")
        #expect(
            try RecordingName(template: "a{channel}.wav").path(1, startingAt: 0, channel: 12, addingNumber: false)
                == "a12.wav")
        // As `date` has it.
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.dateFormat = "yyyy-MM-dd HH:mm:ss"
        #expect("\(local.date) \(local.time)" == formatter.string(from: Date(timeIntervalSince1970: 1_795_000_000)))
        #expect(RecordingName("{date}.wav").path(1, startingAt: 0, addingNumber: false) == "{date}.wav")
    }

    @Test(arguments: ["a-{take}.wav", "a-{n:0}.wav", "a-{n", "{}", "{n:x}"])
    func anUnknownPlaceholderIsRefused(template: String) {
        let error = #expect(throws: SoundFileError.self) { try RecordingName(template: template) }
        #expect(error?.description.contains("placeholder") == true)
    }

    @Test func aNumberedNameTakesTheNextThatIsFree() throws {
        for round in 1...3 {
            let recorder = try recorder("take-{n}.wav") { _ in }
            var feed = try TapFeed.start(recorder, channels: 1, capacity: 8192)
            try feed.feedAll(100 * round)
            recorder.finish()
        }
        #expect(try samples("take-3.wav").count == 300)
        #expect(exists("take-1.wav") && exists("take-2.wav") && !exists("take-4.wav"))
    }

    @Test func eachChannelHasFilesOfItsOwn() throws {
        let recorder = try recorder("a{channel}.flac", channels: 12) {
            $0.format = SoundFileFormat(.flac, .pcm24)
            $0.split = .seconds(0.1)
        }
        var feed = try TapFeed.start(recorder, channels: 12, capacity: 65536)
        try feed.feedAll(6000)
        recorder.finish()
        for channel in 1...12 {
            let parts = try samples("a\(channel).flac") + samples("a\(channel)-2.flac")
            let expected: [Float] = (0..<6000).map { Sound.numberedSample($0 * 12 + channel - 1) }
            #expect(parts == expected)
        }
        let segments = try #require(try list("a1.flac")["segments"] as? [[String: Any]])
        #expect((segments[0]["paths"] as? [String])?.count == 12)
    }

    @Test func leavesNoFileOfSomeChannelsWhereOneCannotBeMade() throws {
        try Data().write(to: URL(fileURLWithPath: folder("a3.wav")))
        #expect(throws: SoundFileError.self) { try recorder("a{channel}.wav", channels: 4) { _ in } }
        #expect(!exists("a1.wav") && !exists("a2.wav") && exists("a3.wav") && !exists("a4.wav"))
    }

    // Beginning and end.

    @Test(arguments: [1, 64, 1000])
    func keepsWhatCameBeforeItBegan(block: Int) throws {
        let recorder = try recorder("a.wav") {
            $0.start = .onRequest
            $0.prerollSeconds = 0.1
        }
        #expect(!exists("a.wav") && recorder.state == .waiting)
        var feed = try TapFeed.start(recorder, channels: 1, capacity: 65536)
        recorder.begin(atPosition: 20_000)
        try feed.feedAll(30_000, block: block)
        recorder.finish()
        #expect(try samples("a.wav") == numbered(15_200..<30_000))
        let take = try #require((try list("a.wav")["takes"] as? [[String: Any]])?.first)
        #expect(take["frame"] as? Int == 4800 && take["cause"] as? String == "request")
        let reader = try SoundFileReader(path: folder("a.wav"))
        #expect(reader.markers == [Marker(frame: 4800, label: "start")])
    }

    @Test(arguments: [1, 100, 4096, 10_000])
    func `holds little more than is to be kept before it, however long it waits`(limit: Int) {
        var preroll = Preroll()
        var block = TapBlock(run: TapRun(sampleRate: 48000))
        block.frames = 64
        for _ in 0..<1000 {
            preroll.add(RecordedBlock(block, [Float](repeating: 0, count: 64), channels: 1), limit: limit)
            block.position += 64
        }
        let blocks = preroll.take().compactMap { if case .block(let block) = $0 { block } else { nil } }
        #expect(blocks.reduce(0) { $0 + $1.frames } == limit)
        #expect(blocks.reduce(0) { $0 + $1.samples.count } <= limit + 2 * 4160)
    }

    @Test func hasLessBeforeItWhereThereWasLess() throws {
        let recorder = try recorder("a.wav") {
            $0.start = .onRequest
            $0.prerollSeconds = 10
        }
        var feed = try TapFeed.start(recorder, channels: 1, capacity: 65536)
        recorder.begin(atPosition: 480)
        try feed.feedAll(960)
        recorder.finish()
        #expect(try samples("a.wav") == numbered(0..<960))
    }

    @Test func aGapBeforeItBeganIsInItsPlace() throws {
        let recorder = try recorder("a.wav") {
            $0.start = .onRequest
            $0.prerollSeconds = 0.1
        }
        var feed = try TapFeed.start(recorder, channels: 1, capacity: 65536)
        try feed.feedAll(4800)
        feed.drop(1000)
        recorder.begin(atPosition: 8200)
        try feed.feedMore(4800)
        recorder.finish()
        // 4800 frames of sound before the start, of which the gap is none.
        let heard = numbered(2400..<4800)
        let rest = numbered(4800..<9600)
        let expected: [Float] = heard + [Float](repeating: 0, count: 1000) + rest
        #expect(try samples("a.wav") == expected)
        #expect(recorder.gaps.map(\.frame) == [2400] && recorder.gaps.map(\.cause) == [.dropped])
    }

    @Test func `keeps nothing from before a gap that is longer than what it is to keep`() throws {
        let recorder = try recorder("a.wav") {
            $0.start = .onRequest
            $0.prerollSeconds = 0.1
        }
        var feed = try TapFeed.start(recorder, channels: 1, capacity: 65536)
        try feed.feedAll(4800)
        feed.begin(TapRun(sampleRate: 48000, cause: .reset), after: 2e9)
        recorder.begin(atPosition: 7200)
        try feed.feedMore(4800)
        recorder.finish()
        #expect(try samples("a.wav") == numbered(4800..<9600))
        #expect(recorder.gaps.isEmpty && recorder.filledFrames == 0)
    }

    @Test func `keeps nothing from before gaps that are longer together than what it is to keep`() throws {
        let recorder = try recorder("a.wav") {
            $0.start = .onRequest
            $0.prerollSeconds = 0.1
        }
        var feed = try TapFeed.start(recorder, channels: 1, capacity: 65536)
        try feed.feedAll(480)
        for _ in 1...5 {
            feed.begin(TapRun(sampleRate: 48000, cause: .reset), after: 0.4e9)
            try feed.feedMore(480)
        }
        recorder.begin(atPosition: 2880)
        try feed.feedMore(960)
        recorder.finish()
        #expect(try samples("a.wav").filter { $0 != 0 } == numbered(1440..<3840))
        #expect(recorder.gaps.count == 2 && recorder.filledFrames == 38_400)
    }

    @Test func leavesNothingWhereItNeverBegan() throws {
        let recorder = try recorder("a.wav") { $0.start = .onRequest }
        var feed = try TapFeed.start(recorder, channels: 1, capacity: 65536)
        try feed.feedAll(5000)
        recorder.finish()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder("")).isEmpty)
        #expect(recorder.failure == nil)
    }

    @Test func saysBeforehandWhatCouldNotBeMade() throws {
        try Data().write(to: URL(fileURLWithPath: folder("a.wav")))
        for (name, rate) in [("a.wav", 48000), ("none/a.wav", 48000), ("a.opus", 44100), ("a.xyz", 48000)] {
            #expect(throws: SoundFileError.self) { try recorder(name, rate: rate) { $0.start = .onRequest } }
        }
    }

    /// Where it begins hours later, nobody may be there to read why it has not.
    @Test(arguments: [RecordingStart.immediately, .onRequest])
    func `an old list of gaps refuses its name at once, and a numbered name passes it over`(
        start: RecordingStart
    ) throws {
        try put(Array("mine".utf8), at: folder("a.wav.json"))
        try put(Array("mine".utf8), at: folder("b-1.wav.json"))
        let error = #expect(throws: SoundFileError.self) { try self.recorder("a.wav") { $0.start = start } }
        #expect(error?.kind == .exists && error?.path == folder("a.wav.json"))
        #expect(!exists("a.wav"))
        let recorder = try recorder("b-{n}.wav") { $0.start = start }
        var feed = try TapFeed.start(recorder, channels: 1, capacity: 65536)
        recorder.begin(atPosition: 0)
        try feed.feedAll(480)
        recorder.finish()
        #expect(recorder.failure == nil && recorder.segments == [folder("b-2.wav")])
        #expect(try bytes(of: folder("b-1.wav.json")) == Array("mine".utf8))
    }

    @Test func anOldFileIsKeptUntilThereIsANewOne() throws {
        try Data("old".utf8).write(to: URL(fileURLWithPath: folder("a.wav")))
        let recorder = try recorder("a.wav") {
            $0.start = .onRequest
            $0.replaces = true
        }
        recorder.finish()
        #expect(try String(contentsOfFile: folder("a.wav"), encoding: .utf8) == "old")
    }

    @Test func aPipeIsNotTouchedBeforeTheStart() throws {
        let path = folder("a.wav")
        try #require(mkfifo(path, 0o600) == 0)
        let reading = open(path, O_RDONLY | O_NONBLOCK)
        try #require(reading >= 0)
        defer { close(reading) }
        let recorder = try recorder("a.wav") { $0.start = .onRequest }
        // No header has come, and no writer has come and gone.
        var file = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
        #expect(poll(&file, 1, 0) == 0)
        recorder.begin()
        var feed = try TapFeed.start(recorder, channels: 1, capacity: 65536)
        try feed.feedAll(1000)
        recorder.finish()
        #expect(recorder.failure == nil && recorder.writtenFrames == 1000)
        var bytes = [UInt8](repeating: 0, count: 65536)
        #expect(read(reading, &bytes, bytes.count) > 4000 && bytes.starts(with: "RIFF".utf8))
        #expect(throws: SoundFileError.self) {
            try self.recorder("a.wav") {
                $0.start = .onRequest
                $0.format = SoundFileFormat(.caf, .float)
            }
        }
    }

    @Test func beginsAtATimeToTheFrame() throws {
        let start = UInt64(1_000_000_000_000)
        var settings = RecordingSettings()
        settings.start = .at(nanoseconds: start + 12_345_678)
        var gate = RecordingGate(settings)
        var block = TapBlock(run: TapRun(sampleRate: 48000))
        block.frames = 480
        var kept = 0
        for cycle in 0..<4 {
            block.entryNanoseconds = start + UInt64(cycle) * 10_000_000
            block.position = UInt64(cycle * 480)
            for step in gate.add(RecordedBlock(block, [Float](repeating: 0, count: 480), channels: 1)) {
                if case .block(let part) = step { kept += part.frames }
            }
        }
        // 12.345678 ms are 592.6 frames.
        #expect(kept == 4 * 480 - 593)
    }

    @Test func aRequestForAFrameThatIsMissingIsDoneAtThatFrame() {
        func log(_ requests: (UInt64, RecordingGate.Request.Kind)...) -> [String] {
            var gate = RecordingGate(RecordingSettings())
            var block = TapBlock(run: TapRun(sampleRate: 48_000))
            block.frames = 480
            var log: [String] = []
            func note(_ steps: [RecordingGate.Step]) {
                for step in steps {
                    switch step {
                    case .begin, .start: break
                    case .block(let block): log.append("block \(block.frames)")
                    case .gap(let gap): log.append("\(gap.cause) \(gap.lengthFrames)")
                    case .split: log.append("split")
                    case .mark(let label): log.append(label)
                    case .end: log.append("end")
                    }
                }
            }
            func feed() {
                note(gate.add(RecordedBlock(block, [Float](repeating: 0, count: 480), channels: 1)))
                block.position += 480
                block.entryNanoseconds += 10_000_000
            }
            feed()
            for (position, kind) in requests { gate.add(.init(position: position, kind: kind)) }
            // Two cycles that the tap had no room for, and then one in which the server was late, which has no frames.
            note(
                gate.add(
                    Gap(
                        .dropped, start: block.entryNanoseconds, nanoseconds: 20_000_000, at: block.run,
                        endPosition: 1440)))
            note(
                gate.add(
                    Gap(
                        .late, start: block.entryNanoseconds + 20_000_000, nanoseconds: 10_000_000, at: block.run,
                        endPosition: 1440)))
            block.position += 960
            block.entryNanoseconds += 30_000_000
            feed()
            return log
        }
        #expect(log() == ["block 480", "dropped 960", "late 480", "block 480"])
        #expect(log((700, .end)) == ["block 480", "dropped 220", "end"])
        #expect(log((700, .split)) == ["block 480", "dropped 220", "split", "dropped 740", "late 480", "block 480"])
        #expect(log((0, .mark("now"))) == ["block 480", "now", "dropped 960", "late 480", "block 480"])
        #expect(
            log((700, .pause), (900, .resume))
                == ["block 480", "dropped 220", "pause 200", "dropped 540", "late 480", "block 480"])
        #expect(
            log((700, .pause), (1500, .resume)) == ["block 480", "dropped 220", "pause 1280", "block 420"])
        #expect(log((1440, .split)) == ["block 480", "dropped 960", "late 480", "split", "block 480"])
    }

    @Test func isAsLongAsItWasToBe() throws {
        let recorder = try recorder("a.wav") {
            $0.maximumSeconds = 0.25
            $0.sampleRate = 44_100
        }
        var feed = try TapFeed.start(recorder, channels: 1, capacity: 65536)
        try feed.feedAll(20_000)
        try waitUntil("it to be over") { recorder.state == .over }
        recorder.finish()
        #expect(try samples("a.wav").count == 11_025)
    }

    @Test(arguments: GapFill.allCases)
    func isAsLongWithAGapInIt(gapFill: GapFill) throws {
        let recorder = try recorder("a.wav") {
            $0.maximumSeconds = 0.1
            $0.gapFill = gapFill
        }
        var feed = try TapFeed.start(recorder, channels: 1, capacity: 65536)
        try feed.feedAll(960)
        feed.drop(480)
        try feed.feedMore(960)
        feed.drop(9600)
        try feed.feedMore(9600)
        recorder.finish()
        #expect(try samples("a.wav").count == 4800)
        #expect(recorder.filledFrames == (gapFill == .silence ? 480 + 2400 : 0))
        #expect(recorder.gaps.map(\.lengthFrames) == [480, gapFill == .silence ? 2400 : 9600])
        #expect(recorder.writtenSeconds == 0.1 && recorder.sampleRate == 48000)
    }

    @Test func hasNoListWhereThereIsNothingToSay() throws {
        let recorder = try recorder("a.wav") {
            $0.start = .onRequest
            $0.maximumSeconds = 0.05
        }
        var feed = try TapFeed.start(recorder, channels: 1, capacity: 65536)
        recorder.begin(atPosition: 1000)
        try feed.feedAll(4800)
        recorder.finish()
        #expect(recorder.sidecar == nil && !exists("a.wav.json"))
    }

    @Test func aSoundBeginsItAndASilenceEndsIt() throws {
        let recorder = try recorder("a.wav") {
            $0.start = .sound(SoundTrigger(thresholdDecibels: -20, silenceSeconds: 0.05))
            $0.prerollSeconds = 0.01
        }
        var feed = try TapFeed.start(recorder, channels: 1, capacity: 65536)
        var sound = [Float](repeating: 0.05, count: 3000)
        sound += (0..<2000).map { $0 % 2 == 0 ? 0.5 : -0.5 }
        sound += [Float](repeating: 0.05, count: 10_000)
        for start in stride(from: 0, to: sound.count, by: 500) { feed.feed(Array(sound[start..<(start + 500)])) }
        try waitUntil("it to be over") { recorder.state == .over }
        recorder.finish()
        #expect(try samples("a.wav") == Array(sound[2520..<7400]))
        let take = try #require((try list("a.wav")["takes"] as? [[String: Any]])?.first)
        #expect(take["frame"] as? Int == 480 && take["cause"] as? String == "sound")
    }

    @Test func eachSoundIsATakeOfItsOwn() throws {
        let recorder = try recorder("a-{n}.wav") {
            $0.start = .sound(SoundTrigger(thresholdDecibels: -20, silenceSeconds: 0.01, repeats: true))
            $0.prerollSeconds = 0.005
        }
        var feed = try TapFeed.start(recorder, channels: 1, capacity: 65536)
        for take in 1...3 {
            feed.feed([Float](repeating: 0, count: 1000))
            feed.feed([Float](repeating: Float(take) / 4, count: 100 * take))
        }
        feed.feed([Float](repeating: 0, count: 1000))
        recorder.finish()
        for take in 1...3 {
            let expected =
                [Float](repeating: 0, count: 240) + [Float](repeating: Float(take) / 4, count: 100 * take)
                + [Float](repeating: 0, count: 480)
            #expect(try samples("a-\(take).wav") == expected)
        }
        #expect(recorder.takes == 3 && recorder.segments.count == 3)
        #expect(recorder.gaps.map(\.cause) == [.silence, .silence])
        // 1000 frames of silence, of which 480 end a take and 240 begin the next.
        #expect(recorder.gaps.map(\.lengthFrames) == [280, 280] && recorder.filledFrames == 0)
    }

    @Test func aTakeWhoseFileCannotBeMadeIsNoTakeAndNoneComesAfterIt() throws {
        let inner = folder("inner")
        try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: false)
        let recorder = try recorder("inner/a-{n}.wav") {
            $0.start = .sound(SoundTrigger(thresholdDecibels: -20, silenceSeconds: 0.01, repeats: true))
        }
        try FileManager.default.moveItem(atPath: inner, toPath: folder("gone"))
        var feed = try TapFeed.start(recorder, channels: 1, capacity: 65536)
        for _ in 1...3 {
            feed.feed([Float](repeating: 0.5, count: 100))
            feed.feed([Float](repeating: 0, count: 1000))
        }
        recorder.finish()
        #expect(recorder.failure?.kind == .cannotCreate && recorder.segments.isEmpty)
        #expect(recorder.takes == 0 && recorder.writtenFrames == 0)
    }

    /// A freewheeling server renders frames in another time than they last.
    @Test(arguments: [0, 0.005, 0.1])
    func `takes of a freewheeling server are as far apart as their frames, and take no longer than it took`(
        preroll: Double
    ) throws {
        let recorder = try recorder("a-{n}.wav") {
            $0.start = .sound(SoundTrigger(thresholdDecibels: -20, silenceSeconds: 0.01, repeats: true))
            $0.prerollSeconds = preroll
        }
        var feed = try TapFeed.start(recorder, channels: 1, capacity: 100_000)
        feed.setFreewheel(true)
        let start = UInt64(feed.dueNanoseconds)
        for sample in [0, 0.5, 0, 0.5, 0, 0.5, 0] as [Float] {
            // 10 000 frames, a thousand times as fast as they last.
            for _ in 0..<10 {
                feed.feed([Float](repeating: sample, count: 1000))
                feed.stall(nanoseconds: -0.999 * 1000 / 48000 * 1e9)
            }
        }
        let passed = UInt64(feed.dueNanoseconds) - start
        recorder.finish()
        #expect(recorder.takes == 3 && recorder.freewheels.count == 3)
        for span in recorder.freewheels {
            #expect(span.monotonicNanoseconds - start <= passed && span.lengthNanoseconds <= passed)
        }
        let kept = Int(preroll * 48000)
        #expect(recorder.gaps.map(\.cause) == [.silence, .silence])
        #expect(recorder.gaps.map(\.lengthFrames) == [9520 - kept, 9520 - kept])
    }

    @Test func aPauseIsCutInTheSameFile() throws {
        let recorder = try recorder("a.wav") { _ in }
        var feed = try TapFeed.start(recorder, channels: 1, capacity: 65536)
        recorder.pause(atPosition: 1000)
        recorder.resume(atPosition: 5800)
        recorder.mark("verse", atPosition: 6000)
        try feed.feedAll(8000)
        recorder.finish()
        #expect(try samples("a.wav") == numbered(0..<1000) + numbered(5800..<8000))
        #expect(recorder.gaps.map(\.cause) == [.pause] && recorder.gaps.map(\.lengthFrames) == [4800])
        let reader = try SoundFileReader(path: folder("a.wav"))
        #expect(reader.markers == [Marker(frame: 1000, label: "pause 100 ms"), Marker(frame: 1200, label: "verse")])
        let marks = try #require(try list("a.wav")["marks"] as? [[String: Any]])
        #expect(marks.map { $0["frame"] as? Int } == [1200] && marks[0]["label"] as? String == "verse")
    }

    @Test func `marks at its end what was to be marked later, also in a pause`() throws {
        let recorder = try recorder("a.wav") { _ in }
        var feed = try TapFeed.start(recorder, channels: 1, capacity: 65536)
        recorder.pause(atPosition: 3000)
        recorder.mark("in the pause", atPosition: 3500)
        recorder.split(atPosition: 3600)
        recorder.mark("behind it", atPosition: 9000)
        try feed.feedAll(4000)
        recorder.finish()
        let marks = try #require(try list("a.wav")["marks"] as? [[String: Any]])
        #expect(marks.map { $0["label"] as? String } == ["in the pause", "behind it"])
        #expect(marks.map { $0["frame"] as? Int } == [3000, 3000])
        let markers = try SoundFileReader(path: folder("a.wav")).markers
        #expect(markers.map(\.label) == ["in the pause", "behind it"] && recorder.segments.count == 1)
    }

    @Test func twoRecordersAskedAtTheSameFramesKeepTheSame() throws {
        let recorders = try ["a.wav", "b.flac"].map { name in
            try recorder(name) {
                $0.start = .onRequest
                $0.prerollSeconds = 0.05
            }
        }
        for recorder in recorders {
            recorder.begin(atPosition: 3000)
            recorder.pause(atPosition: 4001)
            recorder.resume(atPosition: 4777)
            recorder.end(atPosition: 9001)
            var feed = try TapFeed.start(recorder, channels: 1, capacity: 65536)
            try feed.feedAll(12_000, block: recorder.path.hasSuffix("wav") ? 480 : 77)
            recorder.finish()
        }
        #expect(try samples("a.wav") == samples("b.flac"))
        #expect(try samples("a.wav") == numbered(600..<4001) + numbered(4777..<9001))
    }

    // What is written beside the sound.

    @Test func eachFileSaysWhenItBegan() throws {
        let recorder = try recorder("a.wav") {
            $0.isDated = true
            $0.split = .seconds(1)
            $0.metadata[.title] = "Night"
        }
        var feed = try TapFeed.start(recorder, channels: 1, capacity: 65536)
        let start = WallClock.nanoseconds(ofMonotonic: UInt64(feed.dueNanoseconds))
        try feed.feedAll(100_000)
        recorder.finish()
        let local = LocalTime(start)
        let first = try SoundFileReader(path: folder("a.wav"))
        let broadcast = try #require(first.metadata.broadcast)
        #expect(broadcast.originationDate == local.date && broadcast.originationTime == local.time)
        #expect(broadcast.description == "Night" && broadcast.originator == "iounit")
        let frames = Int(Double(local.nanosecondsOfDay) / 1e9 * 48000)
        // The wall clock may have been set a little meanwhile.
        #expect(abs(Int(broadcast.timeReferenceFrames) - frames) < 480)
        #expect(first.metadata[.date] == local.date && first.metadata[.title] == "Night")
        let second = try #require(try SoundFileReader(path: folder("a-2.wav")).metadata.broadcast)
        let distance = Int(second.timeReferenceFrames) - Int(broadcast.timeReferenceFrames)
        #expect(abs(distance - 48000) <= 480)
    }

    @Test func ditherIsOfSixteenBitsAndFewer() throws {
        for (name, encoding) in [("a.wav", SoundFileFormat.Encoding.pcm16), ("b.wav", .pcm24)] {
            let recorder = try recorder(name) { $0.format = SoundFileFormat(.wav, encoding) }
            var feed = try TapFeed.start(recorder, channels: 1, capacity: 65536)
            for _ in 0..<10 { feed.feed([Float](repeating: 0.5 / 32768, count: 480)) }
            recorder.finish()
        }
        // Half a step becomes none or one, and is half a step on average.
        let dithered = try samples("a.wav")
        #expect(Set(dithered).count > 1)
        let mean = dithered.reduce(0, +) / 4800 * 32768
        #expect(abs(mean - 0.5) < 0.1)
        #expect(Set(try samples("b.wav")) == [0.5 / 32768])
    }

    @Test func channelsAreMixedAsTheyAreToBe() throws {
        let recorder = try recorder("a.wav", channels: 2) { settings in
            settings.matrix = try? ChannelMatrix(weights: [[0, 1]])
        }
        var feed = try TapFeed.start(recorder, channels: 2, capacity: 65536)
        try feed.feedAll(3000)
        recorder.finish()
        let right: [Float] = (0..<3000).map { Sound.numberedSample($0 * 2 + 1) }
        #expect(try samples("a.wav") == right)
    }

    @Test func aNameWhosePeaksAreThereAlreadyIsPassedOver() throws {
        try put([1, 2, 3], at: folder("a-2.wav.dat"))
        let recorder = try recorder("a.wav") {
            $0.writesPeaks = true
            $0.split = .seconds(0.01)
        }
        var feed = try TapFeed.start(recorder, channels: 1, capacity: 65536)
        try feed.feedAll(960)
        recorder.finish()
        #expect(recorder.segments == [folder("a.wav"), folder("a-3.wav")] && recorder.splitRefusal == nil)
        #expect(exists("a-3.wav.dat") && !exists("a-2.wav"))
        #expect(try bytes(of: folder("a-2.wav.dat")) == [1, 2, 3])
    }

    @Test func peaksAreWrittenAsEditorsReadThem() throws {
        let recorder = try recorder("a.wav", channels: 2) { $0.writesPeaks = true }
        var feed = try TapFeed.start(recorder, channels: 2, capacity: 65536)
        try feed.feedAll(1000)
        recorder.finish()
        let data = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder("a.wav.dat"))))
        func word(_ index: Int) -> Int {
            Int(Int32(bitPattern: (0..<4).reduce(0) { $0 | UInt32(data[index * 4 + $1]) << (8 * $1) }))
        }
        #expect((0..<6).map(word) == [2, 0, 48000, 256, 4, 2])
        #expect(data.count == 24 + 4 * 2 * 2 * 2)
        func value(_ index: Int) -> Int {
            Int(Int16(bitPattern: UInt16(data[24 + 2 * index]) | UInt16(data[25 + 2 * index]) << 8))
        }
        for peak in 0..<4 {
            for channel in 0..<2 {
                let range = (peak * 256)..<min(1000, (peak + 1) * 256)
                let all = range.map { Sound.numberedSample($0 * 2 + channel) }
                #expect(value(peak * 4 + channel * 2) == Int((all.min()! * 32767).rounded()))
                #expect(value(peak * 4 + channel * 2 + 1) == Int((all.max()! * 32767).rounded()))
            }
        }
    }
}
