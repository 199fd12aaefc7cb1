import AudioDSP
import AudioMetering
import AudioRealtime
import CommandTestSupport
import Testing

@testable import CommandSyntax
@testable import LiveCommands
@testable import LiveRuns
@testable import TerminalPages

@Suite("The live view as text")
struct ViewTests {
    private func scene(channels: Int) -> MonitorScene {
        var meters = [LevelMeter](repeating: LevelMeter(), count: channels)
        for channel in meters.indices {
            meters[channel].update(peak: 0.25, clipped: channel == 0 ? 1 : 0, time: 0, elapsed: 0.03)
        }
        var loudness = LoudnessReading()
        loudness.momentaryLUFS = -23.04
        loudness.integratedLUFS = -100.2
        loudness.truePeakDecibels = [-0.5, -30]
        loudness.recentTruePeakDecibels = -9.96
        loudness.droppedFrames = 64
        var setting = ShaperSetting()
        (setting.driveDecibels, setting.shape) = (12, .cubic)
        (setting.isBypassed, setting.isMuted) = (true, true)
        return MonitorScene(
            run: RunScene(
                title: ["dummy stage", "48000 Hz", "64 frames = 1.33 ms", "async", "SCHED_FIFO 5"], meters: meters,
                elapsedSeconds: 3725, xruns: 2, lostMilliseconds: 3,
                trouble: "cannot write take.wav: the disk is full"),
            loudness: loudness, setting: setting, isPaused: true, load: 0.02,
            intervalMilliseconds: ShownInterval(shortest: 1.3, mean: 1.333, longest: 1.4), recording: "take.wav")
    }

    @Test func `no line is wider than the window and no page longer`() {
        for channels in [1, 2, 64, 256] {
            expectFits { $0.lines(scene(channels: channels)) }
        }
    }

    @Test(arguments: [(40, 10), (80, 24), (40, 5), (200, 60)])
    func `what the keys are for is there as a whole, on as many pages as it takes`(_ columns: Int, _ rows: Int) {
        let view = Page(columns: columns, rows: rows, hasColor: false, hasUnicode: true, hasKeys: true)
        var scene = scene(channels: 2)
        var (words, pages): ([Substring], [[String]]) = ([], [])
        repeat {
            scene.helpPage = pages.count
            pages.append(view.lines(scene))
            #expect(pages.last!.count <= rows && pages.last!.allSatisfy { $0.count <= columns })
            words += pages.last!.dropFirst().flatMap { $0.split(separator: " ") }
        } while !pages.last![0].contains("? back") && pages.count < 40
        let wanted = MonitorKeys.all.flatMap { "\($0.key) \($0.meaning)".split(separator: " ") }
        #expect(words == wanted, "\(pages)")
        #expect(!MonitorKeys.all.contains { $0.meaning.contains("next and last") })
        if rows == 24 { #expect(pages.count <= 2) }
        scene.parameters = [("plugin/1/drive", "3.0; Drive: a number from 1 to 10")]
        scene.helpPage = 99
        let last = view.lines(scene).joined(separator: " ").split(separator: " ").suffix(9)
        #expect(last.joined(separator: " ").hasSuffix("3.0; Drive: a number from 1 to 10"), "\(last)")
        // Who makes the window larger meanwhile sees the last page.
        scene.helpPage = 99
        #expect(view.lines(scene)[0].contains("? back"))
    }

    @Test func `text is broken at blanks, and a long word at the edge`() {
        let page = Page(columns: 40, rows: 24, hasColor: false, hasUnicode: true, hasKeys: true)
        let words = "one two three four five six seven eight"
        #expect(
            page.flow([[("a", .plain)], [(words, .plain)]]) == [
                "  a", "  one two three four five six seven", "  eight",
            ])
        let address = "http://127.0.0.1:8420/#token=abcdefghijkl"
        #expect(page.flow([[(address, .plain)]]) == ["  " + address.prefix(37), "  " + address.dropFirst(37)])
    }

    @Test(arguments: [(20, 6), (40, 8), (80, 10), (100, 4)])
    func `in a low window the meters are seen before all else`(_ columns: Int, _ rows: Int) {
        let view = Page(columns: columns, rows: rows, hasColor: false, hasUnicode: true, hasKeys: true)
        let page = view.lines(scene(channels: 2))
        #expect(page.contains { $0.contains("   1 █") } && page.contains { $0.contains("   2 █") }, "\(page)")
    }

    @Test func `without colour there is no escape, and without Unicode nothing but ASCII`() {
        let plain = Page(columns: 80, rows: 24, hasColor: false, hasUnicode: false, hasKeys: true)
        for channels in [2, 64] {
            let text = plain.lines(scene(channels: channels)).joined(separator: "\n")
            #expect(text.unicodeScalars.allSatisfy { $0.isASCII && ($0.value >= 32 || $0 == "\n") }, "\(text)")
        }
    }

    @Test func `the page tells levels, clipping, time and trouble`() {
        let view = Page(columns: 100, rows: 24, hasColor: false, hasUnicode: true, hasKeys: true)
        let page = view.lines(scene(channels: 2)).joined(separator: "\n")
        for word in ["-12.0 dB", "CLIP", "01:02:05", "take.wav", "disk is full", "BYPASS", "MUTE", "xruns 2", "? help"]
        {
            #expect(page.contains(word), "\(word) is missing in:\n\(page)")
        }
    }

    @Test func `the loudness is one line of 80 columns, as wide in silence as in sound`() {
        let view = Page(columns: 80, rows: 24, hasColor: false, hasUnicode: true, hasKeys: true)
        var scene = scene(channels: 2)
        #expect(view.lines(scene).contains { $0.contains("64 frames DROPPED") })
        scene.loudness?.droppedFrames = 0
        #expect(
            view.lines(scene).contains(
                "  loudness M -23.0   S     –   I     – LUFS   true peak -10.0, max  -0.5 dBTP"), "\(view.lines(scene))"
        )
        scene.loudness = nil
        #expect(!view.lines(scene).contains { $0.contains("loudness") })
    }

    @Test(arguments: [true, false]) func `what is of this moment is not shown while there are no callbacks`(
        _ hasUnicode: Bool
    ) {
        let view = Page(columns: 80, rows: 24, hasColor: false, hasUnicode: hasUnicode, hasKeys: true)
        var scene = scene(channels: 2)
        #expect(view.lines(scene).contains { $0.hasPrefix("  load 2.0 %   interval 1.333 ms (1.300") })
        (scene.load, scene.intervalMilliseconds) = (nil, nil)
        scene.loudness = scene.loudness?.ofThePast
        let lines = view.lines(scene)
        #expect(lines.contains(hasUnicode ? "  load –   interval –" : "  load -   interval -"), "\(lines)")
        #expect(lines.contains { $0.hasPrefix("  loudness M     \(hasUnicode ? "–" : "-")") }, "\(lines)")
    }

    @Test func `a meter falls slowly, holds its peak and keeps its lamp on`() {
        var meter = LevelMeter()
        meter.update(peak: 1, clipped: 3, time: 0, elapsed: 0.1)
        #expect(meter.level == 0 && meter.held == 0 && meter.isClipping)
        meter.update(peak: 0, clipped: 3, time: 1, elapsed: 1)
        #expect(meter.level == -26 && meter.held == 0 && meter.isClipping)
        meter.update(peak: 0, clipped: 3, time: 4, elapsed: 3)
        #expect(meter.held < 0 && !meter.isClipping)
        meter.update(peak: 0, clipped: 3, time: 20, elapsed: 16)
        #expect(meter.level == -.infinity && meter.held == -.infinity)
    }

    @Test func `the nearest word is suggested, and a far one is not`() {
        #expect(nearest(to: "gian", among: ["gain", "drive"]) == "gain")
        #expect(nearest(to: "sec", among: ["seconds", "source"]) == "seconds")
        #expect(nearest(to: "xyzzy", among: ["gain", "drive"]) == nil)
        #expect(nearest(to: "thegain", among: ["drive", "gain"]) == "gain")
        // To count its errors would take minutes and gigabytes.
        let long = String(repeating: "gain", count: 1_000_000)
        #expect(nearest(to: long, among: Array(repeating: "gain", count: 1000)) == nil)
    }
}
