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
            MeasurementView(Page(terminal)).lines(
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
