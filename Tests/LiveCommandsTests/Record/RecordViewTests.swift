import AudioFiles
import AudioRecording
import AudioReports
import CommandTestSupport
import Testing

@testable import LiveCommands
@testable import LiveRuns
@testable import TerminalPages

@Suite("The live view of iounit record as text") struct RecordViewTests {
    private func scene(channels: Int = 2, state: Recorder.State = .recording) -> RecordScene {
        var meters = [LevelMeter](repeating: LevelMeter(), count: channels)
        for channel in meters.indices { meters[channel].update(peak: 0.25, clipped: 1, time: 0, elapsed: 0.03) }
        return RecordScene(
            run: RunScene(
                title: ["dummy stage", "48000 Hz", "64 frames = 1.33 ms", "async", "SCHED_FIFO 5"], meters: meters,
                xruns: 2, lostMilliseconds: 3,
                targets: [
                    TargetScene(
                        name: "rtp://10.0.0.7:5004", format: "opus 48000 Hz", state: .connecting, sentPackets: 4321,
                        lostPackets: 7, reconnections: 0, bytesPerSecond: 12_345)
                ], trouble: "the JACK server is gone; waiting for it"),
            state: state,
            waiting: "waiting for a sound of -40.0 dB; 30 s before it are kept", recordedSeconds: 83,
            maximumSeconds: 3600,
            files: [
                RecordScene.File(
                    name: "Grüße, 世界-2.wav", format: "wav float", bytes: 12_345_678, segments: 2,
                    warnings: ["1 gap", "64 frames DROPPED"]),
                RecordScene.File(name: "night.opus", format: "ogg opus", bytes: 999, segments: 1, warnings: []),
            ],
            secondsLeft: 321, freeBytes: 123_456_789)
    }

    private func page(_ columns: Int, _ rows: Int, unicode: Bool = true) -> Page {
        Page(columns: columns, rows: rows, hasColor: false, hasUnicode: unicode, hasKeys: true)
    }

    @Test func `no line is wider than the window and no page longer`() {
        for channels in [1, 2, 64] {
            for state in [Recorder.State.waiting, .recording, .paused, .over] {
                expectFits { $0.lines(scene(channels: channels, state: state)) }
            }
        }
    }

    @Test(arguments: [(20, 5), (40, 10), (60, 16), (80, 24), (200, 50)])
    func `that it records, for how long, and a meter are seen in each window`(_ columns: Int, _ rows: Int) {
        var scene = scene()
        if rows < 10 { scene.run.trouble = nil }
        let text = page(columns, rows).lines(scene).joined(separator: "\n")
        #expect(text.contains("● REC") && text.contains("00:01:23"), "\(text)")
        #expect(text.contains("   1 █"), "\(text)")
        #expect(rows < 10 || text.contains("the JACK server is gone"), "\(text)")
        #expect(rows < 24 || text.contains("q quit") && text.contains("stage"), "\(text)")
    }

    @Test func `the page of 80 columns tells all that there is to tell`() {
        let text = page(80, 24).lines(scene()).joined(separator: "\n")
        for word in [
            "00:01:23 / 01:00:00", "Grüße, 世界-2.wav", "wav float", "12.3 MB", "2 files", "1 gap", "64 frames DROPPED",
            "night.opus", "999 B", "disk full in 00:05:21", "123 MB free", "xruns 2", "lost 3.0 ms", "space pause",
            "n next file", "m mark", "rtp://10.0.0.7:5004", "reconnecting", "12.3 kB/s", "sent 4321", "lost 7",
            "-12.0 dB", "CLIP",
        ] {
            #expect(text.contains(word), "\(word) in \(text)")
        }
        let ascii = page(80, 24, unicode: false).lines(scene()).joined(separator: "\n")
        #expect(ascii.contains("* REC") && ascii.allSatisfy(\.isASCII), "\(ascii)")
    }

    @Test func `it says what it waits for, and what space does`() {
        func text(_ state: Recorder.State) -> String {
            page(100, 24).lines(scene(state: state)).joined(separator: "\n")
        }
        #expect(text(.waiting).contains(" WAIT    waiting for a sound of -40.0 dB; 30 s before it are kept"))
        #expect(text(.waiting).contains("space begin") && text(.paused).contains("space go on"))
        #expect(text(.paused).contains(" PAUSE    00:01:23"))
    }

    @Test func `sizes have three digits and a unit`() {
        for (bytes, text) in [
            (0, "0 B"), (999, "999 B"), (1000, "1.00 kB"), (9_949, "9.95 kB"), (12_345, "12.3 kB"), (999_499, "999 kB"),
            (999_500, "1.00 MB"), (2_147_483_648, "2.15 GB"),
        ] {
            #expect(size(bytes) == text)
        }
    }

    @Test func `a log without a page has no line of the time that a suspended program has missed`() {
        var lines = LogPace(seconds: 10)
        func taken(_ seconds: Double...) -> [Double] { seconds.filter { lines.take(atSeconds: $0) } }
        #expect(taken(0, 9.9, 10.1, 10.2, 19.9, 20, 20.1) == [10.1, 20])
        #expect(taken(55, 55.1, 55.2, 59.9, 60.1, 60.2, 70.5) == [55, 60.1, 70.5])
    }
}
