import AudioDSP
import AudioMetering
import AudioRealtime
import AudioReports
import Foundation

/// What the live view shows at one moment.
struct MonitorScene {
    /// Facts about the server, in the order of their weight.
    var title: [String]
    var meters: [LevelMeter]
    /// What the loudness meter shows, if there is one.
    var loudness: LoudnessReading?
    var gainDecibels: Double
    var driveDecibels: Double
    var shape: Shape
    var antialiasing: Antialiasing
    var hasMakeUpGain = false
    var isBypassed: Bool
    var isMuted: Bool
    var isPaused: Bool
    /// 0…1.
    var load: Double
    var intervalMilliseconds: (shortest: Double, mean: Double, longest: Double)
    var xruns: UInt64
    var lostMilliseconds: Double
    /// What is done to voices.
    var voice: String?
    var elapsedSeconds: Double
    /// Where its page is, if it has one.
    var page: String?
    /// What is recorded, if anything.
    var recording: String?
    /// Where it is sent too.
    var targets: [TargetScene] = []
    /// Something that went wrong meanwhile.
    var trouble: String?
}

/// Draws a scene as lines of text: nothing in here knows of a terminal.
struct MonitorView {
    private let page: Page

    init(columns: Int, rows: Int, hasColor: Bool, hasUnicode: Bool, hasKeys: Bool) {
        self.init(
            Page(columns: columns, rows: rows, hasColor: hasColor, hasUnicode: hasUnicode, hasKeys: hasKeys))
    }

    init(_ page: Page) { self.page = page }

    func lines(_ scene: MonitorScene) -> [String] {
        page.lines(
            title: title(scene), meters: scene.meters, footer: footer(scene))
    }

    /// With a picture in place of the meters.
    ///
    /// - Parameter picture: gives a picture of as many rows as it is asked for, or fewer.
    func lines(_ scene: MonitorScene, picture: (Int) -> [String]) -> [String] {
        page.lines(
            title: title(scene),
            state: page.flow(
                [[(clock(scene.elapsedSeconds), .bold)]] + flags(scene)
                    + page.losses(scene.xruns, scene.lostMilliseconds)
                    + recording(scene)),
            trouble: page.trouble(scene.trouble),
            keys: page.hasKeys ? page.flow([["v next view", "V last view", "q quit"].map { ($0 + "   ", .dim) }]) : [],
            picture: picture)
    }

    private func title(_ scene: MonitorScene) -> [String] {
        page.flow([[(" iounit ", .active)]] + scene.title.map { [($0, .plain)] })
    }

    private func flags(_ scene: MonitorScene) -> [Page.Part] {
        (scene.isBypassed ? [[(" BYPASS ", .active)]] : []) + (scene.isMuted ? [[(" MUTE ", .active)]] : [])
            + (scene.isPaused ? [[(" PAUSE ", .lamp)]] : [])
    }

    private func recording(_ scene: MonitorScene) -> [Page.Part] {
        scene.recording.map { [[(page.hasUnicode ? "● " : "* ", .red), ($0, .plain)]] } ?? []
    }

    /// Lines about everything but the levels. In a narrow window they break between their parts.
    private func footer(_ scene: MonitorScene) -> [String] {
        let interval = scene.intervalMilliseconds
        let dots = page.hasUnicode ? "…" : "..."
        var state: [Page.Part] = [
            [("gain ", .plain), ("\(signed(scene.gainDecibels)) dB", .bold)],
            [("drive ", .plain), ("\(signed(scene.driveDecibels)) dB", .bold)],
            [("shape ", .plain), (scene.shape.name, .bold)]
                + (scene.antialiasing == .off ? [] : [(" " + scene.antialiasing.name, .plain)])
                + (scene.hasMakeUpGain ? [(" compensated", .plain)] : []),
        ]
        state += flags(scene)
        let figures: [Page.Part] =
            [
                [("load \(fixed(scene.load * 100, 1)) %", .plain)],
                [
                    ("interval \(fixed(interval.mean, 3)) ms ", .plain),
                    ("(\(fixed(interval.shortest, 3))\(dots)\(fixed(interval.longest, 3)))", .plain),
                ],
            ] + page.losses(scene.xruns, scene.lostMilliseconds)
        var time: [Page.Part] = [[(clock(scene.elapsedSeconds), .bold)]] + recording(scene)
        if let page = scene.page { time.append([(page, .plain)]) }
        var lines = scene.loudness.map { page.flow(loudness($0)) } ?? []
        lines += page.flow(state) + page.voice(scene.voice) + page.flow(figures) + page.flow(time)
        // A third of the window is for many targets.
        lines += page.lines(scene.targets, room: max(2, page.rows / 3))
        if let trouble = scene.trouble { lines += page.flow([[(trouble, .red)]]) }
        if page.hasKeys {
            let keys = [
                "+ - gain", "[ ] drive", "s shape", "a antialias", "c compensate", "b bypass", "e voice", "m mute",
                "p pause", "v view", "q quit",
            ]
            lines += [""] + page.flow(keys.map { [($0, .dim)] })
        }
        return lines
    }

    /// Momentary, short-term, integrated; red where R 128 permits no more, or where the meter has missed something.
    private func loudness(_ reading: LoudnessReading) -> [Page.Part] {
        // As wide at any level, so that nothing jumps ten times a second.
        func level(_ value: Double) -> String {
            alignedRight(value > -99.95 ? iounit.loudness(value) : page.hasUnicode ? "–" : "-", 5)
        }
        let highest = reading.truePeakDecibels.max() ?? -.infinity
        var parts: [Page.Part] = [
            [("loudness M \(level(reading.momentaryLUFS))", .plain)],
            [("S \(level(reading.shortTermLUFS))", .plain)],
            [("I ", .plain), (level(reading.integratedLUFS), .bold), (" LUFS", .plain)],
            [
                ("true peak \(level(reading.recentTruePeakDecibels)), max ", .plain),
                (level(highest), highest > -1 ? .red : .plain), (" dBTP", .plain),
            ],
        ]
        if reading.droppedFrames > 0 { parts.append([("\(reading.droppedFrames) frames DROPPED", .red)]) }
        return parts
    }
}
