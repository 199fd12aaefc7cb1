import CommandSyntax
import LiveRuns
import TerminalPages

/// What happens while it is listened.
struct ListenLoop<Kind: Listener>: LiveLoop {
    private let session: ListenSession<Kind>
    var watch: RunWatch
    var seconds: Double? { session.options.seconds }

    init(_ session: ListenSession<Kind>, _ signals: Signals) {
        self.session = session
        watch = RunWatch(session, signals, Terminal())
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
        let page = Page(terminal)
        let scene = ListenScene(
            run: watch.scene(trouble: nil), elapsedSeconds: watch.elapsed, maximumSeconds: seconds,
            words: listener.words(meter))
        terminal.draw(ListenView(page).lines(scene) { listener.picture(meter, page, rows: $0) })
    }
}
