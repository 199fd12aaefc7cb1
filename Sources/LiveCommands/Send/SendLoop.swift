import AudioReports
import CommandSyntax
import LiveRuns
import TerminalPages

/// What happens while sound is sent.
struct SendLoop: LiveLoop {
    private let session: SendSession
    var watch: RunWatch
    private var targets: StreamWatch

    init(_ session: SendSession, _ signals: Signals) {
        self.session = session
        watch = RunWatch(session, signals, Terminal(), seconds: session.options.seconds)
        targets = StreamWatch(session.stream)
    }

    /// - Throws: why no target can be reached at all.
    mutating func turn() throws -> RunEnd? {
        if session.stream.isHopeless {
            if !session.stream.hasReached, let trouble = session.trouble { throw trouble }
            return .done
        }
        if terminal == nil { targets.tell() }
        return session.unit.isHeardThrough ? .done : nil
    }

    mutating func show() {
        guard let terminal else {
            guard watch.takeLine() else { return }
            return watch.writeLine([session.run.engine.meters.peakWords, targets.words()])
        }
        terminal.draw(Page(terminal).lines(scene()))
    }

    private mutating func scene() -> SendScene {
        var run = watch.scene(
            trouble: session.trouble.map { shown($0.message) } ?? session.plugins.trouble)
        run.targets = targets.scene()
        return SendScene(run: run, droppedFrames: session.stream.droppedFrames)
    }
}
