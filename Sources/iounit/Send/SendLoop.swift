import AudioIO
import AudioReports

/// What happens while sound is sent: keys, signals, and a look at the figures.
struct SendLoop {
    private let session: SendSession
    private var watch: RunWatch
    private var terminal: Terminal? { watch.terminal }
    private var meters: LevelMeters
    private var targets: StreamWatch
    private var nextLine = 0.0

    /// Between two lines where there is no terminal.
    private static let lineSeconds = 10.0

    init(_ session: SendSession, _ signals: Signals) {
        self.session = session
        watch = RunWatch(session.run, signals, Terminal())
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
            if watch.takeSignals() { return .interrupted }
            for key in terminal?.keys() ?? [] where press(key) { return watch.end }
            if watch.hasFailed { return watch.end }
            let left = session.options.seconds.map { $0 - watch.elapsed } ?? .infinity
            if left <= 0 { return watch.end }
            show()
            watch.wait(atMost: left)
        }
    }

    /// Acts on a key; returns whether it was the one that ends the run.
    private func press(_ key: Key) -> Bool {
        switch key {
        case "q", "Q", "\u{4}": return true
        case "r": watch.resume()
        default: break
        }
        return false
    }

    private mutating func show() {
        guard let terminal else { return tellLine() }
        meters.update(from: session.run.engine.meters, time: watch.elapsed)
        terminal.draw(SendView(Page(terminal)).lines(scene()))
    }

    private mutating func scene() -> SendScene {
        let statistics = session.run.unit.statistics
        return SendScene(
            title: session.run.title, elapsedSeconds: watch.elapsed, maximumSeconds: session.options.seconds,
            targets: targets.scene(), meters: meters.all, xruns: statistics.xruns,
            droppedFrames: session.stream.droppedFrames,
            lostMilliseconds: Double(statistics.lostNanoseconds) / 1e6,
            trouble: watch.trouble ?? session.trouble.map { shown($0.message) })
    }

    /// A line now and then, for a log.
    private mutating func tellLine() {
        guard watch.elapsed >= nextLine + Self.lineSeconds else { return }
        nextLine += Self.lineSeconds
        let statistics = session.run.unit.statistics
        StandardError.write(
            "\(clock(watch.elapsed))  \(session.run.engine.meters.peakWords)  \(targets.words())  "
                + "xruns \(statistics.xruns)  lost \(fixed(Double(statistics.lostNanoseconds) / 1e6, 1)) ms"
                + (watch.trouble.map { "  \($0)" } ?? "") + "\n")
    }
}
