import AudioIO
import AudioReports
import CommandSyntax
import FileCommands
import TerminalPages

/// What happens while it is listened: keys, signals, and a look at the meter.
struct ListenLoop<Kind: Listener> {
    private let session: ListenSession<Kind>
    private var watch: RunWatch
    private var meters: LevelMeters

    init(_ session: ListenSession<Kind>, _ signals: Signals) {
        self.session = session
        watch = RunWatch(session, signals, Terminal())
        meters = LevelMeters(channels: session.options.ear.engine.inputChannels)
    }

    /// Runs until somebody or something ends it.
    mutating func run() throws -> RunEnd {
        watch.terminal?.enter()
        defer { watch.terminal?.leave() }
        while true {
            watch.tellEvents()
            if let end = watch.takeEnd(afterSeconds: session.options.seconds) { return end }
            session.look()
            if watch.takeDrawing() { show() }
            watch.wait(untilSeconds: session.options.seconds)
        }
    }

    private mutating func show() {
        guard let terminal = watch.terminal else { return tellLine() }
        meters.update(from: session.run.engine.meters, time: watch.elapsed)
        let (listener, meter, page) = (session.listener, session.meter, Page(terminal))
        let scene = ListenScene(
            run: watch.scene(meters, trouble: nil), elapsedSeconds: watch.elapsed,
            maximumSeconds: session.options.seconds, words: listener.words(meter))
        terminal.draw(ListenView(page).lines(scene) { listener.picture(meter, page, rows: $0) })
    }

    /// A line now and then, for a log.
    private mutating func tellLine() {
        guard watch.takeLine() else { return }
        let words = session.listener.words(session.meter).map { part in part.map(\.text).joined() }
        StandardError.write(
            "\(clock(watch.elapsed))  \(words.joined(separator: ", "))"
                + session.remote.words.map { "  \($0)" }.joined() + (watch.trouble.map { "  \($0)" } ?? "") + "\n"
        )
    }
}
