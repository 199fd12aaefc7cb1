import AudioIO
import AudioRealtime
import AudioReports
import CommandSyntax
import Glibc
import TerminalPages
import Threads

/// What every run of an engine looks after while it lasts: keys, signals, a terminal, what changes it from outside, and what happens
/// to the engine.
package struct RunWatch {
    package let terminal: Terminal?
    let run: EngineRun
    let parts: RunParts
    /// Of the outputs.
    package var meters: LevelMeters
    private let signals: Signals
    /// How long it lasts by the clock; `nil` where nothing but its work or others end it.
    let seconds: Double?
    private let start = MonotonicClock.nanoseconds()
    /// The time of the last event that was told.
    private var toldNanoseconds: UInt64 = 0
    private var standstill = Standstill(paceMilliseconds: 100)
    /// Of the log where there is no terminal.
    private var lines = LogPace(seconds: 10)
    private var nextDrawing = 0.0
    private var nextLook = 0.0
    /// What wakes the run too, where something has come there.
    package var sockets: [CInt] = []

    /// `nil` while there are no callbacks, as while the server is gone.
    package private(set) var interval: ShownInterval?
    private var nextInterval = 0.0

    /// Between two drawings of the page at the least, where controllers or messages of OSC end the waits.
    private static let drawingSeconds = 0.033
    private static let lookSeconds = 0.1

    package init(_ session: some LiveSession, _ signals: Signals, _ terminal: Terminal?, seconds: Double? = nil) {
        run = session.run
        parts = session.parts
        meters = LevelMeters(channels: session.unit.channels)
        self.signals = signals
        self.terminal = terminal
        self.seconds = seconds
    }

    /// A program in the background has a terminal, and no page on it.
    var isPageShown: Bool { terminal?.isShown ?? false }

    /// In seconds.
    package var elapsed: Double { Double(MonotonicClock.nanoseconds() - start) / 1e9 }

    private var leftSeconds: Double { seconds.map { $0 - elapsed } ?? .infinity }

    /// Until something happens, or it is time to draw.
    mutating func wait() {
        let seconds = min(terminal == nil ? 0.1 : 0.033, max(0.001, min(leftSeconds, parts.pauseSeconds)))
        signals.wait(orKeysOf: terminal, orFor: sockets + parts.sockets, seconds: seconds)
        standstill.update(cycles: run.unit.statistics.cycles, atNanoseconds: MonotonicClock.nanoseconds())
        run.keepFreewheeling()
        noteInterval()
        (run.trouble, run.hasCallbacks) = (trouble, interval != nil)
        parts.work(
            RunMoment(elapsedSeconds: elapsed, interval: interval, trouble: run.trouble, isShown: isPageShown))
        guard elapsed >= nextLook else { return }
        nextLook = elapsed + Self.lookSeconds
        let notices = run.lookAtPlugins()
        if !isPageShown { for notice in notices { StandardError.complain(notice) } }
    }

    private mutating func noteInterval() {
        let isStill = run.unit.hasLostServer || !run.unit.isRunning || standstillSeconds != nil
        if isStill { interval = nil }
        guard elapsed >= nextInterval else { return }
        // The first look is before the first cycles are counted.
        guard let next = ShownInterval(run.unit.takeIntervals()) else { return }
        nextInterval = elapsed + 1
        interval = isStill ? nil : next
    }

    /// Whether it is time to draw the page again.
    mutating func takeDrawing() -> Bool {
        guard !parts.areBusy || elapsed >= nextDrawing else { return false }
        nextDrawing = elapsed + Self.drawingSeconds
        return true
    }

    /// Whether it is time for a line of a log, where there is no page.
    package mutating func takeLine() -> Bool { lines.take(atSeconds: elapsed) }

    /// Writes a line of the log: the time, what the subcommand has of its own, and what each run has.
    ///
    /// - Parameters:
    ///   - seconds: the time, where it is another one than that of the run.
    ///   - trouble: what is to be said where the engine has none.
    package func writeLine(_ words: [String], atSeconds seconds: Double? = nil, trouble: String? = nil) {
        let statistics = run.unit.statistics
        let losses = ["xruns \(statistics.xruns)", "lost \(fixed(Double(statistics.lostNanoseconds) / 1e6, 1)) ms"]
        let all = [clock(seconds ?? elapsed)] + words + losses + parts.logWords
        let trouble = self.trouble ?? trouble ?? parts.refusal
        StandardError.write((all + [trouble].compactMap(\.self)).joined(separator: "  ") + "\n")
    }

    /// Takes the signals that have come; returns whether one of them ends the run.
    ///
    /// - Parameter act: called with each that means nothing here.
    func takeSignals(otherwise act: (CInt) -> Void) -> Bool {
        var numbers = signals.take()
        while let number = numbers.first {
            numbers.removeFirst()
            if Signals.ends(number) { return true }
            switch number {
            case SIGTSTP:
                if Signals.canStop { suspend() }
                // Several at once suspend the program once.
                numbers = (numbers + signals.take()).filter { $0 != SIGTSTP }
            case SIGUSR1: resume()
            default: act(number)
            }
        }
        return false
    }

    /// Ctrl-Z: the terminal is the shell's until we are continued. The sound goes on only when we do, and until then nobody
    /// in the graph waits for us.
    private func suspend() {
        terminal?.leave()
        run.endFreewheel()
        let isCompanionOut = run.companion?.suspend(within: 2) ?? true
        if !run.engine.suspend(within: 2) || !isCompanionOut {
            StandardError.complain(
                "the JACK server does not let us go; stopped in its graph, we may make it fall silent")
            StandardError.flush()
        }
        kill(getpid(), SIGSTOP)
        run.engine.endSuspension()
        run.companion?.endSuspension()
    }

    /// Ignored where there is nothing to resume: the state is seen.
    func resume() { try? run.resume() }

    /// Takes note of what happened. Where there is no page to see the state on, each event is a line.
    mutating func tellEvents() {
        for event in run.engine.events where event.monotonicNanoseconds > toldNanoseconds {
            toldNanoseconds = event.monotonicNanoseconds
            run.noteConnection()
            if !isPageShown, event.isNews(run.engine.policy) { StandardError.complain(event.kind.description) }
        }
    }

    /// What the end of the run is called now that it is over.
    var end: RunEnd {
        switch run.engine.state {
        case .interrupted(.serverGone) where leftSeconds > 0: .endedWithoutServer(reason: run.unit.lostServerReason)
        case .failed(let error) where error.kind != .serverGone: .failed(error)
        case .interrupted(.serverGone), .failed: .serverLost(reason: run.unit.lostServerReason)
        case .interrupted(.awaitingConsent): .notResumed
        default: .done
        }
    }

    /// Whether its time is over, its end was asked for, or the server is gone and is not waited for any more.
    var isOver: Bool {
        if case .failed = run.engine.state { return true }
        return run.isToEnd || leftSeconds <= 0
    }

    private var standstillSeconds: Int? { standstill.seconds(periodSeconds: run.facts.periodSeconds) }

    /// What keeps the sound from being what it should be.
    package var trouble: String? {
        switch run.engine.state {
        case .interrupted(.serverGone):
            let news = run.engine.events.last { event in
                switch event.kind {
                case .transition, .note: false
                default: true
                }
            }
            guard case .trouble(let reason)? = news?.kind else { return "the JACK server is gone; waiting for it" }
            return "the JACK server does not let us in, so we go on trying: \(reason)"
        case .interrupted(.awaitingConsent): return "the JACK server is back; r (or SIGUSR1) lets the sound go on"
        case .freewheeling: return "the JACK server freewheels: each frame is rendered, free of the clock"
        case .interrupted(.serverFrozen), .interrupted(.suspended), .ready, .running, .paused, .failed, .closed: break
        }
        return standstillSeconds.map { "the JACK server stands still: no cycle for \($0) s" }
    }
}

/// When the lines of a log are due. Those that a suspended program has missed are left out.
package struct LogPace {
    private let seconds: Double
    private var last = 0.0

    /// - Parameter seconds: between two lines.
    package init(seconds: Double) { self.seconds = seconds }

    /// - Parameter now: since the beginning.
    package mutating func take(atSeconds now: Double) -> Bool {
        guard now >= last + seconds else { return false }
        last = (now / seconds).rounded(.down) * seconds
        return true
    }
}
