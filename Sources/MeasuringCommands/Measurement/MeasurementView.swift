import AudioMeasurement
import AudioReports
import TerminalPages
import Threads

/// The terminal that a measurement is shown on while it runs.
struct MeasurementScreen {
    let terminal: Terminal
    private let title: [String]
    private let periodSeconds: Double
    private var history: [Sparkline] = []
    /// The farthest from nominal since the last value of the history, of each mode; in nanoseconds.
    private var farthest: [Int64?] = []
    private var nextValue: UInt64 = 0
    private var nextPage: UInt64 = 0

    /// Between two pages, and between two values of the history. Slow, so that the look itself is not what is measured.
    private static let pageNanoseconds: UInt64 = 200_000_000
    private static let valueNanoseconds: UInt64 = 400_000_000

    /// `nil` where there is no terminal that can be drawn on.
    init?(title: [String], periodSeconds: Double) {
        guard let terminal = Terminal() else { return nil }
        self.terminal = terminal
        self.title = title
        self.periodSeconds = periodSeconds
    }

    /// Whether a key was pressed that ends the run.
    var isEnded: Bool { terminal.keys().contains(where: \.ends) }

    /// Draws a page where it is time for one.
    ///
    /// - Parameters:
    ///   - phase: what is going on.
    ///   - done, detail: how far it has come, in words.
    ///   - progress: 0…1.
    mutating func show(
        _ phase: String, _ done: String, _ detail: String, progress: Double, trouble: String?, look: () -> [LiveFigures]
    ) {
        let now = MonotonicClock.nanoseconds()
        guard now >= nextPage else { return }
        nextPage = now + Self.pageNanoseconds
        let modes = look()
        remember(modes, at: now)
        terminal.draw(
            Page(terminal).lines(
                MeasurementScene(
                    title: title, phase: phase, done: done, detail: detail, progress: progress, modes: modes,
                    history: history,
                    historySeconds: Double(Self.valueNanoseconds) / 1e9, trouble: trouble)))
    }

    private mutating func remember(_ modes: [LiveFigures], at now: UInt64) {
        if history.count != modes.count {
            let unit = terminal.hasUnicode ? "µs" : "us"
            let ceiling = max(10, periodSeconds * 1e6)
            history = modes.map {
                Sparkline(shown($0.name), unit: unit, from: 1, to: ceiling, digits: 1, isLogarithmic: true)
            }
            farthest = modes.map { _ in nil }
        }
        for (index, mode) in modes.enumerated() {
            if let recent = mode.recent { farthest[index] = max(farthest[index] ?? 0, recent) }
        }
        guard now >= nextValue, modes.contains(where: { $0.callbacks > 0 }) else { return }
        nextValue = now + Self.valueNanoseconds
        for index in history.indices {
            history[index].add(farthest[index].map { Double($0) / 1000 } ?? .nan)
            farthest[index] = nil
        }
    }
}

struct MeasurementScene {
    /// Facts about the server, in the order of their weight.
    var title: [String]
    /// What is going on: `measuring`.
    var phase: String
    /// How far it has come: `4.2 of 10.0 s`, and beside that where there is room: `3151 callbacks`.
    var done: String
    var detail = ""
    /// 0…1.
    var progress: Double
    var modes: [LiveFigures]
    /// Of each mode, of how far it was from nominal.
    var history: [Sparkline] = []
    /// What a value of the history is of.
    var historySeconds = 0.0
    /// What keeps it from being measured.
    var trouble: String?
}

extension Page {
    /// From so many columns on the figures of a mode are a row of a table, and from so many on all of them.
    private static let leastTableWidth = 60
    private static let leastFullWidth = 72

    /// In a low window how far it is, and what is wrong, come first, then the figures, then the rest.
    func lines(_ scene: MeasurementScene) -> [String] {
        let state = progress(scene.phase, scene.done, detail: scene.detail, share: scene.progress)
        let trouble = self.trouble(scene.trouble)
        var room = PageRoom(max(1, rows) - state.count - trouble.count)
        let figures = Array(self.figures(scene.modes).prefix(max(0, room.lines)))
        room.reserve(figures.count)
        let title = room.take(self.title(scene.title) + [""])
        let keys = hasKeys ? room.take([""] + flow([[(Self.measurementKeys, .dim)]])) : []
        let history = room.take(self.history(scene))
        let gap = room.take([""])
        return Array((title + state + trouble + gap + figures + history + keys).prefix(max(1, rows)))
    }

    /// What the key of every measurement is for.
    static let measurementKeys = "q end, with the report so far"

    private func history(_ scene: MeasurementScene) -> [String] {
        let lines = scene.history.flatMap { $0.line(on: self) }
        guard !lines.isEmpty else { return [] }
        return ["", dim("farthest from nominal in each \(rounded(scene.historySeconds)) s, up to a period")] + lines
    }

    private func dim(_ text: String) -> String {
        var line = self.line()
        line.add("  " + text, .dim)
        return line.text
    }

    /// A figure of a mode under its heading.
    private struct Column {
        var heading: String
        var width: Int
        var value: (LiveFigures) -> (text: String, tint: Page.Tint)
    }

    private var measures: [Column] {
        func count(_ number: UInt64) -> (String, Page.Tint) { ("\(number)", number > 0 ? .red : .plain) }
        return [
            Column(heading: "now", width: 10) { (signedTime($0.now), .plain) },
            Column(heading: "p99", width: 9) { (time($0.p99), .bold) },
            Column(heading: "worst", width: 9) { (time($0.worst), .bold) },
            Column(heading: "late", width: 7) { count($0.longIntervals) },
            Column(heading: "xruns", width: 7) { count($0.xruns) },
            Column(heading: "lost", width: 9) {
                (time(Int64(clamping: $0.lostNanoseconds)), $0.lostNanoseconds > 0 ? .red : .plain)
            },
        ]
    }

    private func figures(_ modes: [LiveFigures]) -> [String] {
        guard !modes.isEmpty else { return [] }
        guard columns >= Self.leastTableWidth else {
            return modes.flatMap { blocks($0, isAlone: modes.count == 1) }
        }
        let measures = columns < Self.leastFullWidth ? measures.filter { $0.heading != "late" } : measures
        let room = columns - 3 - measures.reduce(0) { $0 + $1.width }
        let width = min(room, modes.map { TerminalPages.columns(of: $0.name) }.max() ?? 0)
        var head = self.line()
        head.add("  " + String(repeating: " ", count: width), .dim)
        for column in measures { head.add(alignedRight(column.heading, column.width), .dim) }
        return [head.text]
            + modes.map { mode in
                var line = self.line()
                let name = plain(shown(mode.name))
                line.add("  " + padded(String(name.prefix(width)), width))
                for column in measures {
                    let (text, tint) = column.value(mode)
                    line.add(alignedRight(text, column.width), tint)
                }
                if mode.missedFrames > 0 { line.add("  \(mode.missedFrames) frames DROPPED", .red) }
                return line.text
            }
    }

    /// Where a table has no room: the most important first.
    private func blocks(_ mode: LiveFigures, isAlone: Bool) -> [String] {
        let order = ["p99", "worst", "xruns", "lost", "now", "late"]
        let parts = order.compactMap { name in measures.first { $0.heading == name } }.map { column -> Page.Part in
            let (text, tint) = column.value(mode)
            return [("\(column.heading) ", .plain), (text, tint)]
        }
        return flow((isAlone ? [] : [[(plain(shown(mode.name)), .bold)]]) + parts)
    }
}

extension Page {
    /// What is going on, how far it has come, and a bar where there is room for one.
    ///
    /// - Parameter progress: 0…1.
    func progress(_ phase: String, _ done: String, detail: String = "", share progress: Double) -> [String] {
        let share = min(1, max(0, progress.isFinite ? progress : 0))
        let percent = alignedRight("\(fixed((share * 100).rounded(.down), 0)) %", 5)
        let full = detail.isEmpty ? done : "\(done), \(detail)"
        let width = min(50, columns - 1 - "  \(phase)  \(full)  ".count - 1 - percent.count)
        var line = line()
        line.add("  ")
        guard width >= 8 else {
            // The time alone, where not even the word has room beside it.
            if phase.count + done.count + 5 < columns { line.add("\(phase)  ", .bold) }
            line.add(done)
            return [line.text]
        }
        line.add(phase, .bold)
        line.add("  \(full)  ")
        let filled = Int(share * Double(width))
        line.add(String(repeating: hasUnicode ? "█" : "=", count: filled), .green)
        line.add(String(repeating: hasUnicode ? "─" : ".", count: width - filled), .dim)
        line.add(" \(percent)")
        return [line.text]
    }

    /// A time in the unit that suits it, `-` where there is none.
    func time(_ nanoseconds: Int64?) -> String {
        guard let nanoseconds else { return "-" }
        let text = duration(Double(nanoseconds))
        return hasUnicode ? text : text.replacing("µ", with: "u")
    }

    func signedTime(_ nanoseconds: Int64?) -> String {
        (nanoseconds ?? 0 > 0 ? "+" : "") + time(nanoseconds)
    }
}
