import AudioReports
import AudioStreaming
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
        let state = state(scene)
        let trouble = page.trouble(scene.run.trouble)
        var room = PageRoom(max(1, page.rows) - state.count - trouble.count)
        let least = room.reserveMeters(scene.run.meters.count)
        let stream = room.take(page.flow(Self.words(scene.figures).map { [(page.plain($0), .plain)] }))
        let figures = room.take(figures(scene))
        let hasScale = room.takeLine()
        let title = room.take(page.title(scene.run.title) + [""])
        let keys = page.hasKeys ? room.take([""] + page.flow([[("up down gain", .dim)], [("q quit", .dim)]])) : []
        let gap = room.take([""])
        let meters = page.lines(scene.run.meters, least: least, hasScale: hasScale, room)
        return Array(
            (title + state + trouble + stream + gap + meters + figures + keys).prefix(max(1, page.rows)))
    }

    private func state(_ scene: ReceiveScene) -> [String] {
        var parts = page.live(scene.elapsedSeconds, of: scene.maximumSeconds, .green)
        if scene.figures.state != .receiving { parts[0] = [(" WAIT ", .active)] }
        parts.append([(page.plain(scene.origin), .bold)])
        if let words = streamWords(scene.figures) { parts.append([(page.plain(words), .plain)]) }
        return page.flow(parts)
    }

    private func figures(_ scene: ReceiveScene) -> [String] {
        page.flow(
            [[("gain \(fixed(scene.gainDecibels, 1)) dB", .plain)]]
                + page.losses(scene.run.xruns, scene.run.lostMilliseconds)) + page.words(scene.run.remote)
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
