import AudioReports
import CommandSyntax
import LiveRuns
import TerminalPages

/// What happens while it is listened.
struct ListenLoop<Kind: Listener>: LiveLoop {
    private let session: ListenSession<Kind>
    var watch: RunWatch
    private var meters: LevelMeters
    var seconds: Double? { session.options.seconds }

    init(_ session: ListenSession<Kind>, _ signals: Signals) {
        self.session = session
        watch = RunWatch(session, signals, Terminal())
        meters = LevelMeters(channels: session.unit.channels)
    }

    func turn() -> RunEnd? {
        session.look()
        return session.unit.isHeardThrough ? .done : nil
    }

    mutating func show() {
        let (listener, meter) = (session.listener, session.meter)
        guard let terminal else {
            guard watch.takeLine() else { return }
            return watch.writeLine(session.words)
        }
        meters.update(from: session.run.engine.meters, time: watch.elapsed)
        let page = Page(terminal)
        let scene = ListenScene(
            run: watch.scene(meters, trouble: nil), elapsedSeconds: watch.elapsed, maximumSeconds: seconds,
            words: listener.words(meter))
        terminal.draw(ListenView(page).lines(scene) { listener.picture(meter, page, rows: $0) })
    }
}
