import AudioReports
import CommandSyntax
import LiveRuns
import TerminalPages

/// What happens while files are played.
struct PlayLoop: LiveLoop {
    private let session: PlaySession
    var watch: RunWatch
    /// The file that a line was printed of last.
    private var told: PlayedEntry?

    private static let stepSeconds = 5.0

    /// - Parameter readsInput: whether the sound comes through the standard input, so that keys do not.
    init(_ session: PlaySession, _ signals: Signals, readsInput: Bool) {
        self.session = session
        watch = RunWatch(session, signals, Terminal(readsInput: readsInput))
    }

    mutating func turn() -> RunEnd? {
        for begun in session.work() where terminal == nil && begun.entry !== told { tell(begun.entry, begun.number) }
        return session.isHeardThrough ? .done : nil
    }

    func press(_ key: Key) {
        switch key {
        case " ": session.togglePause()
        case .left: session.seek(by: -Self.stepSeconds)
        case .right: session.seek(by: Self.stepSeconds)
        case .up: session.unit.changeGain(by: 1)
        case .down: session.unit.changeGain(by: -1)
        case "n", "\r", "\n": if !session.skip() { session.run.end() }
        case "p": session.goBack()
        case "l": session.toggleLoop()
        default: break
        }
    }

    func leave() { session.fadeOut() }

    /// Where there is no page to see it on, each file is a line, but for one that is played again and again.
    private mutating func tell(_ entry: PlayedEntry, _ number: Int) {
        told = entry
        let length = entry.seconds.map { ", \(clock($0))" } ?? ""
        let place = session.queue.entries.count > 1 ? "\(number) of \(session.queue.entries.count): " : ""
        StandardError.complain(
            "playing \(place)\(shown(entry.path == "-" ? "standard input" : entry.path)) (\(session.words(of: entry))\(length))"
        )
    }

    mutating func show() {
        guard let terminal else { return }
        terminal.draw(Page(terminal).lines(scene()))
    }

    private mutating func scene() -> PlayScene {
        let current = session.current
        let first = current == nil ? 0 : session.options.start
        return PlayScene(
            run: watch.scene(
                trouble: session.presentTrouble.map { shown($0.message) } ?? session.waiting ?? session.plugins.trouble),
            name: current?.entry.name ?? "", number: current?.number ?? 0, count: session.queue.entries.count,
            format: current.map { session.words(of: $0.entry) } ?? "", positionSeconds: current?.seconds ?? 0,
            startSeconds: first, endSeconds: current?.entry.seconds.map { first + $0 },
            gainDecibels: session.unit.gainDecibels,
            isPaused: session.player.isPaused || session.isStopped, isLooping: session.queue.playlist.isLooping,
            isShuffled: session.queue.playlist.seed != nil,
            clipped: (0..<session.outputs).reduce(0) { $0 + session.run.engine.meters.totals($1).clipped },
            underrunFrames: session.player.underrunFrames)
    }
}
