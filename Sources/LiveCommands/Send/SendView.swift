import AudioReports
import TerminalPages

/// What the live view of `send` shows at one moment.
struct SendScene {
    var run: RunScene
    var elapsedSeconds: Double
    /// Where it ends by itself.
    var maximumSeconds: Double?
    var targets: [TargetScene]
    /// Frames that found no room on their way to the encoders.
    var droppedFrames: UInt64
}

/// Draws a scene as lines of text: nothing in here knows of a terminal.
struct SendView {
    private let page: Page

    init(_ page: Page) { self.page = page }

    /// In a low window what it does, and what is wrong, come first, then the meters, then the rest.
    func lines(_ scene: SendScene) -> [String] {
        let state = state(scene)
        let trouble = page.trouble(scene.run.trouble)
        var room = PageRoom(max(1, page.rows) - state.count - trouble.count)
        let least = room.reserveMeters(scene.run.meters.count)
        let targets = page.lines(scene.targets, room: room.lines)
        room.reserve(targets.count)
        let figures = room.take(figures(scene))
        let hasScale = room.takeLine()
        let title = room.take(page.title(scene.run.title) + [""])
        let keys = page.hasKeys ? room.take([""] + page.flow([[("q quit", .dim)]])) : []
        let gap = room.take([""])
        let meters = page.lines(scene.run.meters, least: least, hasScale: hasScale, room)
        return Array(
            (title + state + trouble + targets + gap + meters + figures + keys).prefix(max(1, page.rows)))
    }

    private func state(_ scene: SendScene) -> [String] {
        let reached = scene.targets.count { $0.state == .connected }
        var parts = page.live(scene.elapsedSeconds, of: scene.maximumSeconds, .red)
        if reached == 0 { parts[0] = [(" WAIT ", .active)] }
        let short = page.flow(parts)
        guard scene.targets.count > 1 else { return short }
        parts.append([("\(reached) of \(scene.targets.count) reached", .plain)])
        // In a narrow window the meters need the line more.
        let full = page.flow(parts)
        return full.count == short.count ? full : short
    }

    private func figures(_ scene: SendScene) -> [String] {
        var parts = page.losses(scene.run.xruns, scene.run.lostMilliseconds)
        if scene.droppedFrames > 0 { parts.append([("\(scene.droppedFrames) frames DROPPED", .red)]) }
        return page.flow(parts) + page.voice(scene.run.voice) + page.words(scene.run.remote)
    }
}
