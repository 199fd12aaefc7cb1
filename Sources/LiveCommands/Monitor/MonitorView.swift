import AudioDSP
import AudioMetering
import AudioReports
import LiveRuns
import TerminalPages

/// What the live view shows at one moment.
struct MonitorScene {
    /// Facts about the server, in the order of their weight.
    var title: [String]
    /// Of what feeds the unit, and of the outputs.
    var inputs: [LevelMeter] = []
    var meters: [LevelMeter]
    /// Which part of them is seen where they do not find room.
    var part = 0
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
    /// Since the server last lost something; `nil` where it has not.
    var lossAgeSeconds: Double?
    var history = MonitorHistory()
    /// Which page of what the keys are for is shown in place of all else; `nil` where none is.
    var helpPage: Int?
    /// Parameters that no key is for, each with how it stands and what it takes: behind the keys.
    var parameters: [(key: String, meaning: String)] = []
    var elapsedSeconds: Double
    /// What it has beside: MIDI, OSC, a page.
    var parts: [String] = []
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

    /// In a low window trouble, the recording and its time come first, then the meters, then the rest in the order of its weight.
    func lines(_ scene: MonitorScene) -> [String] {
        if let number = scene.helpPage { return help(number, scene.parameters) }
        var state = page.flow(time(scene) + flags(scene) + losses(scene))
        var rest: [String] = []
        if state.count > 1 {
            rest = page.flow(flags(scene) + losses(scene))
            state = page.flow(time(scene))
        }
        let trouble = page.trouble(scene.trouble)
        let all = scene.inputs + scene.meters
        var room = PageRoom(max(1, page.rows) - state.count - trouble.count)
        let least = room.reserveMeters(all.count)
        rest = room.take(rest)
        let controls = room.take(page.flow(self.controls(scene)))
        let hasScale = room.takeLine()
        let loudness = room.take(scene.loudness.map { page.flow(self.loudness($0)) } ?? [])
        let figures = room.take(page.flow(self.figures(scene)))
        let targets = page.lines(scene.targets, room: min(max(0, room.lines), max(2, page.rows / 3)))
        room.reserve(targets.count)
        let place = room.take(page.words(scene.parts))
        let title = room.take(self.title(scene) + [""])
        let keys = page.hasKeys ? room.take([""] + page.flow(MonitorKeys.short.map { [($0, .dim)] })) : []
        let gap = room.take(["", ""])
        // All meters before the last minutes.
        let spare = max(0, room.lines - (all.count - least))
        let history = scene.history.lines(on: page)
        let isRemembered = !history.isEmpty && history.count + 1 <= spare
        if isRemembered { room.reserve(history.count + 1) }
        let meters = page.lines(all, least: least, hasScale: hasScale, part: scene.part, room)
        let past = isRemembered ? [""] + history : []
        let parts: [[String]] = [
            title, state, rest, trouble, Array(gap.prefix(1)), meters, Array(gap.dropFirst()), controls, loudness,
            figures, targets, place, past, keys,
        ]
        return Array(parts.joined().prefix(max(1, page.rows)))
    }

    private func help(_ number: Int, _ parameters: [(key: String, meaning: String)]) -> [String] {
        let pages = MonitorKeys.pages(on: page, parameters)
        let number = min(number, pages.count - 1)
        let isLast = number == pages.count - 1
        let place = pages.count == 1 ? "keys" : "keys \(number + 1)/\(pages.count)"
        let head = page.flow([
            [(" iounit ", .active)], [(place, .plain)], [(isLast ? "? back" : "? next page", .dim)],
        ])
        let hasGap = pages[number].count + 2 <= page.rows
        return Array((head.prefix(1) + (hasGap ? [""] : []) + pages[number]).prefix(max(1, page.rows)))
    }

    /// With a picture in place of the meters.
    ///
    /// - Parameter picture: gives a picture of as many rows as it is asked for, or fewer.
    func lines(_ scene: MonitorScene, picture: (Int) -> [String]) -> [String] {
        page.lines(
            title: title(scene),
            state: page.flow(time(scene) + flags(scene) + losses(scene)),
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

    private func time(_ scene: MonitorScene) -> [Page.Part] {
        recording(scene) + [[(clock(scene.elapsedSeconds), .bold)]]
    }

    private func losses(_ scene: MonitorScene) -> [Page.Part] {
        page.losses(scene.xruns, scene.lostMilliseconds, secondsAgo: scene.lossAgeSeconds)
    }

    private func controls(_ scene: MonitorScene) -> [Page.Part] {
        [
            [("gain ", .plain), ("\(signed(scene.gainDecibels)) dB", .bold)],
            [("drive ", .plain), ("\(signed(scene.driveDecibels)) dB", .bold)],
            [("shape ", .plain), (scene.shape.name, .bold)]
                + (scene.antialiasing == .off ? [] : [(" " + scene.antialiasing.name, .plain)])
                + (scene.hasMakeUpGain ? [(" compensated", .plain)] : []),
        ]
    }

    private func figures(_ scene: MonitorScene) -> [Page.Part] {
        let interval = scene.intervalMilliseconds
        let dots = page.hasUnicode ? "…" : "..."
        return [
            [("load \(fixed(scene.load * 100, 1)) %", .plain)],
            [
                ("interval \(fixed(interval.mean, 3)) ms ", .plain),
                ("(\(fixed(interval.shortest, 3))\(dots)\(fixed(interval.longest, 3)))", .plain),
            ],
        ]
    }

    /// Momentary, short-term, integrated; red where R 128 permits no more, or where the meter has missed something.
    private func loudness(_ reading: LoudnessReading) -> [Page.Part] {
        // As wide at any level, so that nothing jumps ten times a second.
        func level(_ value: Double) -> String {
            alignedRight(value > -99.95 ? TerminalPages.loudness(value) : page.hasUnicode ? "–" : "-", 5)
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
