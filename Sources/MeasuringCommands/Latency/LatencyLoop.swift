import AudioFigures
import AudioIO
import AudioRealtime
import AudioReports
import CommandSyntax
import TerminalPages
import Threads

/// What happens while the probe listens: signals and keys, and a page or a word now and then on how far it is.
struct LatencyLoop {
    private let session: LatencySession
    private let signals: Signals
    private let seconds: Double
    private let start = MonotonicClock.nanoseconds()
    private var progress = ProgressLine()
    private let terminal = Terminal()
    private var nextPage = 0.0
    private var standstill = Standstill(paceMilliseconds: 100)

    init(_ session: LatencySession, _ signals: Signals, seconds: Double) {
        self.session = session
        self.signals = signals
        self.seconds = seconds
    }

    private var elapsed: Double { Double(MonotonicClock.nanoseconds() - start) / 1e9 }

    /// Where the server's stalls have spoilt the signal so often that there is nothing to report yet, it is worth
    /// waiting for: as long again, and this at most.
    private static let longestPatience = 10.0

    private var isOver: Bool {
        let elapsed = elapsed
        guard elapsed >= seconds else { return false }
        return session.hasFinding || elapsed >= seconds + min(seconds, Self.longestPatience)
    }

    /// Listens until the time is over, or somebody or something ends it.
    mutating func run() -> Report.End {
        terminal?.enter()
        defer {
            progress.clear()
            terminal?.leave()
        }
        while true {
            signals.wait(orKeysOf: terminal, seconds: max(0.01, seconds - elapsed))
            session.note()
            // As in any measurement Ctrl-Z does nothing: it would make the graph wait for a program that is stopped.
            if signals.take().contains(where: Signals.ends) { return .interrupted }
            if terminal?.keys().contains(where: \.ends) ?? false { return .interrupted }
            if session.probe.hasLostServer { return .serverLost }
            // Where another client connects something to the probe again and again, more time would not help.
            if isOver || session.probe.isContested { return .done }
            show()
        }
    }

    private mutating func show() {
        standstill.update(cycles: session.probe.heardFrames, atNanoseconds: MonotonicClock.nanoseconds())
        let trouble = standstill.seconds.map { "the JACK server stands still: no cycle for \($0) s" }
        if let terminal {
            guard elapsed >= nextPage else { return }
            nextPage = elapsed + 0.2
            var scene = session.scene
            scene.done = "\(fixed(min(elapsed, seconds), 1)) of \(fixed(seconds, 1)) s"
            (scene.progress, scene.trouble) = (elapsed / seconds, trouble)
            return terminal.draw(LatencyView(Page(terminal)).lines(scene))
        }
        progress.show(
            "\(fixed(min(elapsed, seconds), 0)) of \(fixed(seconds, 0)) s: \(trouble ?? session.progress)",
            seconds: elapsed)
    }
}
