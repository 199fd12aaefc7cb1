import AudioIO
import AudioReports
import CommandSyntax
import FileCommands
import TerminalPages

/// What happens while sound is sent: keys, signals, and a look at the figures.
struct SendLoop {
    private let session: SendSession
    private var watch: RunWatch
    private var terminal: Terminal? { watch.terminal }
    private var meters: LevelMeters
    private var targets: StreamWatch

    init(_ session: SendSession, _ signals: Signals) {
        self.session = session
        watch = RunWatch(session, signals, Terminal())
        meters = LevelMeters(channels: session.options.ear.engine.inputChannels)
        targets = StreamWatch(session.stream)
    }

    /// Runs until somebody or something ends it.
    ///
    /// - Throws: why no target can be reached at all.
    mutating func run() throws -> RunEnd {
        terminal?.enter()
        defer { terminal?.leave() }
        while true {
            watch.tellEvents()
            if session.stream.isHopeless {
                if !session.stream.hasReached, let trouble = session.trouble { throw trouble }
                return .done
            }
            if terminal == nil { targets.tell() }
            if let end = watch.takeEnd(afterSeconds: session.options.seconds) { return end }
            if watch.takeDrawing() { show() }
            watch.wait(untilSeconds: session.options.seconds)
        }
    }

    private mutating func show() {
        guard let terminal else { return tellLine() }
        meters.update(from: session.run.engine.meters, time: watch.elapsed)
        terminal.draw(SendView(Page(terminal)).lines(scene()))
    }

    private mutating func scene() -> SendScene {
        SendScene(
            run: watch.scene(
                meters, voice: session.voice?.words,
                trouble: session.trouble.map { shown($0.message) } ?? session.plugins.lateWords),
            elapsedSeconds: watch.elapsed, maximumSeconds: session.options.seconds, targets: targets.scene(),
            droppedFrames: session.stream.droppedFrames)
    }

    /// A line now and then, for a log.
    private mutating func tellLine() {
        guard watch.takeLine() else { return }
        let statistics = session.run.unit.statistics
        StandardError.write(
            "\(clock(watch.elapsed))  \(session.run.engine.meters.peakWords)  \(targets.words())  "
                + "xruns \(statistics.xruns)  lost \(fixed(Double(statistics.lostNanoseconds) / 1e6, 1)) ms"
                + (session.voice?.words.map { "  \($0)" } ?? "")
                + session.remote.words.map { "  \($0)" }.joined()
                + (watch.trouble.map { "  \($0)" } ?? "") + "\n")
    }
}
