import AudioDSP
import AudioIO
import AudioReports
import AudioStreaming
import Threads

/// What happens while sound is sent: keys, signals, and a look at the figures.
struct SendLoop {
    private let session: SendSession
    private var watch: RunWatch
    private var terminal: Terminal? { watch.terminal }
    private var meters: [LevelMeter]
    private var pace: BytePace
    private var lastUpdate = MonotonicClock.nanoseconds()
    private var nextLine = 0.0
    /// What was told of each target last.
    private var told: [(connections: Int, failure: StreamError?)]

    /// Between two lines where there is no terminal.
    private static let lineSeconds = 10.0

    init(_ session: SendSession, _ signals: Signals) {
        self.session = session
        watch = RunWatch(session.run, signals, Terminal())
        meters = Array(repeating: LevelMeter(), count: session.options.engine.inputChannels)
        let count = session.options.targets.count
        pace = BytePace(count: count)
        told = Array(repeating: (0, nil), count: count)
    }

    /// Runs until somebody or something ends it.
    ///
    /// - Throws: why no target can be reached at all.
    mutating func run() throws -> RunEnd {
        terminal?.enter()
        defer { terminal?.leave() }
        while true {
            watch.tellEvents()
            if session.isHopeless {
                if !session.hasReached, let trouble = session.trouble { throw trouble }
                return .done
            }
            tellTargets()
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

    /// Where there is no page to see it on: a line when a target is reached, or is not, or not any more.
    private mutating func tellTargets() {
        guard terminal == nil else { return }
        for (index, target) in session.figures.enumerated() {
            if target.connections > told[index].connections {
                let codec = session.options.codec(of: target.target)?.rawValue ?? ""
                let again = target.connections > 1 ? " again; \(target.lostPackets) packets were lost so far" : ""
                Command.complain("sending to \(target.target) (\(codec), \(target.sampleRate) Hz)\(again)")
                told[index] = (target.connections, target.state == .connected ? nil : told[index].failure)
            }
            guard target.state != .connected, let failure = target.failure, failure != told[index].failure else {
                continue
            }
            told[index].failure = failure
            Command.complain("\(failure)\(target.state == .failed ? "" : "; it is tried again")")
        }
    }

    private mutating func show() {
        let now = MonotonicClock.nanoseconds()
        let passed = Double(now - lastUpdate) / 1e9
        lastUpdate = now
        let figures = session.figures
        pace.update(figures.map(\.sentBytes), atNanoseconds: now)
        guard let terminal else { return tellLine(figures) }
        let levels = session.run.engine.meters
        for channel in meters.indices {
            meters[channel].update(
                peak: levels.takePeak(channel), clipped: levels.totals(channel).clipped, time: watch.elapsed,
                elapsed: passed)
        }
        terminal.draw(SendView(Page(terminal)).lines(scene(figures)))
    }

    private func scene(_ figures: [TargetFigures]) -> SendScene {
        let statistics = session.run.unit.statistics
        return SendScene(
            title: session.run.title, elapsedSeconds: watch.elapsed, maximumSeconds: session.options.seconds,
            targets: zip(figures, pace.perSecond).map { figures, pace in
                SendScene.Target(figures, session.options.codec(of: figures.target), bytesPerSecond: pace)
            }, meters: meters, xruns: statistics.xruns, droppedFrames: session.droppedFrames,
            lostMilliseconds: Double(statistics.lostNanoseconds) / 1e6,
            trouble: watch.trouble ?? session.trouble.map { shown($0.message) })
    }

    /// A line now and then, for a log.
    private mutating func tellLine(_ figures: [TargetFigures]) {
        guard watch.elapsed >= nextLine + Self.lineSeconds else { return }
        nextLine += Self.lineSeconds
        let levels = session.run.engine.meters
        let peaks = meters.indices.prefix(8).map { decibels(Decibels.decibels(Double(levels.takePeak($0)))) }
        let statistics = session.run.unit.statistics
        let reached = figures.count { $0.state == .connected }
        let lost = figures.reduce(0) { $0 + $1.lostPackets }
        let bytes = pace.perSecond.reduce(0) { $0 + ($1 ?? 0) }
        StandardError.write(
            "\(clock(watch.elapsed))  peak \(peaks.joined(separator: " ")) dB  \(reached) of \(figures.count) reached  "
                + "\(size(Int(bytes)))/s  \(lost) packets lost  xruns \(statistics.xruns)  "
                + "lost \(fixed(Double(statistics.lostNanoseconds) / 1e6, 1)) ms"
                + (watch.trouble.map { "  \($0)" } ?? "") + "\n")
    }
}
