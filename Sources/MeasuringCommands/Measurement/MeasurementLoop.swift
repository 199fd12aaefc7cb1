import AudioFigures
import AudioIO
import AudioMeasurement
import AudioRealtime
import AudioReports
import CommandSyntax
import Glibc
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
    private var standstill = Standstill(paceMilliseconds: 100)

    /// - Parameters:
    ///   - screen: where figures are shown meanwhile; `nil` for a line now and then.
    ///   - effects: in the way of the measured unit's sound.
    init(
        _ measurement: MeasurementRun, _ signals: Signals, _ screen: MeasurementScreen?,
        _ effects: (any MeasuredEffects)?
    ) {
        self.measurement = measurement
        self.signals = signals
        self.screen = screen
        self.effects = effects
    }

    /// Gives the terminal back, where there is one.
    func leave() { screen?.terminal.leave() }

    /// Runs until the time is over, so many callbacks were measured, or somebody or something ends it.
    ///
    /// - Parameters:
    ///   - what: for the progress: `measuring`.
    ///   - cycles: `nil` for no number.
    mutating func run(_ what: String, seconds: Double, cycles: Int? = nil) -> Report.End {
        let start = MonotonicClock.nanoseconds()
        standstill = Standstill(paceMilliseconds: 100)
        screen?.terminal.enter()
        defer { progress.clear() }
        while true {
            let elapsed = Double(MonotonicClock.nanoseconds() - start) / 1e9
            if let cycles {
                if measurement.callbacks >= cycles { return .done }
            } else if elapsed >= seconds {
                return .done
            }
            wait(seconds: cycles == nil ? seconds - elapsed : 1)
            // Ctrl-Z does nothing: the graph would wait for a program that is stopped, and the figures would tell of that.
            if signals.take().contains(where: Signals.ends) || screen?.isEnded ?? false { return .interrupted }
            lookAtEffects()
            if measurement.hasLostServer { return .serverLost }
            standstill.update(cycles: measurement.cycles, atNanoseconds: MonotonicClock.nanoseconds())
            if screen == nil {
                progress.show(line(what, elapsed, seconds: seconds, cycles: cycles), seconds: elapsed)
            } else {
                show(what, elapsed, seconds: seconds, cycles: cycles)
            }
        }
    }

    /// Tells which of them made the unit late since the last look.
    func lookAtEffects() {
        let sentences = effects?.look(losses: measurement.losses) ?? []
        if screen == nil { for sentence in sentences { StandardError.complain(sentence) } }
    }

    /// Whether there was no cycle for a while when the last run ended. Without a meaning after the warm-up, of which
    /// nothing is counted.
    var isAtStandstill: Bool { standstill.seconds != nil }

    private mutating func show(_ what: String, _ elapsed: Double, seconds: Double, cycles: Int?) {
        let callbacks = measurement.callbacks
        let done =
            cycles.map { "\(callbacks) of \($0) callbacks" }
            ?? "\(fixed(min(elapsed, seconds), 1)) of \(fixed(seconds, 1)) s"
        let trouble =
            callbacks > 0 ? standstill.seconds.map { "the server stands still (\($0) s)" } ?? effects?.trouble : nil
        screen?.show(
            what, done, cycles == nil && callbacks > 0 ? "\(callbacks) callbacks" : "",
            progress: cycles.map { Double(callbacks) / Double($0) } ?? elapsed / seconds, trouble: trouble,
            look: measurement.look)
    }

    private func line(_ what: String, _ elapsed: Double, seconds: Double, cycles: Int?) -> String {
        let callbacks = measurement.callbacks
        let done =
            cycles.map { "\(what): \(callbacks) of \($0) callbacks" }
            ?? "\(what): \(fixed(min(elapsed, seconds), 1)) of \(fixed(seconds, 1)) s"
        if callbacks > 0, let seconds = standstill.seconds { return "\(done); the server stands still (\(seconds) s)" }
        return cycles == nil && callbacks > 0 ? "\(done), \(callbacks) callbacks" : done
    }

    private func wait(seconds: Double) {
        var files = [pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0)]
        if let keyboard = screen?.terminal.keyboard {
            files.append(pollfd(fd: keyboard, events: Int16(POLLIN), revents: 0))
        }
        unsafe poll(&files, nfds_t(files.count), CInt(max(1, min(100, seconds * 1000)).rounded(.up)))
    }
}
