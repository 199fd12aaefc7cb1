import CommandSyntax
import LiveRuns
import TerminalPages

/// What happens while it is listened.
struct ListenLoop<Kind: Listener>: LiveLoop {
    private let session: ListenSession<Kind>
    var watch: RunWatch

    init(_ session: ListenSession<Kind>, _ signals: Signals) {
        self.session = session
        watch = RunWatch(session, signals, Terminal(), seconds: session.options.seconds)
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
        let scene = ListenScene(run: watch.scene(trouble: nil), words: listener.words(meter))
        terminal.draw(page.lines(scene) { listener.picture(meter, page, rows: $0) })
    }
}

/// What the live view of a subcommand that listens shows at one moment.
struct ListenScene {
    var run: RunScene
    /// What is found, the most important first.
    var words: [Page.Part]
}

extension Page {
    /// In a low window what is found comes first, and what is wrong, then the picture, then the rest.
    ///
    /// - Parameter picture: gives a picture of as many rows as it is asked for, or fewer.
    func lines(_ scene: ListenScene, picture: (Int) -> [String]) -> [String] {
        lines(
            scene.run, state: flow(live(scene.run, .red) + scene.words),
            picture: picture, figures: losses(scene.run), keys: ["q quit"])
    }
}
