import AudioFiles
import AudioRealtime

/// What a player has to play, on its way to the audio thread.
///
/// Thread: any but audio, one at a time.
struct PlayerSchedule: ~Copyable {
    var side: Side?
    /// In hertz; `nil` until it is known.
    var sampleRate: Int?
    var wantedRate: Int?
    /// What waits to be handed over, in the order of the frames.
    var waiting: [ScheduledCue] = []
    var handed: [ScheduledCue] = []
    /// So many things may wait to be played.
    static let limit = 1 << 16
    /// Of them no less than wait: what is over by now is taken off where they seem to be too many.
    private var count = 0
    /// Orders for which there is no room yet.
    var outbox: [PlayerOrder] = []
    /// What `afterPrevious` follows.
    var previous: ScheduledCue?
    /// What is played with JACK's transport.
    var timeline = TransportTimeline()
    /// What the transport wants, until it is opened.
    var primed: ScheduledCue?
    /// What is opened at present: without the lock that guards this, for a disk may hang.
    var opening: PlayerOpening?
    /// Why the last thing that failed did. Who asks it for that does not wait for a file that is opened.
    let lastFailure = LastFailure()
    var failure: SoundFileError? { lastFailure.value }

    /// Whether there is nothing to play, now or later.
    var isIdle: Bool { waiting.isEmpty && handed.isEmpty && primed == nil }

    /// The player was attached.
    mutating func begin(_ side: consuming Side) {
        self.side = consume side
        sampleRate = nil
        wantedRate = nil
        // What waits already is handed over by the worker, a moment later.
        noteHorizon()
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
        primed = nil
        opening = nil
    }
}

// What is to be played. None of it waits for a disk: `work` and what is opened are the worker's, where there is one.
extension PlayerSchedule {
    /// One after the other, the first at `start`.
    mutating func play(_ playbacks: [Playback], at start: Player.Start) {
        for (number, playback) in playbacks.enumerated() { place(playback, at: number == 0 ? start : .afterPrevious) }
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

    /// Plays things with JACK's transport from now on.
    mutating func follow(_ playbacks: [Playback]) {
        timeline.set(playbacks)
        primed = nil
    }

    /// What is heard at present, or begins with the next block.
    mutating func current() -> Playback? { currentCue()?.playback }

    /// The one that is heard, or is to be as soon as it is opened.
    private mutating func currentCue() -> ScheduledCue? {
        guard let position = side?.position, sampleRate != nil else { return nil }
        let cue =
            waiting.prefix { $0.frame <= position }.last
            ?? handed.last { $0.frame <= position && !$0.isDone && $0.transport == nil }
        return cue?.isStop == true ? nil : cue
    }

    /// Goes on at another time of what is heard, with all that follows it; returns whether there is such a thing.
    ///
    /// - Parameter seconds: from where it was given to begin.
    mutating func seek(to seconds: Double) -> Bool {
        guard var cue = currentCue(), let playback = cue.playback, playback.isSeekable else { return false }
        if let feed = cue.current {
            let isBegun = feed.hasBegun
            let rest = cue.takeRest()
            guard !rest.isEmpty else { return false }
            let next = ScheduledCue(frame: 0, pieces: rest, fadesIn: isBegun)
            if previous === cue { previous = next }
            waiting.insert(next, at: 0)
            noteHorizon()
            cue = next
        }
        cue.pieces[0].heardSeconds = max(0, seconds - playback.item.startSeconds)
        playback.place(at: cue.pieces[0].heardSeconds)
        return true
    }

    /// Takes back what was scheduled and is not being read yet; returns how many were there.
    mutating func cancel(_ playbacks: [Playback]) -> Int {
        let wanted = Set(playbacks.map { ObjectIdentifier($0) })
        var count = 0
        for cue in waiting + handed {
            // What is about to go on at another rate is being read.
            let kept = cue.isUnwound && cue.feeds.isEmpty ? 1 : 0
            let taken = cue.pieces.dropFirst(kept).filter { wanted.contains(ObjectIdentifier($0.playback)) }
            guard !taken.isEmpty else { continue }
            // A cue without pieces would be a stop.
            if taken.count == cue.pieces.count && cue.feeds.isEmpty {
                waiting.removeAll { $0 === cue }
                if previous === cue {
                    previous = (handed + waiting).last { $0 !== cue && !$0.isDone && $0.transport == nil }
                }
            }
            cue.pieces =
                cue.pieces.prefix(kept)
                + cue.pieces.dropFirst(kept).filter { !wanted.contains(ObjectIdentifier($0.playback)) }
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
        noteHorizon()
    }

    /// A freewheeling server waits where what begins is not handed over yet.
    func noteHorizon() { side?.noteHorizon(waiting.first?.frame ?? .max) }

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
