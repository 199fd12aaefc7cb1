import AudioFiles
import AudioRecording
import Foundation
import Testing
import Threads

@testable import CommandSyntax
@testable import LiveCommands
@testable import LiveRuns
@testable import TerminalPages

@Suite("What iounit record is asked to do") struct RecordOptionsTests {
    private func options(_ words: String) throws -> RecordOptions {
        try RecordOptions(words.split(separator: " ").map(String.init))
    }

    private func refusal(_ words: String) -> String {
        let failure = #expect(throws: Failure.self) { try options(words) }
        #expect(failure?.code == .usage, "\(words): \(failure?.message ?? "")")
        return failure?.message ?? ""
    }

    @Test func `it is transparent, dated, and begins at once where nothing is said`() throws {
        let options = try options("a.wav")
        #expect(options.unit.gainDecibels == 0 && options.settings.isDated && !options.settings.replaces)
        #expect(options.settings.start == .immediately && options.settings.split == nil)
        #expect(options.settings.sampleRate == nil && options.settings.maximumSeconds == nil)
        #expect(options.unit.engine.inputChannels == 2 && options.unit.engine.outputs == .none)
        #expect(options.unit.engine.inputs == .physical)
    }

    @Test func `each file is of the kind that its name says, with the bits where it has a choice`() throws {
        let formats = try options("a.wav b.flac c.opus d.mp3 e.caf --bits 16").targets.map { "\($0.format)" }
        #expect(formats == ["wav pcm16", "flac pcm16", "ogg opus", "mp3 mp3", "caf pcm16"])
        #expect(try options("a.wav b.flac --bits float").targets.map { "\($0.format)" } == ["wav float", "flac pcm24"])
        #expect(try options("-").targets.map { "\($0.format)" } == ["wav float"])
        #expect(try options("- --format flac").targets.map { "\($0.format)" } == ["flac pcm24"])
        #expect(try options("take --format opus").targets.map { "\($0.format)" } == ["ogg opus"])
        #expect(throws: Failure.self) { try options("b.flac --bits float") }
        let mixed = try options("a.wav b.flac c.opus --quality 0.5 --compression 1 --dither shaped").settings
        #expect(mixed.encoder == EncoderSettings(quality: 0.5, compressionLevel: 1) && mixed.dither == .noiseShaped)
        #expect(throws: Failure.self) { try options("take") }
    }

    @Test func `numbers have units`() throws {
        let options = try options(
            "a.wav --file-rate 16k --split 2GiB --preroll 30s --seconds 1:30:00 --gain -3dB --overlap 500ms")
        #expect(options.settings.sampleRate == 16000 && options.settings.split == .bytes(2 << 30))
        #expect(options.settings.prerollSeconds == 30 && options.settings.maximumSeconds == 5400)
        #expect(options.unit.gainDecibels == -3 && options.settings.overlapSeconds == 0.5)
        for (text, split) in [
            ("700MB", RecordingSplit.bytes(700_000_000)), ("100kB", .bytes(100_000)), ("10min", .seconds(600)),
            ("1h", .seconds(3600)), ("0:30", .seconds(30)), ("0.5s", .seconds(0.5)),
        ] {
            #expect(try self.options("a.wav --split \(text)").settings.split == split)
        }
        for text in ["5", "1kB", "0s", "2GX", "-1h", "nan", ""] {
            #expect(refusal("a.wav --split=\(text)").contains("10min"), "\(text)")
        }
    }

    @Test func `it begins when it is told to`() throws {
        #expect(try options("a.wav --wait").settings.start == .onRequest)
        #expect(try options("a.wav --preroll 5").settings.start == .onRequest)
        #expect(
            try options("a.wav --threshold -40dB --silence 2s --repeat").settings.start
                == .sound(SoundTrigger(thresholdDecibels: -40, silenceSeconds: 2, repeats: true)))
        let before = MonotonicClock.nanoseconds()
        guard case .at(let nanoseconds) = try options("a.wav --at +10min").settings.start else {
            Issue.record("no time")
            return
        }
        #expect(nanoseconds >= before + 599_000_000_000 && nanoseconds < before + 660_000_000_000)
    }

    @Test func `a time of day is the next at which clocks show it`() throws {
        let now = Int64(1_795_000_000) * 1_000_000_000
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.dateFormat = "HH:mm:ss"
        for ahead in [30.0, 3600, 80_000] {
            let text = formatter.string(from: Date(timeIntervalSince1970: 1_795_000_000 + ahead))
            let moment = try #require(Quantity.nextTimeOfDay(text, after: now))
            #expect(moment == now + Int64(ahead) * 1_000_000_000 && LocalTime(moment).time == text)
        }
        for text in ["24:00", "12:60", "12", "1:2:3:4", "a:b", "", "12:30:99", "-1:00"] {
            #expect(Quantity.nextTimeOfDay(text, after: now) == nil, "\(text)")
        }
    }

    @Test func `what contradicts itself is refused with the reason`() {
        for (words, reason) in [
            ("", "needs a file"), ("a.wav a.wav", "a.wav is named twice"), ("- -", "- is named twice"),
            ("a.flac b.wav ./a.flac", "a.flac, as ./a.flac too, is named twice"),
            ("a.wav nowhere/../a.wav", "named twice"), ("a.wav --wait --threshold -40", "two starts"),
            ("a.wav --at 22:00 --threshold -40", "two starts"), ("a.wav --silence 2", "needs --threshold"),
            ("a.wav --repeat", "needs --threshold or --transport"),
            ("a.wav --transport --at 22:00", "two starts"),
            ("a.wav --transport --preroll 2s", "leave it out"), ("- --transport --repeat", "one stream"),
            ("- --json", "cannot share"), ("- --split 1h", "one stream"), ("- --peaks", "--peaks"),
            ("- --threshold -40 --repeat", "one stream"),
            ("a.wav --overlap 1", "needs --split"), ("a.wav --split 1e400", "takes a time from"),
            ("a.wav --split \(String(repeating: "9", count: 308))GiB", "takes a time from"),
            ("a.wav --split nan", "takes a time from"), ("a.wav --split ５MB", "takes a time from"),
            ("a.wav --split 1s --overlap 2s", "shorter"), ("a.wav --file-rate 16k --on-rate-change split", "leave out"),
            ("a.wav --at 25:00", "time of day"), ("a.wav --threshold 3", "decibels"), ("a{x}.wav", "placeholder"),
            ("a.wav --preroll 24h --channels 64", "memory"),
            (
                "a.wav --rate 16k",
                "--rate needs --dummy; the sample rate of the files is --file-rate; the sample rate of the stream is --stream-rate"
            ),
            ("a.wav --no-connect --input x", "exclude each other"),
            ("a.wav b.flac --quality 0.5", "--quality is for files of Opus, Vorbis or MP3"),
            ("a.wav b.opus --compression 1", "--compression is for FLAC files"),
            ("a.wav b.opus --dither shaped", "--dither is for files of integers"),
            ("a.opus b.mp3 --bits 16", "--bits 16 is what none of the files can hold"),
            ("a --format opus --bits 16", "--bits 16 is what none of the files can hold"),
        ] {
            #expect(refusal(words).contains(reason), "\(words)")
        }
    }
}
