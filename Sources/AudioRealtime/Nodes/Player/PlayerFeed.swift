import Synchronization

/// Sound on its way from a worker to a player: a ring at one sample rate, and its state. The feed of what follows
/// without a gap is its successor.
///
/// The worker publishes frames, then decides on a successor, then tells how many frames there are. The audio thread goes over to
/// the successor at the last of them.
@safe package struct PlayerFeed: ~Copyable {
    /// The address that stands for: nothing follows any more.
    private static var closed: UInt { @_noLocks @_noAllocation get { 1 } }

    /// In hertz. At another rate nothing is taken from it.
    let sampleRate: Int
    /// Whether it takes over from a feed of another rate, in the middle of what is played.
    let continues: Bool
    /// Written and read by the audio thread alone, like the count of what it has read.
    var consumer: FrameConsumer
    var readFrames = 0
    /// Set by the worker behind its last frame: how many there are. −1 while there may be more.
    private let totalFrames = Atomic<Int>(-1)
    private let successor = Atomic<UInt>(0)
    private let played = Atomic<Int>(0)
    private let spent = Atomic<Bool>(false)

    /// - Parameters:
    ///   - consumer: of one channel, which goes to all of the player's; or of as many as the player has, or fewer.
    ///   - continues: in the middle of what is played.
    package init(_ consumer: consuming FrameConsumer, sampleRate: Int, continues: Bool) {
        self.consumer = consumer
        self.sampleRate = sampleRate
        self.continues = continues
    }

    // The worker's side.

    /// How many frames were played. Thread: any. Wait-free.
    package var playedFrames: Int { played.load(ordering: .relaxed) }
    /// Whether the audio thread has left it for good. Thread: any. Wait-free.
    package var isSpent: Bool { spent.load(ordering: .acquiring) }

    /// Whether the audio thread came to its end, and nothing can follow any more. Thread: any. Wait-free.
    package var hasEnded: Bool { successor.load(ordering: .acquiring) == Self.closed }

    /// Has another feed follow without a gap; returns whether there was still time for that. Thread: worker. Wait-free.
    package func follow(with feed: Cell<PlayerFeed>) -> Bool {
        // SAFETY: an address; the owner of this feed keeps that too.
        let address = unsafe UInt(bitPattern: feed.pointer)
        return successor.compareExchange(expected: 0, desired: address, ordering: .acquiringAndReleasing).exchanged
    }

    /// The last frame was published, and what follows is decided. Thread: worker. Wait-free.
    package func end(after frames: Int) { totalFrames.store(frames, ordering: .releasing) }

    // The audio thread's side.

    /// How many frames there are in all, or −1. To be asked before what is available: the worker tells in the opposite order.
    var total: Int { @_noLocks @_noAllocation get { totalFrames.load(ordering: .acquiring) } }

    /// Frames were played. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    mutating func note(played frames: Int) {
        consumer.release(frames)
        readFrames += frames
        played.store(readFrames, ordering: .relaxed)
    }

    /// The last frame was played: the feed that follows, or `nil`, and then none will. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    func close() -> UnsafeMutablePointer<PlayerFeed>? {
        let (isClosed, address) = successor.compareExchange(
            expected: 0, desired: Self.closed, ordering: .acquiringAndReleasing)
        // SAFETY: an address of a feed that is kept as long as this one.
        return unsafe isClosed ? nil : UnsafeMutablePointer(bitPattern: address)
    }

    /// What follows according to the worker so far. Thread: audio. Wait-free.
    var next: UnsafeMutablePointer<PlayerFeed>? {
        @_noLocks @_noAllocation get {
            let address = successor.load(ordering: .acquiring)
            // SAFETY: as above.
            return unsafe address == Self.closed ? nil : UnsafeMutablePointer(bitPattern: address)
        }
    }

    /// It is left for good. The last that the audio thread does with it. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    func leave() { spent.store(true, ordering: .releasing) }
}

/// A place on the timeline of JACK's transport.
package struct TransportPlace: BitwiseCopyable, Sendable {
    package let frame: UInt32
    /// The server's, in hertz: at another rate the frame is another place.
    let sampleRate: Int

    package init(frame: UInt32, sampleRate: Int) {
        self.frame = frame
        self.sampleRate = sampleRate
    }
}

/// What happens in a player at one frame: something begins, and takes the place of what plays; or nothing does, and that ends.
@safe package struct PlayerCue: ~Copyable {
    /// Of the engine's frames. Where it is over, the cue comes at once.
    package let frame: UInt64
    /// Where it begins with JACK's transport, and not at a frame of the engine.
    let transport: TransportPlace?
    /// The audio thread's own, once it has the cue. `nil` where nothing begins.
    var feed: UnsafeMutablePointer<PlayerFeed>?
    /// Whether it begins in the middle of a sound, and so with a ramp.
    let fadesIn: Bool
    private let done = Atomic<Bool>(false)
    private let moves = Atomic<Int>(0)

    /// - Parameter feed: kept, with all that follow it, until the cue is done.
    package init(
        frame: UInt64, feed: Cell<PlayerFeed>?, fadesIn: Bool = false, transport: TransportPlace? = nil
    ) {
        self.frame = frame
        self.transport = transport
        self.fadesIn = fadesIn
        unsafe self.feed = feed?.pointer
    }

    /// Whether the audio thread has left it and its feeds for good. Thread: any. Wait-free.
    package var isDone: Bool { done.load(ordering: .acquiring) }
    /// How many times it was moved to another feed. Thread: any. Wait-free.
    package var moveCount: Int { moves.load(ordering: .acquiring) }

    /// Goes on with another feed; the one before is left. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    mutating func move(to feed: UnsafeMutablePointer<PlayerFeed>) {
        unsafe self.feed = feed
        moves.store(moves.load(ordering: .relaxed) + 1, ordering: .releasing)
    }

    /// It is left for good. The last that the audio thread does with it. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    func leave() { done.store(true, ordering: .releasing) }
}

/// Orders to a player's audio thread, in their order.
@safe package enum PlayerOrder: BitwiseCopyable {
    /// A cue, of which no more than `PlayerState.capacity` may be undone.
    case cue(UnsafeMutablePointer<PlayerCue>)
    /// Leaves all cues that are still to come at this frame or later.
    case cancel(from: UInt64)
    /// A cue goes on with another feed. One that is done already is left alone.
    case move(UnsafeMutablePointer<PlayerCue>, to: UnsafeMutablePointer<PlayerFeed>)
}

/// What a player's audio thread and its control side share.
package struct PlayerCounters: ~Copyable {
    package let playedFrames = Atomic<UInt64>(0)
    /// Frames of silence that were played because the worker was late, at the start of a transport too.
    package let underrunFrames = Atomic<UInt64>(0)
    /// Of what began first: the engine's frame at its first one; −1 before.
    package let firstPosition = Atomic<Int>(-1)
    /// Of what began last: the engine's frame at its first one; −1 before.
    package let startPosition = Atomic<Int>(-1)
    /// The engine's frame after its last one; −1 while it plays.
    package let endPosition = Atomic<Int>(-1)
    /// Counted by the worker: samples that were NaN, infinite or absurd, and come out as silence.
    package let nonFiniteSamples = Atomic<UInt64>(0)
    /// The engine's next frame; 0 before the player's first block.
    package let position = Atomic<UInt64>(0)
    /// Set by the worker: all cues before this frame have been handed over.
    package let horizon = Atomic<UInt64>(.max)
    /// Set by the control side: no worker fills the feeds any more, so there is nothing to wait for.
    package let isAbandoned = Atomic<Bool>(false)
    /// Set by the control side: what plays is to keep its place.
    package let isPaused = Atomic<Bool>(false)
    /// Set by the control side: cues are played with JACK's transport.
    package let followsTransport = Atomic<Bool>(false)
    /// Set by the audio thread: the transport's frame for which there is no cue; −1 where nothing is wanted.
    package let wantedTransportFrame = Atomic<Int>(-1)

    package init() {}
}
