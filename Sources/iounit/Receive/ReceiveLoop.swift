import AudioDSP
import AudioIO
import AudioReports
import AudioStreaming
import Threads

/// What happens while a stream is played: keys, signals, and a look at the figures.
struct ReceiveLoop {
    private let session: ReceiveSession
    private var watch: RunWatch
    private var terminal: Terminal? { watch.terminal }
    private var meters: [LevelMeter]
    private var lastUpdate = MonotonicClock.nanoseconds()
    private var nextLine = 0.0
    /// What was said of the sender last.
    private var told: (streams: Int, isThere: Bool, failure: StreamError?) = (0, false, nil)

    /// Between two lines where there is no terminal.
    private static let lineSeconds = 10.0

    init(_ session: ReceiveSession, _ signals: Signals) {
        self.session = session
        watch = RunWatch(session.run, signals, Terminal())
        meters = Array(repeating: LevelMeter(), count: session.options.engine.outputChannels)
    }

    /// Runs until somebody or something ends it.
    ///
    /// - Throws: why nothing can be received at all.
    mutating func run() throws -> RunEnd {
        terminal?.enter()
        defer { terminal?.leave() }
        while true {
            watch.tellEvents()
            let figures = session.figures
            if figures.state == .failed {
                if figures.streams == 0, let failure = figures.failure { throw failure }
                return .done
            }
            tellSender(figures)
            if watch.takeSignals() { return .interrupted }
            for key in terminal?.keys() ?? [] where press(key) { return watch.end }
            if watch.hasFailed { return watch.end }
            let left = session.options.seconds.map { $0 - watch.elapsed } ?? .infinity
            if left <= 0 { return watch.end }
            show(figures)
            watch.wait(atMost: left)
        }
    }

    /// Acts on a key; returns whether it was the one that ends the run.
    private func press(_ key: Key) -> Bool {
        switch key {
        case "q", "Q", "\u{4}": return true
        case .up: session.changeGain(by: 1)
        case .down: session.changeGain(by: -1)
        case "r": watch.resume()
        default: break
        }
        return false
    }

    /// Where there is no page to see it on: a line when the sender comes, leaves, or cannot be reached.
    private mutating func tellSender(_ figures: ReceiverFigures) {
        guard terminal == nil else { return }
        let isThere = figures.state == .receiving
        if figures.streams > told.streams, let opening = figures.opening {
            Command.complain("receiving from \(session.receiver.origin) (\(streamWords(opening)))")
        } else if told.isThere, !isThere {
            Command.complain("the sender has left; waiting for it")
        }
        if let failure = figures.failure, failure != told.failure { Command.complain("\(failure); it is tried again") }
        told = (figures.streams, isThere, figures.failure)
    }

    private mutating func show(_ figures: ReceiverFigures) {
        let now = MonotonicClock.nanoseconds()
        let passed = Double(now - lastUpdate) / 1e9
        lastUpdate = now
        guard let terminal else { return tellLine(figures) }
        let levels = session.run.engine.meters
        for channel in meters.indices {
            meters[channel].update(
                peak: levels.takePeak(channel), clipped: levels.totals(channel).clipped, time: watch.elapsed,
                elapsed: passed)
        }
        let statistics = session.run.unit.statistics
        let scene = ReceiveScene(
            title: session.run.title, origin: shown("\(session.receiver.origin)"), elapsedSeconds: watch.elapsed,
            maximumSeconds: session.options.seconds, figures: figures, meters: meters,
            gainDecibels: session.gain.decibels, xruns: statistics.xruns,
            lostMilliseconds: Double(statistics.lostNanoseconds) / 1e6,
            trouble: watch.trouble ?? figures.failure.map { shown($0.description) })
        terminal.draw(ReceiveView(Page(terminal)).lines(scene))
    }

    /// A line now and then, for a log.
    private mutating func tellLine(_ figures: ReceiverFigures) {
        guard watch.elapsed >= nextLine + Self.lineSeconds else { return }
        nextLine += Self.lineSeconds
        let levels = session.run.engine.meters
        let peaks = meters.indices.prefix(8).map { decibels(Decibels.decibels(Double(levels.takePeak($0)))) }
        let statistics = session.run.unit.statistics
        let words = ReceiveView.words(figures).joined(separator: "  ")
        StandardError.write(
            "\(clock(watch.elapsed))  peak \(peaks.joined(separator: " ")) dB  \(words)  xruns \(statistics.xruns)"
                + (watch.trouble.map { "  \($0)" } ?? "") + "\n")
    }
}

/// What a stream is, in words.
func streamWords(_ opening: StreamOpening) -> String {
    let channels = opening.channels == 1 ? "1 channel" : "\(opening.channels) channels"
    return "\(opening.codec.rawValue), \(opening.rate) Hz, \(channels)"
}
