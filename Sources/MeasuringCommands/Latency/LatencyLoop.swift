import AudioFigures
import AudioRealtime
import AudioReports
import CommandSyntax
import TerminalPages
import Threads

/// What happens while the probe listens: signals and keys, and a page or a word now and then on how far it is.
struct LatencyLoop {
    private let session: LatencySession
    private let signals: Signals
    private let seconds: Double
    private let start = MonotonicClock.nanoseconds()
    private var progress = ProgressLine()
    private let terminal = Terminal()
    private var nextPage = 0.0
    private var standstill = Standstill(paceMilliseconds: 100)

    init(_ session: LatencySession, _ signals: Signals, seconds: Double) {
        self.session = session
        self.signals = signals
        self.seconds = seconds
    }

    private var elapsed: Double { Double(MonotonicClock.nanoseconds() - start) / 1e9 }

    /// Where the server's stalls have spoilt the signal so often that there is nothing to report yet, it is worth
    /// waiting for: as long again, and this at most.
    private static let longestPatience = 10.0

    private var isOver: Bool {
        let elapsed = elapsed
        guard elapsed >= seconds else { return false }
        return session.hasFinding || elapsed >= seconds + min(seconds, Self.longestPatience)
    }

    /// Listens until the time is over, or somebody or something ends it.
    mutating func run() -> Report.End {
        terminal?.enter()
        defer {
            progress.clear()
            terminal?.leave()
        }
        while true {
            signals.wait(orKeysOf: terminal, seconds: max(0.01, seconds - elapsed))
            session.note()
            // As in any measurement Ctrl-Z does nothing: it would make the graph wait for a program that is stopped.
            if signals.take().contains(where: Signals.ends) { return .interrupted }
            if terminal?.keys().contains(where: \.ends) ?? false { return .interrupted }
            if session.probe.hasLostServer { return .serverLost }
            // Where another client connects something to the probe again and again, more time would not help.
            if isOver || session.probe.isContested { return .done }
            show()
        }
    }

    private mutating func show() {
        standstill.update(cycles: session.probe.heardFrames, atNanoseconds: MonotonicClock.nanoseconds())
        let trouble = standstill.seconds(periodSeconds: session.facts.periodSeconds).map {
            "the JACK server stands still: no cycle for \($0) s"
        }
        if let terminal {
            guard elapsed >= nextPage else { return }
            nextPage = elapsed + 0.2
            var scene = session.scene
            scene.done = "\(fixed(min(elapsed, seconds), 1)) of \(fixed(seconds, 1)) s"
            (scene.progress, scene.trouble) = (elapsed / seconds, trouble)
            return terminal.draw(Page(terminal).lines(scene))
        }
        progress.show(
            "\(fixed(min(elapsed, seconds), 0)) of \(fixed(seconds, 0)) s: \(trouble ?? session.progress)",
            seconds: elapsed)
    }
}

struct LatencyScene {
    /// Facts about the server, in the order of their weight.
    var title: [String]
    /// From where to where the signal goes.
    var path: String
    /// What the last round says.
    var words: String
    /// In hertz.
    var sampleRate: Int
    /// What the ports on the path declare, where they do.
    var declared: DeclaredLatency?
    /// Rounds that were left out.
    var discarded: Int
    /// The greatest sample heard, of full scale; `nil` for silence.
    var peakDecibels: Double?
    /// What the rounds say in which the signal was heard.
    var rounds: [LatencyEstimate] = []
    /// How far it has come: `4.2 of 5.0 s`.
    var done = ""
    /// 0…1.
    var progress = 0.0
    /// What keeps it from being measured.
    var trouble: String?
}

extension Page {
    /// In a low window how far it is, and what is wrong, come first, then what is heard, then the rest.
    func lines(_ scene: LatencyScene) -> [String] {
        let state = self.progress("listening", scene.done, share: scene.progress)
        let trouble = self.trouble(scene.trouble)
        var room = PageRoom(max(1, rows) - state.count - trouble.count)
        let now = room.take(flow(self.now(scene)))
        let figures = room.take(flow(self.figures(scene)))
        let title = room.take(self.title(scene.title) + [""])
        let path = room.take(flow([[(plain(scene.path), .plain)]]))
        let keys = hasKeys ? room.take([""] + flow([[(Self.measurementKeys, .dim)]])) : []
        let gap = room.take([""])
        return Array(
            (title + path + state + trouble + gap + now + figures + keys).prefix(max(1, rows)))
    }

    private func now(_ scene: LatencyScene) -> [Page.Part] {
        guard let last = scene.rounds.last else { return [[(plain(scene.words), .plain)]] }
        let milliseconds = last.frames / Double(max(1, scene.sampleRate)) * 1000
        return [
            [("\(fixed(last.frames, 3)) frames", .bold)], [("\(fixed(milliseconds, 3)) ms", .bold)],
            [("level \(fixed(last.levelDecibels, 1)) dB", .plain)],
        ]
    }

    private func figures(_ scene: LatencyScene) -> [Page.Part] {
        var parts: [Page.Part] = [[("rounds \(scene.rounds.count)", .plain)]]
        parts.append([("left out \(scene.discarded)", scene.discarded > 0 ? .red : .plain)])
        let frames = scene.rounds.map(\.frames)
        if let least = frames.min(), let most = frames.max() {
            parts.append([("least \(fixed(least, 3))", .plain)])
            parts.append([("most \(fixed(most, 3))", .plain)])
        }
        if let declared = scene.declared { parts.append([("declared \(declared.framesInWords)", .plain)]) }
        if let peak = scene.peakDecibels {
            parts.append([("peak heard \(fixed(peak, 1)) dB", peak >= 0 ? .red : .plain)])
        }
        return parts
    }
}
