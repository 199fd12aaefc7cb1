import AudioReports
import TerminalPages

/// What the live view of `send` shows at one moment.
struct SendScene {
    /// Facts about the server, in the order of their weight.
    var title: [String]
    var elapsedSeconds: Double
    /// Where it ends by itself.
    var maximumSeconds: Double?
    var targets: [TargetScene]
    var meters: [LevelMeter]
    var xruns: UInt64
    /// Frames that found no room on their way to the encoders.
    var droppedFrames: UInt64
    var lostMilliseconds: Double
    /// What is done to voices.
    var voice: String?
    /// What changes the run from outside.
    var remote: [String] = []
    /// Something that went wrong meanwhile, or is waited for.
    var trouble: String?
}

/// Draws a scene as lines of text: nothing in here knows of a terminal.
struct SendView {
    private let page: Page

    init(_ page: Page) { self.page = page }

    /// In a low window what it does, and what is wrong, come first, then the meters, then the rest.
    func lines(_ scene: SendScene) -> [String] {
        let state = state(scene)
        let trouble = page.trouble(scene.trouble)
        var room = PageRoom(max(1, page.rows) - state.count - trouble.count)
        let least = room.reserveMeters(scene.meters.count)
        let targets = page.lines(scene.targets, room: room.lines)
        room.reserve(targets.count)
        let figures = room.take(figures(scene))
        let hasScale = room.takeLine()
        let title = room.take(page.title(scene.title) + [""])
        let keys = page.hasKeys ? room.take([""] + page.flow([[("q quit", .dim)]])) : []
        let gap = room.take([""])
        let meters = page.lines(scene.meters, least: least, hasScale: hasScale, room)
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
        var parts = page.losses(scene.xruns, scene.lostMilliseconds)
        if scene.droppedFrames > 0 { parts.append([("\(scene.droppedFrames) frames DROPPED", .red)]) }
        return page.flow(parts) + page.voice(scene.voice) + page.words(scene.remote)
    }
}
