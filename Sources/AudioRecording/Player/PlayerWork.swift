import AudioRealtime

// What has to be done beside the audio thread.
extension PlayerSchedule {
    /// Does what is due, but for what is to be opened before (`takeOpening`).
    ///
    /// - Parameter frame: of the engine's, the one before which it is about to render, where that is known.
    mutating func work(to frame: UInt64 = 0) {
        collect()
        guard side != nil else { return }
        if opening?.cue == nil { opening = nil }
        followRate()
        for index in handed.indices {
            lengthen(handed[index])
            move(handed[index])
        }
        prime()
        handOver(to: frame)
    }

    /// What is to be opened by the caller, who must then tell that it is; `nil` for nothing, or where another caller is at it.
    mutating func takeOpening() -> PlayerOpening? { opening?.begin() == true ? opening : nil }

    /// It is opened. Where nothing waits for it any more, it goes.
    mutating func end(_ opened: PlayerOpening) {
        guard opening === opened else { return }
        opened.cue?.opened.append(opened)
        opening = nil
    }

    /// What is being read.
    var feeds: [PlayedFeed] { handed.compactMap(\.feeds.last) }

    private mutating func collect() {
        let isDone = handed.map(\.isDone)
        let position = side?.position ?? 0
        for (cue, isDone) in zip(handed, isDone) {
            // What was appended while the last frames were heard begins at once.
            // So it is where something else was scheduled for a later frame since then.
            let isLast =
                previous === cue
                || ((previous?.frame ?? 0) > position && handed.last { $0.frame <= position } === cue)
            if isDone, isLast, !cue.pieces.isEmpty, cue.feeds.last?.hasEnded == true {
                let rest = cue.split()
                if previous === cue { previous = rest }
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
        primed = nil
        for cue in handed where cue.transport == nil && !cue.isStop { cue.unwind() }
    }

    /// Has the audio thread go on with what was opened at another rate.
    private mutating func move(_ cue: ScheduledCue) {
        guard cue.isUnwound, let cell = cue.cell, let feed = cue.feeds.first else { return }
        cue.isUnwound = false
        // SAFETY: here and below, the keeper keeps both.
        unsafe outbox.append(.move(cell.pointer, to: feed.cell.pointer))
    }

    /// Hands over what begins within the next second, as far as there is room.
    private mutating func handOver(to frame: UInt64) {
        guard let sampleRate, let position = side?.position else { return }
        flush()
        let end = max(position, frame) + UInt64(sampleRate)
        while handed.count < PlayerState.capacity, let cue = waiting.first, cue.frame < end, hand(cue) {
            waiting.removeFirst()
        }
        noteHorizon()
    }

    /// Returns whether it was handed over, as it is once its beginning is opened.
    private mutating func hand(_ cue: ScheduledCue) -> Bool {
        guard isOpened(cue) else { return false }
        lengthen(cue)
        let cell = cue.makeCell()
        side?.keeper.keep(cell)
        unsafe outbox.append(.cue(cell.pointer))
        handed.append(cue)
        flush()
        return true
    }

    /// Makes ready what the transport wants, where that is another frame than the one that is ready.
    private mutating func prime() {
        guard let sampleRate, handed.count < PlayerState.capacity, let frame = side?.wantedTransportFrame else {
            return
        }
        let position = side?.position ?? 0
        let place = TransportPlace(frame: UInt32(truncatingIfNeeded: frame), sampleRate: sampleRate)
        // One that rolls wants another frame with each block, and skips into what begins less than a second before it.
        let first = primed?.transport.map { Int($0.frame) }
        if first.map({ $0 <= frame && frame - $0 < sampleRate }) != true {
            guard timeline.takes(frame, atPosition: position) else { return }
            primed = ScheduledCue(
                frame: 0, pieces: timeline.pieces(from: frame, sampleRate: sampleRate), transport: place)
        }
        guard let cue = primed, hand(cue) else { return }
        primed = nil
        timeline.noteTaken(cue.transport.map { Int($0.frame) } ?? frame, atPosition: position)
    }

    private mutating func flush() {
        while let order = outbox.first, side?.push(order) == true { outbox.removeFirst() }
    }

    /// Adds what comes next to a cue, as far as its time has come and it is opened.
    private mutating func lengthen(_ cue: ScheduledCue) {
        guard let sampleRate, !cue.isStop else { return }
        while true {
            let last = cue.feeds.last
            if let last {
                guard last.isRead else { return }
                if cue.pieces.isEmpty { return last.publishEnd() }
                let ahead = cue.feeds.reduce(0) { $0 + $1.aheadFrames }
                if ahead >= PlayedFeed.ringFrames(sampleRate: sampleRate) { return }
            }
            guard !cue.pieces.isEmpty, let feed = opened(0, of: cue) else { return }
            side?.keeper.keep(feed.cell)
            // SAFETY: the cell keeps it.
            if let last, unsafe !last.cell.pointer.pointee.follow(with: feed.cell) {
                // It came to its end a moment ago: what follows begins at once.
                side?.keeper.release(feed.cell)
                let rest = cue.split()
                if previous === cue { previous = rest }
                return waiting.insert(rest, at: 0)
            }
            cue.pieces.removeFirst().playback.begin(feed)
            cue.opened.removeFirst()
            cue.feeds.append(feed)
            last?.publishEnd()
        }
    }

    /// Whether a second of what a cue begins with is opened, be that in several files. Else the next of them is going to be.
    private mutating func isOpened(_ cue: ScheduledCue) -> Bool {
        guard let sampleRate else { return false }
        var ahead = 0
        for place in cue.pieces.indices where ahead < PlayedFeed.ringFrames(sampleRate: sampleRate) {
            guard let feed = opened(place, of: cue) else { return false }
            guard feed.isRead else { return true }
            ahead += feed.aheadFrames
        }
        return true
    }

    /// What is opened of one of a cue's pieces. Where nothing is, it is going to be.
    private mutating func opened(_ place: Int, of cue: ScheduledCue) -> PlayedFeed? {
        guard let sampleRate, let channels = side?.channels, let counters = side?.counters else { return nil }
        if place < cue.opened.count {
            if cue.opened[place].isOf(cue.pieces[place], sampleRate: sampleRate) { return cue.opened[place].feed }
            // Something else is to be played there by now.
            cue.opened.removeSubrange(place...)
        }
        if opening == nil {
            opening = PlayerOpening(
                cue.pieces[place], for: cue, sampleRate: sampleRate, channels: channels, counters: counters)
        }
        return nil
    }
}
