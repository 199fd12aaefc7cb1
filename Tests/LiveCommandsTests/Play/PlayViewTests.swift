import CommandTestSupport
import Testing

@testable import LiveCommands
@testable import LiveRuns
@testable import TerminalPages

@Suite("The live view of iounit play as text") struct PlayViewTests {
    private func scene(channels: Int = 2) -> PlayScene {
        var meters = [LevelMeter](repeating: LevelMeter(), count: channels)
        for channel in meters.indices { meters[channel].update(peak: 0.25, clipped: 1, time: 0, elapsed: 0.03) }
        return PlayScene(
            run: RunScene(
                title: ["dummy stage", "48000 Hz", "64 frames = 1.33 ms", "async", "SCHED_FIFO 5"], meters: meters,
                xruns: 2, lostMilliseconds: 3, trouble: "the JACK server is gone; waiting for it"),
            name: "Grüße, 世界 and all the rest of a long name.flac", number: 2, count: 12,
            format: "FLAC (Free Lossless Audio Codec), Signed 24 bit PCM, 44100 Hz played at 48000 Hz, 2 channels",
            positionSeconds: 83, startSeconds: 0, endSeconds: 225, gainDecibels: -3, isPaused: true,
            isLooping: true, isShuffled: true, clipped: 7, underrunFrames: 64)
    }

    private func page(_ columns: Int, _ rows: Int, unicode: Bool = true, color: Bool = false) -> Page {
        Page(columns: columns, rows: rows, hasColor: color, hasUnicode: unicode, hasKeys: true)
    }

    private static let sizes = [(20, 5), (40, 10), (60, 16), (80, 24), (200, 50)]

    @Test func `no line is wider than the window and no page longer`() {
        for channels in [1, 2, 64] {
            for scene in [scene(channels: channels), quiet(channels)] {
                expectFits { $0.lines(scene) }
            }
        }
    }

    private func quiet(_ channels: Int) -> PlayScene {
        var scene = scene(channels: channels)
        (scene.run.trouble, scene.isPaused, scene.endSeconds) = (nil, false, nil)
        return scene
    }

    @Test(arguments: sizes)
    func `the name, the position, trouble and a meter are seen in each window`(_ columns: Int, _ rows: Int) {
        var scene = scene()
        if rows < 10 { scene.run.trouble = nil }
        let lines = page(columns, rows).lines(scene)
        let text = lines.joined(separator: "\n")
        #expect(text.contains(" PAUSE  2/12 Grüße"), "\(text)")
        #expect(text.contains("00:01:23"), "\(text)")
        #expect(text.contains("   1 █"), "\(text)")
        #expect(rows < 10 || text.contains("the JACK server is gone"), "\(text)")
        #expect(columns < 40 || text.contains("00:03:45"), "\(text)")
        #expect(rows < 16 || text.contains("   2 █"), "\(text)")
        #expect(rows < 24 || text.contains("q quit") && text.contains("FLAC") && text.contains("stage"), "\(text)")
    }

    @Test func `the page of 80 columns tells all that there is to tell`() {
        let text = page(80, 24).lines(scene()).joined(separator: "\n")
        for word in [
            "-12.0 dB", "CLIP", "gain -3.0 dB", " LOOP ", " SHUFFLE ", "xruns 2", "lost 3.0 ms", "underruns 64 frames",
            "clipped 7", "━●─", "space pause", "← → 5 s",
        ] {
            #expect(text.contains(word), "\(word) is missing in:\n\(text)")
        }
        #expect(!text.contains("\u{1b}"))
        let colored = page(80, 24, color: true).lines(quiet(2)).joined(separator: "\n")
        #expect(colored.contains("\u{1b}[32m") && !colored.contains("PAUSE"))
    }

    @Test func `the bar shows the place in the part that is played`() {
        var scene = quiet(1)
        (scene.startSeconds, scene.endSeconds) = (100, 200)
        func place(_ seconds: Double) -> Int? {
            scene.positionSeconds = seconds
            let bar = page(100, 24).lines(scene).first { $0.contains("●") }?.filter { "━●─".contains($0) }
            return bar.flatMap { bar in bar.firstIndex(of: "●").map { bar.distance(from: bar.startIndex, to: $0) } }
        }
        #expect(place(100) == 0 && place(50) == 0 && place(150) == 39 && place(200) == 77 && place(999) == 77)
    }

    @Test(arguments: sizes) func `without Unicode there is nothing but ASCII`(_ columns: Int, _ rows: Int) {
        let text = page(columns, rows, unicode: false).lines(scene()).joined(separator: "\n")
        #expect(text.unicodeScalars.allSatisfy { $0.isASCII && ($0.value >= 32 || $0 == "\n") }, "\(text)")
    }

    @Test func `a wide character takes two cells`() {
        #expect(
            TerminalPages.columns(of: "世界") == 4 && TerminalPages.columns(of: "Grüße") == 5
                && TerminalPages.columns(of: "🎵a") == 3)
        for text in ["⌚", "⚡", "✅", "⭐", "🀄", "🟠", "🈁", "ꥠ", "🇯🇵"] {
            #expect(TerminalPages.columns(of: text) == 2, "\(text)")
        }
        #expect(TerminalPages.columns(of: "█─┃●→▁⚠") == 7)
        var line = page(6, 1).line()
        line.add("世界世界")
        #expect(line.text == "世界" && line.width == 4)
    }
}
