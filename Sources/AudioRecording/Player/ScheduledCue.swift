import AudioRealtime

/// What a cue has to play behind what is being read.
struct ScheduledPiece {
    let playback: Playback
    /// What was heard of it before.
    var heardSeconds = 0.0
    /// Whether it goes on at another rate, in the middle of what is played.
    var continues = false
}

/// The control side of a player's cue: what is played from a frame on, one thing after the other without a gap.
final class ScheduledCue {
    let frame: UInt64
    /// Whether nothing is played from there on.
    let isStop: Bool
    /// What is to be played behind the feeds.
    var pieces: [ScheduledPiece]
    /// As of the `PlayerCue`.
    private let fadesIn: Bool
    let transport: TransportPlace?
    /// What the audio thread has or comes to, in order.
    var feeds: [PlayedFeed] = []
    /// Feeds of another sample rate, until the audio thread has taken so many moves.
    private var retired: [(moves: Int, feeds: [PlayedFeed])] = []
    private var moves = 0
    /// Whether the audio thread still has feeds of another sample rate, and is to move on.
    var isUnwound = false
    /// What was opened of the first pieces, as they were then.
    var opened: [PlayerOpening] = []
    /// `nil` until it is handed over.
    private(set) var cell: Cell<PlayerCue>?

    /// - Parameter pieces: none where nothing is played from there on.
    init(frame: UInt64, pieces: [ScheduledPiece], fadesIn: Bool = false, transport: TransportPlace? = nil) {
        self.transport = transport
        self.frame = frame
        self.pieces = pieces
        self.fadesIn = fadesIn
        isStop = pieces.isEmpty
    }

    // SAFETY: the cell keeps it, and each access is atomic.
    var isDone: Bool { unsafe cell?.pointer.pointee.isDone ?? false }
    private var movesTaken: Int { unsafe cell?.pointer.pointee.moveCount ?? 0 }

    /// Makes the audio thread's side, once the first feed is there.
    func makeCell() -> Cell<PlayerCue> {
        let cell = Cell(
            PlayerCue(
                frame: frame, feed: feeds.first?.cell, fadesIn: fadesIn, transport: transport))
        self.cell = cell
        return cell
    }

    /// What is played of it at present: the feed that is heard, or will be first.
    var current: PlayedFeed? { isDone ? nil : feeds.first { !$0.isSpent } }

    /// What is played of it at present, or as soon as it is opened.
    var playback: Playback? { isDone ? nil : current?.playback ?? pieces.first?.playback }

    /// Has the player begin again with what is left, at another sample rate.
    func unwind() {
        let rest = feeds.filter { !$0.isSpent }
        guard let current = rest.first else { return }
        for feed in rest { feed.playback.pause(feed) }
        moves += 1
        retired.append((moves, feeds))
        pieces = rest.map { ScheduledPiece(playback: $0.playback) } + pieces
        pieces[0].heardSeconds = current.seconds
        pieces[0].continues = current.hasBegun
        (feeds, opened) = ([], [])
        isUnwound = true
    }

    /// Takes what is left of it, for another cue.
    func takeRest() -> [ScheduledPiece] {
        defer { (pieces, opened) = ([], []) }
        let rest = feeds.filter { !$0.isSpent }
        for feed in rest { feed.playback.pause(feed) }
        return rest.map { ScheduledPiece(playback: $0.playback) } + pieces
    }

    /// Makes a cue of what is not being read yet.
    func split() -> ScheduledCue {
        defer { (pieces, opened) = ([], []) }
        let rest = ScheduledCue(frame: 0, pieces: pieces)
        rest.opened = opened
        return rest
    }

    /// Closes and hands back the feeds that the audio thread has left.
    ///
    /// - Parameter isDone: whether the audio thread had left it by a moment before: asked once, for it may leave it meanwhile.
    func takeSpent(_ isDone: Bool) -> [PlayedFeed] {
        var spent: [PlayedFeed] = []
        if isDone {
            spent = feeds + retired.flatMap(\.feeds)
            feeds = []
            retired = []
            dropPieces()
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
        dropPieces()
        for feed in feeds + retired.flatMap(\.feeds) { feed.close() }
    }

    private func dropPieces() {
        // Of the transport's timeline nothing is over: another cue plays it.
        if transport == nil { for piece in pieces { piece.playback.drop() } }
        (pieces, opened) = ([], [])
    }
}
