import AudioFigures
import AudioMeasurement
import AudioRealtime
import AudioReports
import CommandSyntax
import TerminalPages
import Threads

/// What happens while a measurement runs: signals and keys, a look at the server, and a page or a word on how far it has
/// come.
struct MeasurementLoop {
    private let measurement: MeasurementRun
    private let signals: Signals
    private var progress = ProgressLine()
    private var screen: MeasurementScreen?
    private let effects: (any MeasuredEffects)?
    private let periodSeconds: Double
    private var standstill = Standstill(paceMilliseconds: 100)

    /// - Parameters:
    ///   - screen: where figures are shown meanwhile; `nil` for a line now and then.
    ///   - effects: in the path of the measured unit's sound.
    ///   - periodSeconds: the server's.
    init(
        _ measurement: MeasurementRun, _ signals: Signals, _ screen: MeasurementScreen?,
        _ effects: (any MeasuredEffects)?, periodSeconds: Double
    ) {
        self.measurement = measurement
        self.signals = signals
        self.screen = screen
        self.effects = effects
        self.periodSeconds = periodSeconds
    }

    /// Gives the terminal back, where there is one.
    func leave() { screen?.terminal.leave() }

    /// How long a run that counts callbacks waits for a server that stands still.
    private static let patienceSeconds = 10

    /// Runs until the time is over, so many callbacks were measured, or somebody or something ends it.
    ///
    /// When the time is over, it waits for one more cycle, because lost time is counted with the cycle that follows it. Else a stall
    /// at the end would not count. A standstill ends the wait.
    ///
    /// - Parameters:
    ///   - what: for the progress: `measuring`.
    ///   - cycles: `nil` for no number.
    mutating func run(_ what: String, seconds: Double, cycles: Int? = nil) -> Report.End {
        let start = MonotonicClock.nanoseconds()
        standstill = Standstill(paceMilliseconds: 100)
        var lastCycles: UInt64?
        screen?.terminal.enter()
        defer { progress.clear() }
        while true {
            let elapsed = Double(MonotonicClock.nanoseconds() - start) / 1e9
            if let cycles {
                if measurement.callbacks >= cycles { return .done }
                // No time ends such a run, and nobody may be there to end it.
                if standstillSeconds ?? 0 >= Self.patienceSeconds { return .serverLost }
            } else if elapsed >= seconds {
                let present = measurement.cyclesSinceStart
                if present != lastCycles ?? present || isAtStandstill { return .done }
                lastCycles = present
            }
            signals.wait(orKeysOf: screen?.terminal, seconds: max(0.002, cycles == nil ? seconds - elapsed : 1))
            // Ctrl-Z does nothing: the graph would wait for a program that is stopped, and the figures would tell of that.
            if signals.take().contains(where: Signals.ends) || screen?.isEnded ?? false { return .interrupted }
            lookAtEffects()
            if measurement.hasLostServer { return .serverLost }
            if measurement.hasFreewheeled { return .freewheeling }
            standstill.update(cycles: measurement.cyclesSinceStart, atNanoseconds: MonotonicClock.nanoseconds())
            show(what, elapsed, seconds: seconds, cycles: cycles)
        }
    }

    /// Tells which of them made the unit late since the last look.
    func lookAtEffects() {
        let sentences = effects?.look(measurement.lateness) ?? []
        if screen == nil { for sentence in sentences { StandardError.complain(sentence) } }
    }

    /// Whether the last run ended with two seconds, or two periods, or more without a cycle.
    var isAtStandstill: Bool { standstillSeconds != nil }
    private var standstillSeconds: Int? { standstill.seconds(periodSeconds: periodSeconds) }

    private mutating func show(_ what: String, _ elapsed: Double, seconds: Double, cycles: Int?) {
        let callbacks = measurement.callbacks
        let done =
            cycles.map { "\(callbacks) of \($0) callbacks" }
            ?? "\(fixed(min(elapsed, seconds), 1)) of \(fixed(seconds, 1)) s"
        let detail = cycles == nil && callbacks > 0 ? "\(callbacks) callbacks" : ""
        let stop = callbacks > 0 ? standstillSeconds.map { "the server stands still (\($0) s)" } : nil
        guard screen == nil else {
            screen?.show(
                what, done, detail, progress: cycles.map { Double(callbacks) / Double($0) } ?? elapsed / seconds,
                trouble: stop ?? (callbacks > 0 ? effects?.trouble : nil), look: measurement.look)
            return
        }
        let rest = stop.map { "; \($0)" } ?? (detail.isEmpty ? "" : ", \(detail)")
        progress.show("\(what): \(done)\(rest)", seconds: elapsed)
    }
}
