import AudioReports
import AudioStreaming
import CommandSyntax
import LiveRuns
import TerminalPages

/// What happens while a stream is played.
struct ReceiveLoop: LiveLoop {
    private let session: ReceiveSession
    var watch: RunWatch
    /// What was said of the sender last.
    private var told: (streams: Int, isThere: Bool, failure: StreamError?) = (0, false, nil)

    init(_ session: ReceiveSession, _ signals: Signals) {
        self.session = session
        watch = RunWatch(session, signals, Terminal(), seconds: session.options.seconds)
    }

    /// - Throws: why nothing can be received at all.
    mutating func turn() throws -> RunEnd? {
        let figures = session.stream
        if figures.state == .failed {
            if figures.streams == 0, let failure = figures.failure { throw failure }
            return .done
        }
        tellSender(figures)
        return figures.state == .ended ? .done : nil
    }

    func press(_ key: Key) {
        switch key {
        case .up: session.unit.changeGain(by: 1)
        case .down: session.unit.changeGain(by: -1)
        default: break
        }
    }

    /// Where there is no page to see it on: a line when the sender comes, leaves, or cannot be reached.
    private mutating func tellSender(_ figures: ReceiverFigures) {
        guard terminal == nil else { return }
        let isThere = figures.state == .receiving
        if figures.streams > told.streams, let words = streamWords(figures) {
            StandardError.complain("receiving from \(session.receiver.origin) (\(words))")
        } else if told.isThere, !isThere {
            let isOver = figures.state == .ended
            StandardError.complain(isOver ? "the stream has come to its end" : "the sender has left; waiting for it")
        }
        if let failure = figures.failure, failure != told.failure {
            // Who sends what cannot be understood goes on, or leaves.
            StandardError.complain("\(failure)" + (failure.kind == .protocolError ? "" : "; it is tried again"))
        }
        told = (figures.streams, isThere, figures.failure)
    }

    mutating func show() {
        let figures = session.stream
        guard let terminal else {
            guard watch.takeLine() else { return }
            return watch.writeLine([session.run.engine.meters.peakWords] + figures.words)
        }
        let scene = ReceiveScene(
            run: watch.scene(trouble: figures.failure.map { shown($0.description) }),
            origin: shown("\(session.receiver.origin)"), figures: figures,
            gainDecibels: session.unit.gainDecibels)
        terminal.draw(Page(terminal).lines(scene))
    }
}

/// What the last stream is, in words; `nil` before the first.
func streamWords(_ figures: ReceiverFigures) -> String? {
    guard let opening = figures.opening, let codec = figures.codecName else { return nil }
    return "\(codec), \(opening.rate) Hz, \(counted(opening.channels, "channel"))"
}
