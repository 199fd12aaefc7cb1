import AudioIO
import AudioMetering
import AudioRealtime
import AudioReports
import LiveRuns
import TerminalPages

struct MonitorScene {
    /// What the server lost is as of the last reset.
    var run: RunScene
    /// Of what feeds the unit.
    var inputs: [LevelMeter] = []
    /// Which part of them is seen where they do not find room.
    var part = 0
    /// What the loudness meter shows, if there is one.
    var loudness: LoudnessReading?
    var setting: ShaperSetting
    var isPaused: Bool
    /// 0…1; `nil`, as the interval, while there are no callbacks.
    var load: Double?
    var intervalMilliseconds: ShownInterval?
    /// Since the server last lost something; `nil` where it has not.
    var lossAgeSeconds: Double?
    var history = MonitorHistory()
    /// Which page of what the keys are for is shown in place of all else; `nil` where none is.
    var helpPage: Int?
    /// Parameters that no key is for, each with how it stands and what it takes: behind the keys.
    var parameters: [(key: String, meaning: String)] = []
    /// What is recorded, if anything.
    var recording: String?
}

extension Page {
    /// In a low window trouble, the recording and its time come first, then the meters, then the rest in the order of its weight.
    func lines(_ scene: MonitorScene) -> [String] {
        if let number = scene.helpPage { return help(number, scene.parameters) }
        var state = flow(time(scene) + flags(scene) + losses(scene))
        var rest: [String] = []
        if state.count > 1 {
            rest = flow(flags(scene) + losses(scene))
            state = flow(time(scene))
        }
        let trouble = trouble(scene.run.trouble)
        let all = scene.inputs + scene.run.meters
        var room = PageRoom(max(1, rows) - state.count - trouble.count)
        let least = room.reserveMeters(all.count)
        rest = room.take(rest)
        let controls = room.take(flow(self.controls(scene.setting)))
        let hasScale = room.takeLine()
        let loudness = room.take(scene.loudness.map { flow(self.loudness($0)) } ?? [])
        let figures = room.take(flow(self.figures(scene)))
        let targets = lines(scene.run.targets, room: min(max(0, room.lines), max(2, rows / 3)))
        room.reserve(targets.count)
        let place = room.take(words(scene.run.parts))
        let title = room.take(title(scene.run.title) + [""])
        let keys = hasKeys ? room.take([""] + flow(MonitorKeys.short.map { [($0, .dim)] })) : []
        let gap = room.take(["", ""])
        // All meters before the last minutes.
        let spare = max(0, room.lines - (all.count - least))
        let history = scene.history.lines(on: self)
        let isRemembered = !history.isEmpty && history.count + 1 <= spare
        if isRemembered { room.reserve(history.count + 1) }
        let meters = lines(all, least: least, hasScale: hasScale, part: scene.part, room)
        let past = isRemembered ? [""] + history : []
        let parts: [[String]] = [
            title, state, rest, trouble, Array(gap.prefix(1)), meters, Array(gap.dropFirst()), controls, loudness,
            figures, targets, place, past, keys,
        ]
        return Array(parts.joined().prefix(max(1, rows)))
    }

    private func help(_ number: Int, _ parameters: [(key: String, meaning: String)]) -> [String] {
        let pages = MonitorKeys.pages(on: self, parameters)
        let number = min(number, pages.count - 1)
        let isLast = number == pages.count - 1
        let place = pages.count == 1 ? "keys" : "keys \(number + 1)/\(pages.count)"
        let head = flow([
            [(" iounit ", .active)], [(place, .plain)], [(isLast ? "? back" : "? next page", .dim)],
        ])
        let hasGap = pages[number].count + 2 <= rows
        return Array((head.prefix(1) + (hasGap ? [""] : []) + pages[number]).prefix(max(1, rows)))
    }

    /// With a picture in place of the meters.
    func lines(_ scene: MonitorScene, picture: (Int) -> [String]) -> [String] {
        lines(
            title: title(scene.run.title),
            state: flow(time(scene) + flags(scene) + losses(scene)),
            trouble: trouble(scene.run.trouble),
            keys: hasKeys ? flow([["v next picture", "V previous picture", "q quit"].map { ($0 + "   ", .dim) }]) : [],
            picture: picture)
    }

    private func flags(_ scene: MonitorScene) -> [Page.Part] {
        (scene.setting.isBypassed ? [[(" BYPASS ", .active)]] : [])
            + (scene.setting.isMuted ? [[(" MUTE ", .active)]] : [])
            + (scene.isPaused ? [[(" PAUSE ", .lamp)]] : [])
    }

    private func recording(_ scene: MonitorScene) -> [Page.Part] {
        scene.recording.map { [[(hasUnicode ? "● " : "* ", .red), (plain($0), .plain)]] } ?? []
    }

    private func time(_ scene: MonitorScene) -> [Page.Part] {
        recording(scene) + [[(clock(scene.run.elapsedSeconds), .bold)]]
    }

    private func losses(_ scene: MonitorScene) -> [Page.Part] {
        losses(scene.run.xruns, scene.run.lostMilliseconds, secondsAgo: scene.lossAgeSeconds)
    }

    private func controls(_ setting: ShaperSetting) -> [Page.Part] {
        [
            [("gain ", .plain), ("\(signed(setting.gainDecibels)) dB", .bold)],
            [("drive ", .plain), ("\(signed(setting.driveDecibels)) dB", .bold)],
            [("shape ", .plain), (setting.shape.name, .bold)]
                + (setting.antialiasing == .off ? [] : [(" " + setting.antialiasing.name, .plain)])
                + (setting.hasMakeUpGain ? [(" compensated", .plain)] : []),
        ]
    }

    private func figures(_ scene: MonitorScene) -> [Page.Part] {
        let (dots, none) = hasUnicode ? ("…", "–") : ("...", "-")
        return [
            [("load \(scene.load.map { "\(fixed($0 * 100, 1)) %" } ?? none)", .plain)],
            [("interval \(scene.intervalMilliseconds?.words(dots) ?? none)", .plain)],
        ]
    }

    /// Momentary, short-term, integrated; red where R 128 permits no more, or where the meter has missed something.
    private func loudness(_ reading: LoudnessReading) -> [Page.Part] {
        // As wide at any level, so that nothing jumps ten times a second.
        func level(_ value: Double) -> String {
            alignedRight(value > -99.95 ? loudnessText(value) : hasUnicode ? "–" : "-", 5)
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

extension ShownInterval {
    /// - Parameter dots: between the shortest and the longest.
    func words(_ dots: String) -> String {
        "\(fixed(mean, 3)) ms (\(fixed(shortest, 3))\(dots)\(fixed(longest, 3)))"
    }
}

/// The meters of what feeds the unit.
struct InputMeters {
    private var meters: LevelMeters
    private let levels: PeakLevels
    private var clipped: [UInt64]

    init(channels: Int) {
        meters = LevelMeters(channels: channels)
        levels = PeakLevels(channels: channels)
        clipped = Array(repeating: 0, count: channels)
    }

    var all: [LevelMeter] { meters.all }

    /// Begins to look.
    func start(_ session: MonitorSession) throws {
        let levels = levels
        try session.tapInputs { levels.add($0) }
    }

    /// - Parameter time: of the run, in seconds.
    mutating func update(time: Double) {
        let peaks = levels.take()
        for (channel, peak) in peaks.enumerated() where peak >= 1 { clipped[channel] += 1 }
        meters.update(time: time) { [clipped] in (peaks[$0], clipped[$0]) }
    }

    mutating func label(_ links: [Link], client: String) {
        meters.label("in", "→", client: client) { port in links.filter { $0.target == port }.map(\.source) }
    }

    mutating func reset() { meters.reset() }
}

extension LevelMeters {
    /// Names each meter by its port and what that is connected to.
    ///
    /// - Parameters:
    ///   - side: as ports are called, `in` or `out`.
    ///   - arrow: behind what the port is connected to.
    ///   - partners: of a port, by its full name.
    mutating func label(_ side: String, _ arrow: String, client: String, _ partners: (String) -> [String]) {
        label { channel in
            let others = partners("\(client):\(side)_\(channel + 1)")
            let more = others.count > 1 ? " +\(others.count - 1)" : ""
            return ("\(side) \(channel + 1)", others.first.map { "\(shown($0))\(more) \(arrow) " })
        }
    }
}

/// What the live view of `monitor` remembers of the last minutes, second by second.
struct MonitorHistory {
    private var load = Sparkline("load", unit: "%", from: 0, to: 10, digits: 1)
    private var deviation = Sparkline("deviation", unit: "µs", from: 0, to: 100, digits: 0)
    private var loudness = Sparkline("loudness", unit: "LUFS", from: -60, to: -10, digits: 1)
    private var nextSecond = 0.0

    /// Whether a second has passed since the last one that was taken.
    func isDue(_ elapsed: Double) -> Bool { elapsed >= nextSecond }

    /// - Parameters:
    ///   - load: 0…1; `nil`, as `interval`, while there are no callbacks.
    mutating func add(load: Double?, interval: ShownInterval?, _ loudness: LoudnessReading?, at elapsed: Double) {
        nextSecond = elapsed.rounded(.down) + 1
        self.load.add(load.map { $0 * 100 } ?? .nan)
        deviation.add(interval.map { max($0.longest - $0.mean, $0.mean - $0.shortest) * 1000 } ?? .nan)
        if let loudness { self.loudness.add(loudness.shortTermLUFS > -99.95 ? loudness.shortTermLUFS : .nan) }
    }

    func lines(on page: Page) -> [String] {
        load.line(on: page) + deviation.line(on: page) + loudness.line(on: page)
    }
}
