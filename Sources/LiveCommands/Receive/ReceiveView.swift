import AudioReports
import AudioStreaming
import LiveRuns
import TerminalPages

/// What the live view of `receive` shows at one moment.
struct ReceiveScene {
    var run: RunScene
    var origin: String
    var elapsedSeconds: Double
    /// Where it ends by itself.
    var maximumSeconds: Double?
    var figures: ReceiverFigures
    var gainDecibels: Double
}

/// Draws a scene as lines of text: nothing in here knows of a terminal.
struct ReceiveView {
    private let page: Page

    init(_ page: Page) { self.page = page }

    /// In a low window what it does, and what is wrong, come first, then the meters, then the rest.
    func lines(_ scene: ReceiveScene) -> [String] {
        page.lines(
            scene.run, state: state(scene),
            body: { $0.take(page.flow(Self.words(scene.figures).map { [(page.plain($0), .plain)] })) },
            figures: [[("gain \(fixed(scene.gainDecibels, 1)) dB", .plain)]] + page.losses(scene.run),
            keys: ["up down gain", "q quit"])
    }

    private func state(_ scene: ReceiveScene) -> [String] {
        var parts = page.live(scene.elapsedSeconds, of: scene.maximumSeconds, .green)
        if scene.figures.state != .receiving { parts[0] = [(" WAIT ", .active)] }
        parts.append([(page.plain(scene.origin), .bold)])
        if let words = streamWords(scene.figures) { parts.append([(page.plain(words), .plain)]) }
        return page.flow(parts)
    }

    /// What is worth a look, in the order of its weight.
    static func words(_ figures: ReceiverFigures) -> [String] {
        guard figures.streams > 0 else { return ["waiting for the sender"] }
        return [
            "\(figures.receivedPackets) packets",
            "lost \(figures.lostPackets)", "late \(figures.latePackets)", "reordered \(figures.reorderedPackets)",
            figures.droppedPackets > 0 ? "dropped \(figures.droppedPackets)" : nil,
            figures.underrunFrames > 0 ? "underrun \(figures.underrunFrames) frames" : nil,
            figures.bufferSeconds.map { "buffer \(fixed($0 * 1000, 1)) ms" },
            figures.latencySeconds.map { "latency \(fixed($0 * 1000, 1)) ms" },
            figures.driftPartsPerMillion.map { "drift \(fixed($0, 1)) ppm" },
        ].compactMap(\.self)
    }
}
