import AudioReports
import AudioStreaming

/// What the live view of `receive` shows at one moment.
struct ReceiveScene {
    /// Facts about the server, in the order of their weight.
    var title: [String]
    var origin: String
    var elapsedSeconds: Double
    /// Where it ends by itself.
    var maximumSeconds: Double?
    var figures: ReceiverFigures
    var meters: [LevelMeter]
    var gainDecibels: Double
    var xruns: UInt64
    var lostMilliseconds: Double
    /// Something that went wrong meanwhile, or is waited for.
    var trouble: String?
}

/// Draws a scene as lines of text: nothing in here knows of a terminal.
struct ReceiveView {
    private let page: Page

    init(_ page: Page) { self.page = page }

    /// In a low window what it does, and what is wrong, come first, then the meters, then the rest.
    func lines(_ scene: ReceiveScene) -> [String] {
        let state = state(scene)
        let trouble = scene.trouble.map { page.flow([[(page.plain($0), .red)]]) } ?? []
        var room = max(1, page.rows) - state.count - trouble.count
        func take(_ lines: [String]) -> [String] {
            guard !lines.isEmpty, lines.count <= room else { return [] }
            room -= lines.count
            return lines
        }
        let least = max(0, min(scene.meters.count, (room + 1) / 2))
        room -= least
        let stream = take(page.flow(Self.words(scene.figures).map { [(page.plain($0), .plain)] }))
        let figures = take(figures(scene))
        let scale = take([page.scale()])
        let title = take(page.flow([[(" iounit ", .active)]] + scene.title.map { [(page.plain($0), .plain)] }) + [""])
        let keys = page.hasKeys ? take([""] + page.flow([[("up down gain", .dim)], [("q quit", .dim)]])) : []
        let gap = take([""])
        let meters = least > 0 ? page.meterLines(scene.meters, room: least + max(0, room)) : []
        return Array(
            (title + state + trouble + stream + gap + meters + scale + figures + keys).prefix(max(1, page.rows)))
    }

    private func state(_ scene: ReceiveScene) -> [String] {
        let length = scene.maximumSeconds.map { " / \(clock($0))" } ?? ""
        let live: Page.Part = [(page.hasUnicode ? "● LIVE" : "* LIVE", .green)]
        var parts: [Page.Part] = [scene.figures.state == .receiving ? live : [(" WAIT ", .active)]]
        parts.append([(clock(scene.elapsedSeconds), .bold), (length, .plain)])
        parts.append([(page.plain(scene.origin), .bold)])
        if let opening = scene.figures.opening { parts.append([(page.plain(streamWords(opening)), .plain)]) }
        return page.flow(parts)
    }

    private func figures(_ scene: ReceiveScene) -> [String] {
        page.flow([
            [("gain \(fixed(scene.gainDecibels, 1)) dB", .plain)],
            [("xruns \(scene.xruns)", scene.xruns > 0 ? .red : .plain)],
            [("lost \(fixed(scene.lostMilliseconds, 1)) ms", scene.lostMilliseconds > 0 ? .red : .plain)],
        ])
    }

    /// What is worth a look, in the order of its weight.
    static func words(_ figures: ReceiverFigures) -> [String] {
        guard figures.streams > 0 else { return ["waiting for the sender"] }
        return [
            "\(figures.receivedPackets) packets",
            "lost \(figures.lostPackets)", "late \(figures.latePackets)", "reordered \(figures.reorderedPackets)",
            figures.underrunFrames > 0 ? "underrun \(figures.underrunFrames) frames" : nil,
            figures.bufferSeconds.map { "buffer \(fixed($0 * 1000, 1)) ms" },
            figures.latencySeconds.map { "latency \(fixed($0 * 1000, 1)) ms" },
            figures.driftPartsPerMillion.map { "drift \(fixed($0, 1)) ppm" },
        ].compactMap(\.self)
    }
}
