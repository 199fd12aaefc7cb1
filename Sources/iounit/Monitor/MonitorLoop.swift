import AudioDSP
import AudioIO
import AudioRealtime
import AudioReports
import Foundation
import Threads

/// What happens while the unit runs: keys, signals, and a look at the figures now and then.
struct MonitorLoop {
    enum End: Equatable {
        case done
        case interrupted
        /// The server was gone for good; why, in JACK's words if it said so.
        case serverLost(reason: String)
        /// The server was back, but nobody let the sound go on.
        case notResumed
    }

    private let session: MonitorSession
    private let signals: Signals
    private let terminal: Terminal?
    private let seconds: Double?
    private let start = MonotonicClock.nanoseconds()
    private var meters: [LevelMeter]
    private var lastUpdate = MonotonicClock.nanoseconds()
    private var lastLine = 0
    private var interval = (shortest: 0.0, mean: 0.0, longest: 0.0)
    private var nextInterval: UInt64 = 0
    /// The time of the last event that was told.
    private var toldNanoseconds: UInt64 = 0
    private var hasToldConversion = false
    private var standstill = Standstill(paceMilliseconds: 100)

    init(_ session: MonitorSession, _ signals: Signals, seconds: Double?) {
        self.session = session
        self.signals = signals
        self.seconds = seconds
        terminal = Terminal()
        meters = Array(repeating: LevelMeter(), count: session.unit.configuration.channels)
    }

    private var elapsed: Double { Double(MonotonicClock.nanoseconds() - start) / 1e9 }

    /// Runs until somebody or something ends it.
    mutating func run() -> End {
        terminal?.enter()
        defer { terminal?.leave() }
        while true {
            wait()
            // What has happened before it ends is told, even so.
            tellEvents()
            tellConversion()
            for number in signals.take() {
                switch number {
                case SIGINT, SIGTERM, SIGHUP: return .interrupted
                case SIGTSTP: suspend()
                case SIGUSR1: resume()
                default: break
                }
            }
            if let terminal, terminal.hasKeys, isReadable(STDIN_FILENO) {
                for key in terminal.keys() where press(key) { return end }
            }
            session.noteStartFrame()
            if case .failed = session.engine.state { return .serverLost(reason: session.unit.lostServerReason) }
            if let seconds, elapsed >= seconds { return end }
            if session.isHeardThrough { return .done }
            show()
        }
    }

    /// What the end of the run is called now that it is over.
    private var end: End {
        switch session.engine.state {
        case .interrupted(.serverGone): .serverLost(reason: session.unit.lostServerReason)
        case .interrupted(.awaitingConsent): .notResumed
        default: .done
        }
    }

    /// Until something happens, or it is time to draw.
    private func wait() {
        var milliseconds = terminal == nil ? 100.0 : 33.0
        if let seconds { milliseconds = min(milliseconds, max(1, (seconds - elapsed) * 1000)) }
        var files = [pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0)]
        if terminal?.hasKeys == true { files.append(pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)) }
        unsafe poll(&files, nfds_t(files.count), CInt(milliseconds.rounded(.up)))
    }

    private func isReadable(_ descriptor: CInt) -> Bool {
        var file = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&file, 1, 0) > 0 && file.revents & Int16(POLLIN) != 0
    }

    /// Ctrl-Z: the terminal is the shell's until we are continued. The sound goes on only when we do, and until then nobody
    /// in the graph waits for us.
    private func suspend() {
        terminal?.leave()
        if !session.engine.suspend(within: 2) {
            Command.complain("the JACK server does not let us go; stopped in its graph, we may make it fall silent")
            StandardError.flush()
        }
        kill(getpid(), SIGSTOP)
        session.engine.endSuspension()
        terminal?.enter()
    }

    /// What it is told where there is nothing to resume is no news to whoever sees the state.
    private func resume() { try? session.engine.resume() }

    private func togglePause() {
        if session.engine.state == .paused { resume() } else { try? session.engine.pause() }
    }

    /// Tells once, as soon as it is so, that the recording is not split as it was asked to be.
    private mutating func tellConversion() {
        guard !hasToldConversion, let notice = session.conversion else { return }
        hasToldConversion = true
        if terminal == nil { Command.complain(notice) }
    }

    /// Where there is no page to see the state on, each event is a line.
    private mutating func tellEvents() {
        for event in session.engine.events where event.monotonicNanoseconds > toldNanoseconds {
            toldNanoseconds = event.monotonicNanoseconds
            session.noteConnection()
            if terminal == nil, event.isNews { Command.complain(event.kind.description) }
        }
    }

    /// Acts on a key; returns whether it was the one that ends the run.
    private func press(_ key: Character) -> Bool {
        let unit = session.unit
        let now = unit.parameters
        func decibels(_ linear: Float) -> Double { (Decibels.decibels(Double(linear)) * 2).rounded() / 2 }
        switch key {
        case "q", "Q", "\u{4}": return true
        case "+", "=": unit.setGain(decibels: decibels(now.gain) + 0.5)
        case "-", "_": unit.setGain(decibels: decibels(now.gain) - 0.5)
        case "]": unit.setDrive(decibels: decibels(now.drive) + 0.5)
        case "[": unit.setDrive(decibels: decibels(now.drive) - 0.5)
        case "s": unit.setShape(next(now.shape, among: shapes))
        case "a": unit.setAntialiasing(next(now.antialiasing, among: Antialiasing.allCases))
        case "c": unit.setMakeUpGain(!now.hasMakeUpGain)
        case "b": unit.setBypass(!now.isBypassed)
        case "m": unit.setMute(!now.isMuted)
        case "p": togglePause()
        case "r": resume()
        default: break
        }
        return false
    }

    /// Without a table there is no such shape.
    private var shapes: [Shape] {
        session.unit.configuration.shapeTable == nil ? Shape.allCases.filter { $0 != .table } : Shape.allCases
    }

    private func next<Choice: Equatable>(_ choice: Choice, among choices: [Choice]) -> Choice {
        choices[((choices.firstIndex(of: choice) ?? -1) + 1) % choices.count]
    }

    private mutating func show() {
        let now = MonotonicClock.nanoseconds()
        if now >= nextInterval {
            let window = session.unit.takeIntervals()
            interval = (
                Double(window.shortestNanoseconds) / 1e6, window.meanNanoseconds / 1e6,
                Double(window.longestNanoseconds) / 1e6
            )
            nextInterval = now + 1_000_000_000
        }
        standstill.update(cycles: session.unit.statistics.cycles, atNanoseconds: now)
        let passed = Double(now - lastUpdate) / 1e9
        lastUpdate = now
        if let terminal {
            for channel in meters.indices {
                meters[channel].update(
                    peak: session.unit.meters.takePeak(channel),
                    clipped: session.unit.meters.totals(channel).clipped, time: elapsed, elapsed: passed)
            }
            let size = terminal.size
            let view = MonitorView(
                columns: size.columns, rows: size.rows, hasColor: terminal.hasColor, hasUnicode: terminal.hasUnicode,
                hasKeys: terminal.hasKeys)
            terminal.draw(view.lines(scene()))
        } else if Int(elapsed) > lastLine {
            lastLine = Int(elapsed)
            printLine()
        }
    }

    private var trouble: String? {
        switch session.engine.state {
        case .interrupted(.serverGone): return "the JACK server is gone; waiting for it"
        case .interrupted(.awaitingConsent): return "the JACK server is back; r (or SIGUSR1) lets the sound go on"
        case .freewheeling: return "the JACK server freewheels: each frame is rendered, free of the clock"
        case .interrupted(.serverFrozen), .interrupted(.suspended), .ready, .running, .paused, .failed, .closed: break
        }
        if let seconds = standstill.seconds { return "the JACK server stands still: no cycle for \(seconds) s" }
        return session.trouble.map { shown($0.message) }
    }

    private func scene() -> MonitorScene {
        let statistics = session.unit.statistics
        let parameters = session.unit.parameters
        return MonitorScene(
            title: session.title, meters: meters, loudness: session.loudness,
            gainDecibels: Decibels.decibels(Double(parameters.gain)),
            driveDecibels: Decibels.decibels(Double(parameters.drive)),
            shape: parameters.shape, antialiasing: parameters.antialiasing,
            hasMakeUpGain: parameters.hasMakeUpGain, isBypassed: parameters.isBypassed,
            isMuted: parameters.isMuted,
            isPaused: session.engine.state == .paused, load: session.unit.dspLoad, intervalMilliseconds: interval,
            xruns: statistics.xruns,
            lostMilliseconds: Double(statistics.lostNanoseconds) / 1e6, elapsedSeconds: elapsed,
            recording: session.recording, trouble: trouble ?? session.conversion.map(shown))
    }

    /// One line a second, for a log.
    private func printLine() {
        let statistics = session.unit.statistics
        let peaks = meters.indices.prefix(8).map { channel in
            iounit.decibels(Decibels.decibels(Double(session.unit.meters.takePeak(channel))))
        }
        let loudness = session.loudness.map { reading in
            let levels = [reading.momentaryLUFS, reading.shortTermLUFS, reading.integratedLUFS].map(iounit.loudness)
            let peak = iounit.loudness(reading.truePeakDecibels.max() ?? -.infinity)
            return "  loudness \(levels.joined(separator: " ")) LUFS  true peak \(peak) dBTP"
                + (reading.droppedFrames > 0 ? " (\(reading.droppedFrames) frames DROPPED)" : "")
        }
        let text =
            "\(clock(elapsed))  peak \(peaks.joined(separator: " ")) dB\(loudness ?? "")  load \(fixed(session.unit.dspLoad * 100, 1)) %  "
            + "interval \(fixed(interval.mean, 3)) ms (\(fixed(interval.shortest, 3))…\(fixed(interval.longest, 3)))  "
            + "xruns \(statistics.xruns)  lost \(fixed(Double(statistics.lostNanoseconds) / 1e6, 1)) ms"
            + (trouble.map { "  \($0)" } ?? "")
        StandardError.write(text + "\n")
    }
}
