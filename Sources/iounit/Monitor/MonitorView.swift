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
    var elapsedSeconds: Double
    /// What is recorded, if anything.
    var recording: String?
    /// Something that went wrong meanwhile.
    var trouble: String?
}

/// Draws a scene as lines of text: nothing in here knows of a terminal.
struct MonitorView {
    var columns: Int
    var rows: Int
    var hasColor: Bool
    var hasUnicode: Bool
    var hasKeys: Bool

    private enum Tint: String {
        case plain = ""
        case dim = "2"
        case bold = "1"
        case green = "32"
        case yellow = "33"
        case red = "31"
        case lamp = "1;37;41"
        case active = "7"
    }

    /// A line that knows its width, with or without colours in it. Pieces of one colour that follow each other share a
    /// colour sequence: with one for each cell a page of many channels is more than a terminal takes at that rate.
    private struct Line {
        private(set) var width = 0
        private let limit: Int
        private let hasColor: Bool
        private var content = ""
        private var tint = Tint.plain

        init(limit: Int, hasColor: Bool) {
            self.limit = limit
            self.hasColor = hasColor
        }

        var text: String { tint == .plain ? content : content + "\u{1b}[0m" }

        mutating func add(_ piece: String, _ tint: Tint = .plain) {
            let fitting = piece.prefix(max(0, limit - width))
            guard !fitting.isEmpty else { return }
            width += fitting.count
            if hasColor && tint != self.tint {
                if self.tint != .plain { content += "\u{1b}[0m" }
                if tint != .plain { content += "\u{1b}[\(tint.rawValue)m" }
                self.tint = tint
            }
            content += fitting
        }
    }

    func lines(_ scene: MonitorScene) -> [String] {
        var page = title(scene) + [""]
        let footer = self.footer(scene)
        // In a low window the meters come first: half of it is theirs, and the title gives way.
        let least = min(scene.meters.count, max(1, rows / 2))
        // The scale and the gap below it take two lines besides.
        if page.count + least + 2 + footer.count > rows { page = [] }
        let room = max(least, rows - page.count - footer.count - 2)
        page += meterLines(scene, room: room)
        page += [scale(), ""]
        page += footer
        return Array(page.prefix(max(1, rows)))
    }

    private func line() -> Line { Line(limit: columns - 1, hasColor: hasColor) }

    private func title(_ scene: MonitorScene) -> [String] {
        flow([[(" iounit ", .active)]] + scene.title.map { [($0, .plain)] })
    }

    private static let floor = -60.0

    /// Cells of a meter between number and level, at this width.
    private var barWidth: Int { max(5, columns - 24) }

    private func meterLines(_ scene: MonitorScene, room: Int) -> [String] {
        let shown = scene.meters.count <= room ? scene.meters.count : max(0, room - 1)
        var lines = scene.meters.prefix(shown).enumerated().map { meter($1, number: $0 + 1) }
        if shown < scene.meters.count {
            let rest = scene.meters[shown...]
            let highest = rest.map(\.held).max() ?? -.infinity
            var line = line()
            line.add("  … and \(rest.count) more, at most \(decibels(highest)) dB", .dim)
            if rest.contains(where: \.isClipping) { line.add(" CLIP ", .lamp) }
            lines.append(hasUnicode ? line.text : line.text.replacingOccurrences(of: "…", with: "..."))
        }
        return lines
    }

    private func meter(_ meter: LevelMeter, number: Int) -> String {
        var line = line()
        let width = barWidth
        line.add(alignedRight("\(number)", 4) + " ")
        let filled = cells(meter.level, width)
        let mark = meter.held > Self.floor ? min(width - 1, cells(meter.held, width)) : -1
        func look(_ cell: Int) -> (symbol: String, tint: Tint) {
            if cell == mark { return (hasUnicode ? "┃" : "|", tint(cell, width)) }
            return cell < filled ? (hasUnicode ? "━" : "=", tint(cell, width)) : (hasUnicode ? "─" : ".", .dim)
        }
        var cell = 0
        while cell < width {
            let (symbol, tint) = look(cell)
            let end = (cell + 1..<width).first { look($0) != (symbol, tint) } ?? width
            line.add(String(repeating: symbol, count: end - cell), tint)
            cell = end
        }
        line.add(alignedRight(decibels(meter.held), 8) + " dB ")
        line.add(meter.isClipping ? " CLIP " : "      ", meter.isClipping ? .lamp : .plain)
        return line.text
    }

    private func scale() -> String {
        var marks = [Character](repeating: " ", count: barWidth + 5)
        for level in [-60, -48, -36, -24, -18, -12, -6, 0] {
            let label = Array("\(level)")
            let start = min(cells(Double(level), barWidth), barWidth - label.count)
            guard start >= 0, marks[max(0, start - 1)..<(start + label.count)].allSatisfy({ $0 == " " }) else {
                continue
            }
            marks.replaceSubrange(start..<(start + label.count), with: label)
        }
        var line = line()
        line.add("     " + String(marks), .dim)
        return line.text
    }

    /// Lines about everything but the levels. In a narrow window they break between their parts.
    private func footer(_ scene: MonitorScene) -> [String] {
        let interval = scene.intervalMilliseconds
        let dots = hasUnicode ? "…" : "..."
        var state: [Part] = [
            [("gain ", .plain), ("\(signed(scene.gainDecibels)) dB", .bold)],
            [("drive ", .plain), ("\(signed(scene.driveDecibels)) dB", .bold)],
            [("shape ", .plain), (scene.shape.name, .bold)]
                + (scene.antialiasing == .off ? [] : [(" " + scene.antialiasing.name, .plain)])
                + (scene.hasMakeUpGain ? [(" compensated", .plain)] : []),
        ]
        if scene.isBypassed { state.append([(" BYPASS ", .active)]) }
        if scene.isMuted { state.append([(" MUTE ", .active)]) }
        if scene.isPaused { state.append([(" PAUSE ", .lamp)]) }
        let figures: [Part] = [
            [("load \(fixed(scene.load * 100, 1)) %", .plain)],
            [
                ("interval \(fixed(interval.mean, 3)) ms ", .plain),
                ("(\(fixed(interval.shortest, 3))\(dots)\(fixed(interval.longest, 3)))", .plain),
            ],
            [("xruns \(scene.xruns)", scene.xruns > 0 ? .red : .plain)],
            [("lost \(fixed(scene.lostMilliseconds, 1)) ms", scene.lostMilliseconds > 0 ? .red : .plain)],
        ]
        var time: [Part] = [[(clock(scene.elapsedSeconds), .bold)]]
        if let recording = scene.recording { time.append([(hasUnicode ? "● " : "* ", .red), (recording, .plain)]) }
        var lines = scene.loudness.map { flow(loudness($0)) } ?? []
        lines += flow(state) + flow(figures) + flow(time)
        if let trouble = scene.trouble { lines += flow([[(trouble, .red)]]) }
        if hasKeys {
            let keys = [
                "+ - gain", "[ ] drive", "s shape", "a antialias", "c compensate", "b bypass", "m mute", "p pause",
                "q quit",
            ]
            lines += [""] + flow(keys.map { [($0, .dim)] })
        }
        return lines
    }

    /// Momentary, short-term, integrated; red where R 128 permits no more, or where the meter has missed something.
    private func loudness(_ reading: LoudnessReading) -> [Part] {
        // As wide at any level, so that nothing jumps ten times a second.
        func level(_ value: Double) -> String {
            alignedRight(value > -99.95 ? iounit.loudness(value) : hasUnicode ? "–" : "-", 5)
        }
        let highest = reading.truePeakDecibels.max() ?? -.infinity
        var parts: [Part] = [
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

    private typealias Part = [(text: String, tint: Tint)]

    /// Puts parts side by side, as many on a line as fit.
    private func flow(_ parts: [Part]) -> [String] {
        var lines: [String] = []
        var current = line()
        for part in parts {
            let width = part.reduce(0) { $0 + $1.text.count }
            if current.width > 0 && current.width + 3 + width > columns - 1 {
                lines.append(current.text)
                current = line()
            }
            current.add(current.width == 0 ? "  " : "   ")
            for piece in part { current.add(piece.text, piece.tint) }
        }
        return lines + [current.text]
    }

    private func cells(_ level: Double, _ width: Int) -> Int {
        guard level > Self.floor else { return 0 }
        return min(width, Int(((level - Self.floor) / -Self.floor * Double(width)).rounded()))
    }

    private func tint(_ cell: Int, _ width: Int) -> Tint {
        let level = Self.floor - Self.floor * Double(cell) / Double(width)
        return level >= -3 ? .red : level >= -12 ? .yellow : .green
    }
}

/// A level for people: one decimal, or a word for silence.
func decibels(_ level: Double) -> String { level.isFinite ? fixed(level, 1) : "silent" }

/// A loudness or true peak for people: one decimal, or a dash for silence and what is not known yet.
func loudness(_ level: Double) -> String { level.isFinite ? fixed(level, 1) : "–" }

func signed(_ value: Double) -> String { (value < 0 ? "" : "+") + fixed(value, 1) }

/// Hours, minutes and seconds.
func clock(_ seconds: Double) -> String {
    let whole = Int(seconds)
    return String(format: "%02d:%02d:%02d", whole / 3600, whole / 60 % 60, whole % 60)
}
