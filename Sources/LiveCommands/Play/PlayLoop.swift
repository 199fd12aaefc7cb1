import AudioReports
import CommandSyntax
import LiveRuns
import TerminalPages

struct PlayLoop: LiveLoop {
    private let session: PlaySession
    var watch: RunWatch
    /// The file that a line was printed of last.
    private var told: PlayedEntry?

    private static let stepSeconds = 5.0

    init(_ session: PlaySession, _ signals: Signals) {
        self.session = session
        // Where the sound comes through the standard input, keys do not.
        watch = RunWatch(session, signals, Terminal(readsInput: session.options.readsInput))
    }

    mutating func turn() -> RunEnd? {
        for begun in session.work() where !isPageShown && begun.entry !== told { tell(begun.entry, begun.number) }
        return session.isHeardThrough ? .done : nil
    }

    func press(_ key: Key) {
        switch key {
        case " ": session.togglePause()
        case .left: session.seek(by: -Self.stepSeconds)
        case .right: session.seek(by: Self.stepSeconds)
        case .up, .down: session.changeGain(key)
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
            isShuffled: session.queue.playlist.isShuffled,
            clipped: (0..<session.outputs).reduce(0) { $0 + session.run.engine.meters.totals($1).clipped },
            underrunFrames: session.player.underrunFrames)
    }
}

struct PlayScene {
    var run: RunScene
    var name: String
    /// Of the file, from 1; and how many there are.
    var number: Int
    var count: Int
    var format: String
    /// Times in the file, in seconds: the frame that is heard next, and the part that is played; `nil` where its end is not
    /// known.
    var positionSeconds: Double
    var startSeconds: Double
    var endSeconds: Double?
    var gainDecibels: Double
    var isPaused = false
    var isLooping = false
    var isShuffled = false
    var clipped: UInt64 = 0
    var underrunFrames = 0
}

extension Page {
    /// In a low window what is played, where, and what is wrong come first, then the meters, then the rest.
    func lines(_ scene: PlayScene) -> [String] {
        lines(
            scene.run, state: [name(scene), progress(scene)],
            body: { $0.take(flow([[(plain(scene.format), .plain)]])) }, figures: figures(scene), keys: keys)
    }

    private func name(_ scene: PlayScene) -> String {
        var line = line()
        if scene.isPaused {
            line.add(" PAUSE ", .lamp)
        } else {
            line.add(hasUnicode ? " ▶" : " >", .green)
        }
        if scene.count > 1 { line.add(" \(scene.number)/\(scene.count)", .plain) }
        line.add(" ")
        line.add(plain(scene.name), .bold)
        return line.text
    }

    private func progress(_ scene: PlayScene) -> String {
        var line = line()
        let position = clock(scene.positionSeconds)
        let end = scene.endSeconds.map(clock) ?? ""
        line.add("  \(position) ", .bold)
        guard let last = scene.endSeconds, last > scene.startSeconds else { return line.text }
        // What a narrow window has no room for is the bar.
        let width = columns - 6 - position.count - end.count
        if width >= 4 {
            let share = (scene.positionSeconds - scene.startSeconds) / (last - scene.startSeconds)
            let place = min(width - 1, max(0, Int(share * Double(width))))
            line.add(String(repeating: hasUnicode ? "━" : "=", count: place), .green)
            line.add(hasUnicode ? "●" : "|", .bold)
            line.add(String(repeating: hasUnicode ? "─" : ".", count: width - 1 - place), .dim)
            line.add(" ")
        } else {
            line.add("/ ")
        }
        line.add(end)
        return line.text
    }

    private func figures(_ scene: PlayScene) -> [Page.Part] {
        var parts: [Page.Part] = [[("gain ", .plain), ("\(signed(scene.gainDecibels)) dB", .bold)]]
        if scene.isLooping { parts.append([(" LOOP ", .active)]) }
        if scene.isShuffled { parts.append([(" SHUFFLE ", .active)]) }
        parts += losses(scene.run)
        if scene.underrunFrames > 0 { parts.append([("underruns \(scene.underrunFrames) frames", .red)]) }
        if scene.clipped > 0 { parts.append([("clipped \(scene.clipped)", .red)]) }
        return parts
    }

    private var keys: [String] {
        let dashes = hasUnicode ? ("← →", "↑ ↓") : ("left right", "up down")
        return ["space pause", "\(dashes.0) 5 s", "\(dashes.1) gain", "n next", "p previous", "l loop", "q quit"]
    }
}
