import AudioFiles
import AudioRealtime
import Synchronization

/// The control side of a player's feed: what is played from where on, and the signal that fills the ring.
final class PlayedFeed: Sendable {
    /// Read and handed over at once.
    static let blockFrames = 1024

    let playback: Playback
    /// In hertz.
    let sampleRate: Int
    /// What was heard of the item before.
    let startSeconds: Double
    private let continues: Bool
    let cell: Cell<PlayerFeed>
    private let counters: Cell<PlayerCounters>
    private let work: Mutex<Work>
    private let failed = Mutex<SoundFileError?>(nil)
    private let foundFlaws = Mutex<[SoundFileFlaw]>([])
    private let writtenFrames = Atomic<Int>(0)
    private let read = Atomic<Bool>(false)
    private let isClosed = Atomic<Bool>(false)

    fileprivate struct Work: ~Copyable {
        var signal: (any Signal)?
        var producer: FrameProducer
        var block: [Float]
        var plane = [Float](repeating: 0, count: PlayedFeed.blockFrames)
        var isPublished = false
        var flaws: [SoundFileFlaw] = []
    }

    /// Opens what is to be played, and fills the ring. What cannot be opened ends at once (`failure`).
    ///
    /// - Parameters:
    ///   - channels: of the player.
    ///   - seconds: what was heard of it before.
    ///   - continues: in the middle of what is played, at another rate.
    ///   - counters: where broken samples are counted.
    init(
        _ playback: Playback, sampleRate: Int, channels: Int, from seconds: Double = 0, continues: Bool = false,
        counters: Cell<PlayerCounters>
    ) {
        let item = playback.item
        self.playback = playback
        self.counters = counters
        self.sampleRate = sampleRate
        startSeconds = seconds
        self.continues = continues
        var width = 1
        var signal: (any Signal)?
        do throws(SoundFileError) {
            let opened = try item.open(sampleRate: sampleRate, channels: channels, from: seconds)
            width = opened.channels
            signal = opened
        } catch {
            failed.withLock { $0 = error }
        }
        let longest = Self.ringFrames(sampleRate: sampleRate)
        let wanted = item.frames(at: sampleRate).map { $0 + 2 * Self.blockFrames } ?? longest
        let ring = FrameRing(channels: width, capacity: min(longest, wanted))
        cell = Cell(PlayerFeed(ring.consumer, sampleRate: sampleRate, continues: continues))
        let block = [Float](repeating: 0, count: Self.blockFrames * width)
        work = Mutex(Work(signal: signal, producer: ring.producer, block: block))
        fill()
    }

    /// One second, and at least four times the longest period of JACK.
    static func ringFrames(sampleRate: Int) -> Int { max(sampleRate, 4 * Plan.maximumFrames) }

    /// Why it ended before its end.
    var failure: SoundFileError? { failed.withLock { $0 } }
    /// What is wrong with what was read.
    var flaws: [SoundFileFlaw] { foundFlaws.withLock { $0 } }

    // SAFETY: here and below, the cell keeps the feed, and each access is atomic.
    var playedFrames: Int { unsafe cell.pointer.pointee.playedFrames }
    var isSpent: Bool { unsafe cell.pointer.pointee.isSpent }
    var hasEnded: Bool { unsafe cell.pointer.pointee.hasEnded }
    /// Whether any of it was heard, or of the one that it goes on for.
    var hasBegun: Bool { playedFrames > 0 || continues }
    var playedSeconds: Double { Double(playedFrames) / Double(sampleRate) }
    /// Of the item, at the frame that is played next.
    var seconds: Double { startSeconds + playedSeconds }

    /// Whether all of the signal is in the ring. Does not wait for a slow file, as little as what follows.
    var isRead: Bool { read.load(ordering: .acquiring) }
    var aheadFrames: Int { writtenFrames.load(ordering: .relaxed) - playedFrames }

    /// Fills the ring. Thread: control or worker.
    func fill() {
        work.withLock { work in
            while work.signal != nil && work.producer.hasRoom(for: Self.blockFrames)
                && !isClosed.load(ordering: .relaxed)
            {
                do throws(SoundFileError) {
                    let (frames, broken) = try work.forwardBlock()
                    if frames == 0 && work.signal?.isDry == true { return }
                    writtenFrames.add(frames, ordering: .relaxed)
                    unsafe counters.pointer.pointee.nonFiniteSamples.add(UInt64(broken), ordering: .relaxed)
                } catch {
                    failed.withLock { $0 = error }
                    work.signal = nil
                }
            }
            // Also while it is read: a run of known length may end before the file's end is read.
            let flaws = work.signal?.flaws ?? work.flaws
            if !flaws.isEmpty { foundFlaws.withLock { $0 = flaws } }
            if work.signal == nil { read.store(true, ordering: .releasing) }
        }
    }

    /// Has the player know that nothing comes behind what was read. What follows without a gap must be decided.
    func publishEnd() {
        work.withLock { work in
            guard !work.isPublished else { return }
            work.isPublished = true
            unsafe cell.pointer.pointee.end(after: writtenFrames.load(ordering: .relaxed))
        }
    }

    /// Closes the file. What is in the ring may still be played.
    func close() {
        isClosed.store(true, ordering: .relaxed)
        work.withLock { $0.signal = nil }
        publishEnd()
        playback.end(self)
    }
}

extension PlayedFeed.Work {
    /// Moves a block of the signal to the ring, which has room for it; returns its length, and how many samples were not finite.
    fileprivate mutating func forwardBlock() throws(SoundFileError) -> (frames: Int, broken: Int) {
        guard let channels = signal?.channels, let frames = try signal?.read(PlayedFeed.blockFrames, into: &block),
            frames > 0
        else {
            if let signal, !signal.isDry {
                flaws = signal.flaws
                self.signal = nil
            }
            return (0, 0)
        }
        var broken = 0
        for channel in 0..<channels {
            for frame in 0..<frames { plane[frame] = block[frame * channels + channel] }
            broken += producer.copyFinite(from: &plane, count: frames, channel: channel)
        }
        producer.publish(frames)
        return (frames, broken)
    }
}
