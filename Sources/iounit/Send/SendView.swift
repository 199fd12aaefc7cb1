import AudioReports
import AudioStreaming

/// What the live view of `send` shows at one moment.
struct SendScene {
    struct Target {
        var name: String
        /// Codec and rate.
        var format: String
        var state: TargetFigures.State
        var sentPackets: UInt64
        var lostPackets: UInt64
        var reconnections: Int
        /// `nil` where that is not known yet.
        var bytesPerSecond: Double?
    }

    /// Facts about the server, in the order of their weight.
    var title: [String]
    var elapsedSeconds: Double
    /// Where it ends by itself.
    var maximumSeconds: Double?
    var targets: [Target]
    var meters: [LevelMeter]
    var xruns: UInt64
    /// Frames that found no room on their way to the encoders.
    var droppedFrames: UInt64
    var lostMilliseconds: Double
    /// Something that went wrong meanwhile, or is waited for.
    var trouble: String?
}

extension SendScene.Target {
    init(_ figures: TargetFigures, _ codec: StreamCodec?, bytesPerSecond: Double?) {
        self.init(
            name: shown("\(figures.target)"), format: "\(codec?.rawValue ?? "") \(figures.sampleRate) Hz",
            state: figures.state, sentPackets: figures.sentPackets, lostPackets: figures.lostPackets,
            reconnections: max(0, figures.connections - 1), bytesPerSecond: bytesPerSecond)
    }
}

/// Draws a scene as lines of text: nothing in here knows of a terminal.
struct SendView {
    private let page: Page

    init(_ page: Page) { self.page = page }

    /// In a low window what it does, and what is wrong, come first, then the meters, then the rest.
    func lines(_ scene: SendScene) -> [String] {
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
        let targets = targets(scene.targets, room: room)
        room -= targets.count
        let figures = take(figures(scene))
        let scale = take([page.scale()])
        let title = take(title(scene) + [""])
        let keys = page.hasKeys ? take([""] + page.flow([[("q quit", .dim)]])) : []
        let gap = take([""])
        let meters = least > 0 ? page.meterLines(scene.meters, room: least + max(0, room)) : []
        return Array(
            (title + state + trouble + targets + gap + meters + scale + figures + keys).prefix(max(1, page.rows)))
    }

    private func title(_ scene: SendScene) -> [String] {
        page.flow([[(" iounit ", .active)]] + scene.title.map { [(page.plain($0), .plain)] })
    }

    private func state(_ scene: SendScene) -> [String] {
        let reached = scene.targets.count { $0.state == .connected }
        let length = scene.maximumSeconds.map { " / \(clock($0))" } ?? ""
        let live: Page.Part = [(page.hasUnicode ? "● LIVE" : "* LIVE", .red)]
        var parts: [Page.Part] = [reached > 0 ? live : [(" WAIT ", .active)]]
        parts.append([(clock(scene.elapsedSeconds), .bold), (length, .plain)])
        let short = page.flow(parts)
        guard scene.targets.count > 1 else { return short }
        parts.append([("\(reached) of \(scene.targets.count) reached", .plain)])
        // In a narrow window the meters need the line more.
        let full = page.flow(parts)
        return full.count == short.count ? full : short
    }

    /// As many as there is room for.
    private func targets(_ targets: [SendScene.Target], room: Int) -> [String] {
        var lines: [String] = []
        for (index, target) in targets.enumerated() {
            let new = page.flow(parts(target))
            let left = targets.count - index
            guard lines.count + new.count <= (left > 1 ? room - 1 : room) else {
                return lines.count < room
                    ? lines + page.flow([[(index > 0 ? "and \(left) more" : "\(left) targets", .dim)]]) : lines
            }
            lines += new
        }
        return lines
    }

    private func parts(_ target: SendScene.Target) -> [Page.Part] {
        let state: (String, Page.Tint) =
            switch target.state {
            case .connected: ("connected", .green)
            case .connecting:
                (target.reconnections > 0 || target.sentPackets > 0 ? "reconnecting" : "connecting", .yellow)
            case .failed: ("GIVEN UP", .red)
            case .ended: ("ended", .plain)
            }
        return [
            [(page.plain(target.name), .bold)], [state], [(target.format, .plain)],
            target.bytesPerSecond.map { [("\(size(Int($0)))/s", .plain)] } ?? [],
            [("sent \(target.sentPackets)", .plain)],
            [("lost \(target.lostPackets)", target.lostPackets > 0 ? .red : .plain)],
            target.reconnections > 0 ? [(reachedAgain(target.reconnections), .yellow)] : [],
        ].filter { !$0.isEmpty }
    }

    private func figures(_ scene: SendScene) -> [String] {
        var parts: [Page.Part] = [
            [("xruns \(scene.xruns)", scene.xruns > 0 ? .red : .plain)],
            [("lost \(fixed(scene.lostMilliseconds, 1)) ms", scene.lostMilliseconds > 0 ? .red : .plain)],
        ]
        if scene.droppedFrames > 0 { parts.append([("\(scene.droppedFrames) frames DROPPED", .red)]) }
        return page.flow(parts)
    }
}
