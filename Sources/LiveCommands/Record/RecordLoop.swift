import AudioRecording
import AudioReports
import CommandSyntax
import Glibc
import LiveRuns
import TerminalPages
import Threads

/// What happens while sound is recorded.
struct RecordLoop: LiveLoop {
    private let session: RecordSession
    var watch: RunWatch
    private var disk = DiskRoom()
    private var end = RecordEnd()
    private var views: SoundViews
    private var toldCauses: Set<String> = []
    private var toldState: Recorder.State?

    init(_ session: RecordSession, _ signals: Signals) {
        self.session = session
        watch = RunWatch(session, signals, Terminal())
        views = SoundViews(session.run.engine, session.unit.heard)
    }

    mutating func turn() -> RunEnd? {
        tellNotices()
        return end.isReached(session) || session.unit.isHeardThrough ? .done : nil
    }

    func take(signal: CInt) { if signal == SIGUSR2 { session.begin() } }

    mutating func press(_ key: Key) {
        switch key {
        case " ": session.toggle()
        case "n": session.split()
        case "m": session.mark()
        default: views.press(key)
        }
    }

    /// Tells once, as soon as it is so, what is not as it was to be.
    private mutating func tellNotices() {
        for notice in session.notices where toldCauses.insert(notice.cause).inserted && terminal == nil {
            StandardError.complain(notice.words)
        }
    }

    mutating func show() {
        disk.update(session.recorders, atNanoseconds: MonotonicClock.nanoseconds())
        guard let terminal else { return tellLine() }
        let (page, scene, time) = (Page(terminal), scene(), watch.elapsed)
        terminal.draw(
            views.mode == .meters
                ? page.lines(scene)
                : page.lines(scene) { views.lines(page, rows: $0, atSeconds: time) })
    }

    private mutating func scene() -> RecordScene {
        RecordScene(
            run: watch.scene(
                trouble: session.trouble.map { shown($0.message) } ?? session.notices.last.map { shown($0.words) }
                    ?? views.trouble ?? session.plugins.trouble),
            state: session.state, waiting: session.waiting, recordedSeconds: session.recordedSeconds,
            maximumSeconds: session.options.settings.maximumSeconds,
            files: zip(session.recorders, session.formats).map(RecordScene.File.init),
            secondsLeft: disk.secondsLeft, freeBytes: disk.freeBytes)
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
        guard watch.takeLine() else { return }
        let files = zip(session.recorders, session.formats).map(RecordScene.File.init)
        watch.writeLine(
            [session.run.engine.meters.peakWords, size(files.reduce(0) { $0 + $1.bytes })] + files.flatMap(\.warnings),
            atSeconds: session.recordedSeconds)
    }
}
