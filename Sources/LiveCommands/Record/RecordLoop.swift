import AudioIO
import AudioRecording
import AudioReports
import CommandSyntax
import FileCommands
import Glibc
import TerminalPages
import Threads

/// What happens while sound is recorded: keys, signals, and a look at the figures.
struct RecordLoop {
    private let session: RecordSession
    private var watch: RunWatch
    private var terminal: Terminal? { watch.terminal }
    private var meters: LevelMeters
    private var disk = DiskRoom()
    private var end = RecordEnd()
    private var views: SoundViews
    private var targets: StreamWatch?
    private var nextLine = 0.0
    private var toldNotices: Set<String> = []
    private var toldState: Recorder.State?

    /// Between two lines where there is no terminal.
    private static let lineSeconds = 10.0

    init(_ session: RecordSession, _ signals: Signals) {
        self.session = session
        watch = RunWatch(session, signals, Terminal())
        meters = LevelMeters(channels: session.options.ear.engine.inputChannels)
        views = SoundViews(session.run.engine, session.heard)
        targets = session.stream.map(StreamWatch.init)
    }

    /// Runs until all is recorded, or somebody or something ends it.
    mutating func run() -> RunEnd {
        terminal?.enter()
        defer { terminal?.leave() }
        while true {
            watch.tellEvents()
            tellNotices()
            if terminal == nil { targets?.tell() }
            if watch.takeSignals(otherwise: { [session] number in if number == SIGUSR2 { session.begin() } }) {
                return .interrupted
            }
            for key in terminal?.keys() ?? [] where press(key) { return watch.end }
            if watch.isOver { return watch.end }
            if end.isReached(session) { return .done }
            if watch.takeDrawing() { show() }
            watch.wait()
        }
    }

    /// Acts on a key; returns whether it was the one that ends the run.
    private mutating func press(_ key: Key) -> Bool {
        switch key {
        case "q", "Q", "\u{4}": return true
        case " ": session.toggle()
        case "n": session.split()
        case "m": session.mark()
        case "r": watch.resume()
        default: views.press(key)
        }
        return false
    }

    /// Tells once, as soon as it is so, what is not as it was to be.
    private mutating func tellNotices() {
        for notice in session.notices where toldNotices.insert(notice).inserted && terminal == nil {
            StandardError.complain(notice)
        }
    }

    private mutating func show() {
        disk.update(session.recorders, atNanoseconds: MonotonicClock.nanoseconds())
        guard let terminal else { return tellLine() }
        meters.update(from: session.run.engine.meters, time: watch.elapsed)
        let (page, scene, time) = (Page(terminal), scene(), watch.elapsed)
        terminal.draw(
            views.mode == .meters
                ? RecordView(page).lines(scene)
                : RecordView(page).lines(scene) { views.lines(page, rows: $0, atSeconds: time) })
    }

    private mutating func scene() -> RecordScene {
        RecordScene(
            run: watch.scene(
                meters, voice: session.voice?.words,
                trouble: session.trouble.map { shown($0.message) } ?? session.notices.last.map(shown) ?? views.trouble
                    ?? session.plugins.lateWords),
            state: session.state, waiting: session.waiting, recordedSeconds: session.recordedSeconds,
            maximumSeconds: session.options.settings.maximumSeconds,
            files: zip(session.recorders, session.formats).map(RecordScene.File.init),
            targets: targets?.scene() ?? [], secondsLeft: disk.secondsLeft, freeBytes: disk.freeBytes)
    }

    /// Where there is no page to see it on: a line when it begins, pauses or waits, and one now and then, for a log.
    private mutating func tellLine() {
        let state = session.state
        if state != toldState {
            toldState = state
            switch state {
            case .waiting: StandardError.complain(session.waiting)
            case .recording:
                StandardError.complain("recording \(session.recorders.map(\.presentName).joined(separator: ", "))")
            case .paused: StandardError.complain("paused")
            case .over: break
            }
        }
        guard watch.elapsed >= nextLine + Self.lineSeconds else { return }
        nextLine += Self.lineSeconds
        let statistics = session.run.unit.statistics
        let files = zip(session.recorders, session.formats).map(RecordScene.File.init)
        let sent = (targets?.words()).map { "  sent: \($0)" } ?? ""
        StandardError.write(
            "\(clock(session.recordedSeconds))  \(session.run.engine.meters.peakWords)  "
                + "\(size(files.reduce(0) { $0 + $1.bytes }))  xruns \(statistics.xruns)  "
                + "lost \(fixed(Double(statistics.lostNanoseconds) / 1e6, 1)) ms"
                + sent + (session.voice?.words.map { "  \($0)" } ?? "")
                + session.remote.words.map { "  \($0)" }.joined() + files.flatMap(\.warnings).map { "  \($0)" }.joined()
                + (watch.trouble.map { "  \($0)" } ?? "")
                + "\n")
    }
}
