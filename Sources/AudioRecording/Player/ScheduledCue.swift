import AudioRealtime

/// The control side of a player's cue: what is played from a frame on, one thing after the other without a gap.
final class ScheduledCue {
    let frame: UInt64
    /// Whether nothing is played from there on.
    let isStop: Bool
    /// What is to be played behind the feeds.
    var items: [any Playable]
    /// What the audio thread has or comes to, in order.
    var feeds: [PlayedFeed] = []
    /// Feeds of another sample rate, until the audio thread has taken so many moves.
    private var retired: [(moves: Int, feeds: [PlayedFeed])] = []
    private var moves = 0
    /// `nil` until it is handed over.
    private(set) var cell: Cell<PlayerCue>?

    /// - Parameter items: none where nothing is played from there on.
    init(frame: UInt64, items: [any Playable]) {
        self.frame = frame
        self.items = items
        isStop = items.isEmpty
    }

    // SAFETY: the cell keeps it, and what is asked of it is atomic.
    var isDone: Bool { unsafe cell?.pointer.pointee.isDone ?? false }
    private var movesTaken: Int { unsafe cell?.pointer.pointee.moveCount ?? 0 }

    /// Makes the audio thread's side, once the first feed is there.
    func makeCell() -> Cell<PlayerCue> {
        let cell = Cell(PlayerCue(frame: frame, feed: feeds.first?.cell))
        self.cell = cell
        return cell
    }

    /// Has the player begin again with what is left, at another sample rate; returns it, and what was heard of the first.
    func unwind() -> (seconds: Double, hasBegun: Bool)? {
        let rest = feeds.filter { !$0.isSpent }
        guard let current = rest.first else { return nil }
        moves += 1
        retired.append((moves, feeds))
        items = rest.map(\.item) + items
        feeds = []
        return (current.seconds, current.hasBegun)
    }

    /// Closes and hands back the feeds that the audio thread has left.
    func takeSpent() -> [PlayedFeed] {
        var spent: [PlayedFeed] = []
        if isDone {
            spent = feeds + retired.flatMap(\.feeds)
            feeds = []
            retired = []
        }
        while let first = feeds.first, first.isSpent { spent.append(feeds.removeFirst()) }
        while let first = retired.first, first.moves <= movesTaken {
            spent += retired.removeFirst().feeds
        }
        for feed in spent { feed.close() }
        return spent
    }

    /// Closes the files. The rings stay as long as they are kept.
    func close() {
        items = []
        for feed in feeds + retired.flatMap(\.feeds) { feed.close() }
    }
}
