import AudioFigures
import AudioReports
import TerminalPages

/// What the live view of `latency` shows at one moment.
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

/// Draws a scene as lines of text: nothing in here knows of a terminal.
struct LatencyView {
    private let page: Page

    init(_ page: Page) { self.page = page }

    /// In a low window how far it is, and what is wrong, come first, then what is heard, then the rest.
    func lines(_ scene: LatencyScene) -> [String] {
        let state = page.progress("listening", scene.done, share: scene.progress)
        let trouble = page.trouble(scene.trouble)
        var room = PageRoom(max(1, page.rows) - state.count - trouble.count)
        let now = room.take(page.flow(self.now(scene)))
        let figures = room.take(page.flow(self.figures(scene)))
        let title = room.take(page.title(scene.title) + [""])
        let path = room.take(page.flow([[(page.plain(scene.path), .plain)]]))
        let keys = page.hasKeys ? room.take([""] + page.flow([[(MeasurementView.keys, .dim)]])) : []
        let gap = room.take([""])
        return Array(
            (title + path + state + trouble + gap + now + figures + keys).prefix(max(1, page.rows)))
    }

    private func now(_ scene: LatencyScene) -> [Page.Part] {
        guard let last = scene.rounds.last else { return [[(page.plain(scene.words), .plain)]] }
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
