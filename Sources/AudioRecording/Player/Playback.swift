import AudioFiles
import Synchronization

/// One thing that was given to a player, and how far it has come.
///
/// All may be asked from any thread but the audio thread. It tells what has happened a few milliseconds later.
public final class Playback: Sendable {
    package let item: any Playable
    private let state = Mutex(State())

    fileprivate struct State {
        /// What is being played of it; the ring lasts only as long as that.
        var feed: PlayedFeed?
        /// Were left, and may still fade out: what is heard of them counts until they end.
        var fading: [PlayedFeed] = []
        /// Of the feeds that have ended.
        var playedFrames = 0
        var playedSeconds = 0.0
        var seconds: Double?
        var hasBegun = false
        var isDone = false
        var failure: SoundFileError?
        var flaws: [SoundFileFlaw] = []
    }

    init(_ item: any Playable) { self.item = item }

    /// The time in what is played at which the next frame lies, in seconds of its own rate: from the `from` that it was
    /// given on. It jumps where the player seeks.
    public var seconds: Double {
        item.startSeconds + state.withLock { $0.feed?.seconds ?? $0.seconds ?? 0 }
    }
    /// Frames that were heard of it, at the engine's rate; what was heard twice counts twice.
    public var playedFrames: Int { state.withLock { $0.feeds.reduce($0.playedFrames) { $0 + $1.playedFrames } } }
    /// How long those last, in seconds.
    public var playedSeconds: Double { state.withLock { $0.feeds.reduce($0.playedSeconds) { $0 + $1.playedSeconds } } }
    /// Whether a frame of it was heard.
    public var hasBegun: Bool { state.withLock { $0.hasBegun || $0.feeds.contains { $0.playedFrames > 0 } } }
    /// Whether nothing more of it will be heard.
    public var isDone: Bool { state.withLock { $0.isDone && $0.fading.isEmpty } }
    /// Whether `Player.seek` can go to any time in it, as in a file and not in a pipe.
    public var isSeekable: Bool { item.isSeekable }
    /// Why it was not played to its end; `nil` where it was, or something else took its place.
    public var failure: SoundFileError? { state.withLock { $0.failure ?? $0.feeds.lazy.compactMap(\.failure).first } }
    /// What was found to be wrong with it while it was read.
    public var flaws: [SoundFileFlaw] {
        state.withLock { state in
            state.feeds.reduce(state.flaws) { flaws, feed in flaws + feed.flaws.filter { !flaws.contains($0) } }
        }
    }

    /// How many frames of it are still to be heard, at the engine's rate, where its end has been read already; else `nil`.
    package var remainingFrames: Int? { state.withLock { $0.feed.flatMap { $0.isRead ? $0.aheadFrames : nil } } }

    /// It is read by a feed from now on.
    func begin(_ feed: PlayedFeed) {
        state.withLock { state in
            // With the transport the one before may still fade out.
            state.leave()
            state.feed = feed
            state.isDone = false
        }
    }

    /// A feed was left. Where it is read by another by now, it goes on.
    func end(_ feed: PlayedFeed) {
        state.withLock { state in
            if let place = state.fading.firstIndex(where: { $0 === feed }) {
                return state.count(state.fading.remove(at: place))
            }
            guard state.feed === feed else { return }
            state.close()
            state.isDone = true
        }
    }

    /// A feed was left, and another will read on.
    func pause(_ feed: PlayedFeed) {
        state.withLock { state in
            if state.feed === feed { state.leave() }
        }
    }

    /// It goes on at another time, in seconds from where it was given on, once it is opened there.
    func place(at seconds: Double) {
        state.withLock { state in
            if state.feed == nil { state.seconds = seconds }
        }
    }

    /// It will not be played, or no more.
    func drop(_ failure: SoundFileError? = nil) {
        state.withLock { state in
            state.close()
            state.failure = state.failure ?? failure
            state.isDone = true
        }
    }
}

extension Playback.State {
    fileprivate var feeds: [PlayedFeed] { fading + [feed].compactMap(\.self) }

    /// Goes on without the feed, which may still be heard.
    fileprivate mutating func leave() {
        guard let feed else { return }
        seconds = feed.seconds
        fading.append(feed)
        self.feed = nil
    }

    /// Keeps what is known of the feed, and lets go of that.
    fileprivate mutating func close() {
        guard let feed else { return }
        seconds = feed.seconds
        count(feed)
        self.feed = nil
    }

    fileprivate mutating func count(_ feed: PlayedFeed) {
        playedFrames += feed.playedFrames
        playedSeconds += feed.playedSeconds
        hasBegun = hasBegun || feed.playedFrames > 0
        failure = failure ?? feed.failure
        flaws += feed.flaws.filter { !flaws.contains($0) }
    }
}
