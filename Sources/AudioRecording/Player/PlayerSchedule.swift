import AudioFiles
import AudioRealtime
import Synchronization

/// What a player has to play, on its way to the audio thread.
///
/// Thread: any but audio, one at a time.
struct PlayerSchedule: ~Copyable {
    private(set) var side: Side?
    /// In hertz; `nil` until it is known.
    private(set) var sampleRate: Int?
    private var wantedRate: Int?
    /// What waits to be handed over, in the order of the frames.
    private var waiting: [ScheduledCue] = []
    private var handed: [ScheduledCue] = []
    /// So many things may wait to be played.
    static let limit = 1 << 16
    /// Of them no less than wait: what is over by now is taken off where they seem to be too many.
    private var count = 0
    /// Orders for which there is no room yet.
    private(set) var outbox: [PlayerOrder] = []
    /// What `afterPrevious` follows.
    private var previous: ScheduledCue?
    /// What is played with JACK's transport.
    var timeline = TransportTimeline()
    /// Why the last thing that failed did. Who asks it for that does not wait for a file that is opened.
    let lastFailure = LastFailure()
    var failure: SoundFileError? { lastFailure.value }

    /// Whether there is nothing to play, now or later.
    var isIdle: Bool { waiting.isEmpty && handed.isEmpty }

    /// The player was attached.
    mutating func begin(_ side: consuming Side) {
        self.side = consume side
        sampleRate = nil
        wantedRate = nil
    }

    /// What the audio thread has at present, or soon will, in hertz. Taken over by `work`.
    mutating func follow(sampleRate: Int) { wantedRate = sampleRate }
    var isWaitingForRate: Bool { sampleRate == nil }

    /// Nothing is played any more; all files are closed.
    mutating func end() {
        side?.abandon()
        for cue in waiting + handed { cue.close() }
        side = nil
        waiting = []
        handed = []
        outbox = []
        previous = nil
    }
}

// What is to be played.
extension PlayerSchedule {
    /// One after the other, the first at `start`.
    mutating func play(_ playbacks: [Playback], at start: Player.Start) {
        for (number, playback) in playbacks.enumerated() { place(playback, at: number == 0 ? start : .afterPrevious) }
        work()
    }

    private mutating func place(_ playback: Playback, at start: Player.Start) {
        guard takesOneMore() else { return playback.drop(failure) }
        let piece = ScheduledPiece(playback: playback)
        switch start {
        case .now: insert(ScheduledCue(frame: 0, pieces: [piece]))
        case .frame(let frame): insert(ScheduledCue(frame: frame, pieces: [piece]))
        case .afterPrevious:
            if let previous, !previous.isDone, !previous.isStop {
                previous.pieces.append(piece)
            } else {
                insert(ScheduledCue(frame: previous.map { $0.isStop ? $0.frame : 0 } ?? 0, pieces: [piece]))
            }
        }
    }

    /// What is heard at present, or begins with the next block.
    mutating func current() -> Playback? { currentCue()?.current?.playback }

    private mutating func currentCue() -> ScheduledCue? {
        let position = side?.position ?? 0
        let cue = handed.last { $0.frame <= position && !$0.isDone && $0.transport == nil }
        return cue?.isStop == true ? nil : cue
    }

    /// Goes on at another time of what is heard, with all that follows it; returns whether there is such a thing.
    ///
    /// - Parameter seconds: from where it was given to begin.
    mutating func seek(to seconds: Double) -> Bool {
        collect()
        guard let cue = currentCue(), let feed = cue.current, feed.playback.isSeekable else { return false }
        let isBegun = feed.hasBegun
        var rest = cue.takeRest()
        guard !rest.isEmpty else { return false }
        rest[0].heardSeconds = max(0, seconds - feed.playback.item.startSeconds)
        let next = ScheduledCue(frame: 0, pieces: rest, fadesIn: isBegun)
        if previous === cue { previous = next }
        waiting.insert(next, at: 0)
        work()
        return true
    }

    /// Takes back what was scheduled and is not being read yet; returns how many were there.
    mutating func cancel(_ playbacks: [Playback]) -> Int {
        let wanted = Set(playbacks.map { ObjectIdentifier($0) })
        var count = 0
        for cue in waiting + handed {
            let taken = cue.pieces.filter { wanted.contains(ObjectIdentifier($0.playback)) }
            guard !taken.isEmpty else { continue }
            // A cue without pieces would be a stop.
            if taken.count == cue.pieces.count && cue.feeds.isEmpty {
                waiting.removeAll { $0 === cue }
                if previous === cue { previous = nil }
            }
            cue.pieces.removeAll { wanted.contains(ObjectIdentifier($0.playback)) }
            for piece in taken { piece.playback.drop() }
            count += taken.count
        }
        return count
    }

    mutating func stop(at frame: UInt64) {
        let first = frame == 0 ? 0 : place(behind: frame - 1)
        for cue in waiting[first...] { cue.close() }
        waiting.removeSubrange(first...)
        guard side != nil else { return previous = nil }
        // Of two cancels in a row the earlier frame counts. So they stay one order, however long nothing takes it.
        if case .cancel(let last) = outbox.last {
            outbox[outbox.count - 1] = .cancel(from: min(last, frame))
        } else {
            outbox.append(.cancel(from: frame))
        }
        if takesOneMore() { insert(ScheduledCue(frame: frame, pieces: [])) }
        work()
    }

    private mutating func takesOneMore() -> Bool {
        if count >= Self.limit { count = (waiting + handed).reduce(0) { $0 + max(1, $1.pieces.count) } }
        guard count < Self.limit else {
            let reason = "\(Self.limit) others wait to be played; give them to the player when their time comes"
            lastFailure.note(SoundFileError(.io, "play", "one more sound", reason))
            return false
        }
        count += 1
        return true
    }

    private mutating func insert(_ cue: ScheduledCue) {
        waiting.insert(cue, at: place(behind: cue.frame))
        previous = cue
    }

    /// Of the first that begins behind a frame. Many may wait, so half of those in question are ruled out at a time.
    private func place(behind frame: UInt64) -> Int {
        var range = 0..<waiting.count
        while !range.isEmpty {
            let middle = (range.lowerBound + range.upperBound) / 2
            range = waiting[middle].frame > frame ? range.lowerBound..<middle : middle + 1..<range.upperBound
        }
        return range.lowerBound
    }
}

// What has to be done beside the audio thread.
extension PlayerSchedule {
    /// Does what is due.
    ///
    /// - Parameter frame: of the engine's, the one before which it is about to render, where that is known.
    mutating func work(to frame: UInt64 = 0) {
        collect()
        guard side != nil else { return }
        followRate()
        for index in handed.indices { lengthen(handed[index]) }
        prime()
        handOver(to: frame)
    }

    /// What is being read.
    var feeds: [PlayedFeed] { handed.compactMap(\.feeds.last) }

    private mutating func collect() {
        let isDone = handed.map(\.isDone)
        for (cue, isDone) in zip(handed, isDone) {
            // What was appended while the last frames were heard begins at once.
            if isDone, previous === cue, !cue.pieces.isEmpty, cue.feeds.last?.hasEnded == true {
                let rest = ScheduledCue(frame: 0, pieces: cue.pieces)
                cue.pieces = []
                previous = rest
                waiting.insert(rest, at: 0)
            }
            let spent = cue.takeSpent(isDone)
            for feed in spent { side?.keeper.release(feed.cell) }
            if let last = (spent + cue.feeds).compactMap(\.failure).last { lastFailure.note(last) }
            if isDone, let cell = cue.cell { side?.keeper.release(cell) }
        }
        handed = zip(handed, isDone).filter { !$0.1 }.map(\.0)
    }

    /// Goes on at another sample rate, at the same time of what is played.
    private mutating func followRate() {
        guard let wantedRate, wantedRate != sampleRate else { return }
        sampleRate = wantedRate
        timeline.forget()
        for cue in handed where cue.transport == nil {
            guard !cue.isStop, cue.unwind() else { continue }
            lengthen(cue)
            // SAFETY: here and below, the keeper keeps both.
            if let cell = cue.cell, let feed = cue.feeds.first {
                unsafe outbox.append(.move(cell.pointer, to: feed.cell.pointer))
            }
        }
    }

    /// Hands over what begins within the next second, as far as there is room.
    private mutating func handOver(to frame: UInt64) {
        guard let sampleRate, let position = side?.position else { return }
        flush()
        let end = max(position, frame) + UInt64(sampleRate)
        while handed.count < PlayerState.capacity, let cue = waiting.first, cue.frame < end {
            waiting.removeFirst()
            hand(cue)
        }
        side?.noteHorizon(waiting.first?.frame ?? .max)
    }

    private mutating func hand(_ cue: ScheduledCue) {
        lengthen(cue)
        let cell = cue.makeCell()
        side?.keeper.keep(cell)
        unsafe outbox.append(.cue(cell.pointer))
        handed.append(cue)
        flush()
    }

    /// Makes ready what the transport wants, where that is another frame than the one that is ready.
    private mutating func prime() {
        guard let sampleRate, handed.count < PlayerState.capacity, let frame = side?.wantedTransportFrame,
            timeline.takes(frame, atPosition: side?.position ?? 0)
        else { return }
        let pieces = timeline.pieces(from: frame, sampleRate: sampleRate)
        let place = TransportPlace(frame: UInt32(truncatingIfNeeded: frame), sampleRate: sampleRate)
        hand(ScheduledCue(frame: 0, pieces: pieces, transport: place))
    }

    private mutating func flush() {
        while let order = outbox.first, side?.push(order) == true { outbox.removeFirst() }
    }

    /// Opens what comes next in a cue, as far as its time has come.
    private mutating func lengthen(_ cue: ScheduledCue) {
        guard let sampleRate, let channels = side?.channels, let counters = side?.counters, !cue.isStop else { return }
        while true {
            let last = cue.feeds.last
            if let last {
                guard last.isRead else { return }
                if cue.pieces.isEmpty { return last.publishEnd() }
                let ahead = cue.feeds.reduce(0) { $0 + $1.aheadFrames }
                if ahead >= PlayedFeed.ringFrames(sampleRate: sampleRate) { return }
            }
            guard !cue.pieces.isEmpty else { return }
            let piece = cue.pieces.removeFirst()
            let feed = PlayedFeed(
                piece.playback, sampleRate: sampleRate, channels: channels, from: piece.heardSeconds,
                continues: piece.continues, counters: counters)
            side?.keeper.keep(feed.cell)
            // SAFETY: the cell keeps it.
            if let last, unsafe !last.cell.pointer.pointee.follow(with: feed.cell) {
                // It came to its end a moment ago: what follows begins at once.
                piece.playback.pause(feed)
                feed.close()
                side?.keeper.release(feed.cell)
                let rest = ScheduledCue(frame: 0, pieces: [piece] + cue.pieces)
                cue.pieces = []
                if previous === cue { previous = rest }
                return waiting.insert(rest, at: 0)
            }
            cue.feeds.append(feed)
            last?.publishEnd()
        }
    }
}

/// Why something could not be played.
final class LastFailure: Sendable {
    private let last = Mutex<SoundFileError?>(nil)

    var value: SoundFileError? { last.withLock { $0 } }
    func note(_ failure: SoundFileError) { last.withLock { $0 = failure } }
}
