import AudioReports
import TerminalPages

/// What the live view of a subcommand that listens shows at one moment.
struct ListenScene {
    var run: RunScene
    var elapsedSeconds: Double
    /// Where it ends by itself.
    var maximumSeconds: Double?
    /// What is found, the most important first.
    var words: [Page.Part]
}

/// Draws a scene as lines of text: nothing in here knows of a terminal.
struct ListenView {
    private let page: Page

    init(_ page: Page) { self.page = page }

    /// In a low window what is found comes first, and what is wrong, then the picture, then the rest.
    ///
    /// - Parameter picture: gives a picture of as many rows as it is asked for, or fewer.
    func lines(_ scene: ListenScene, picture: (Int) -> [String]) -> [String] {
        let state = page.flow(page.live(scene.elapsedSeconds, of: scene.maximumSeconds, .red) + scene.words)
        let trouble = page.trouble(scene.run.trouble)
        var room = PageRoom(max(1, page.rows) - state.count - trouble.count)
        let rows = max(0, min(8, room.lines - 1))
        let picture = room.take(rows >= 2 ? picture(rows) : [])
        let least = room.reserveMeters(scene.run.meters.count)
        let title = room.take(page.title(scene.run.title) + [""])
        let hasScale = room.takeLine()
        let figures = room.take(
            page.flow(page.losses(scene.run.xruns, scene.run.lostMilliseconds)) + page.words(scene.run.remote))
        let keys = page.hasKeys ? room.take([""] + page.flow([[("q quit", .dim)]])) : []
        let gap = room.take([""])
        let meters = page.lines(scene.run.meters, least: least, hasScale: hasScale, room)
        return Array(
            (title + state + trouble + picture + gap + meters + figures + keys).prefix(max(1, page.rows)))
    }
}
