import LiveRuns
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
        page.lines(
            scene.run,
            state: page.flow(page.live(scene.elapsedSeconds, of: scene.maximumSeconds, .red) + scene.words),
            picture: picture, figures: page.losses(scene.run), keys: ["q quit"])
    }
}
