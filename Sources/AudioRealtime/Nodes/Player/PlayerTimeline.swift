import AudioDSP

/// What a player plays with JACK's transport: the cue that waits for its frame, and where what plays has come to.
@safe struct PlayerTimeline: BitwiseCopyable {
    /// Made ready by the worker, for its frame of the transport. Its feed is full.
    private(set) var primed: UnsafeMutablePointer<PlayerCue>?
    /// The transport's frame that what plays gives next; `nil` while nothing is played with the transport.
    var next: Int?

    /// A cue takes the place of the one that waited. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    mutating func prime(_ cue: UnsafeMutablePointer<PlayerCue>) {
        // SAFETY: here and below, the keeper of the player keeps cues.
        unsafe primed?.pointee.leave()
        unsafe primed = cue
    }

    /// Where the cue that waits begins.
    var primedPlace: TransportPlace? { @_noLocks @_noAllocation get { unsafe primed?.pointee.transport } }

    /// The cue that waited begins at its frame. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    mutating func takePrimed() -> UnsafeMutablePointer<PlayerCue>? {
        next = nil
        if let place = primedPlace { next = Int(place.frame) }
        let cue = unsafe primed
        unsafe primed = nil
        return unsafe cue
    }

    /// Frames of silence were played, because the worker was late or a pause lasts: what plays lags behind. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    mutating func note(late frames: Int) { if let next { self.next = next - frames } }

    /// A block was played. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    mutating func advance(by frames: Int) { if let next { self.next = next + frames } }
}

extension PlayerState {
    /// Has what is played go with the transport, from the first frame of a block on: it begins, is left, or skips what it is
    /// late by. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    mutating func follow(_ block: borrowing TapBlock, _ rampFrames: Int) {
        guard unsafe counters.pointee.followsTransport.load(ordering: .relaxed), let transport = block.transport else {
            return leaveTimeline(at: block.position, rampFrames: rampFrames)
        }
        let (frame, position) = (Int(transport.frame), block.position)
        if let next = timeline.next, !transport.isRolling || !skip(frame - next, at: position) {
            leaveVoice(at: position, rampFrames)
            timeline.next = nil
        }
        if transport.isRolling, timeline.next == nil, isPrimed(for: frame, isRolling: true),
            let cue = unsafe timeline.takePrimed()
        {
            // What plays without the transport.
            leaveVoice(at: position, rampFrames)
            unsafe sound(cue, rampFrames)
            if let next = timeline.next, !skip(frame - next, at: position) {
                leaveVoice(at: position, 0)
                timeline.next = nil
            }
        }
        if transport.isRolling, timeline.next == nil, !isHeld {
            unsafe counters.pointee.underrunFrames.count(UInt64(block.frames))
        }
        let isServed = timeline.next != nil || isPrimed(for: frame, isRolling: transport.isRolling)
        unsafe counters.pointee.wantedTransportFrame.store(isServed ? -1 : frame, ordering: .releasing)
    }

    /// Whether it plays from this frame of the transport on, or can. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    mutating func isReady(forTransportFrame frame: UInt32) -> Bool {
        guard unsafe counters.pointee.followsTransport.load(ordering: .relaxed) else { return true }
        if unsafe counters.pointee.isAbandoned.load(ordering: .relaxed) { return true }
        takeOrders()
        if isPrimed(for: Int(frame), isRolling: false) { return true }
        unsafe counters.pointee.wantedTransportFrame.store(Int(frame), ordering: .releasing)
        return false
    }

    /// Whether the worker has still to make ready what the transport wants, so that a freewheeling server waits for it. JACK's sync
    /// timeout counts cycles, and is over in a moment there. Thread: audio. Wait-free.
    var lacksTransportCue: Bool {
        @_noLocks @_noAllocation get {
            guard unsafe counters.pointee.followsTransport.load(ordering: .relaxed) else { return false }
            let wanted = unsafe counters.pointee.wantedTransportFrame.load(ordering: .relaxed)
            return wanted >= 0 && !isPrimed(for: wanted, isRolling: false)
        }
    }

    /// Nothing is played with the transport any more, nor waits for it. Thread: audio, or control while nothing is processed.
    @_noLocks @_noAllocation
    mutating func leaveTimeline(at position: UInt64, rampFrames: Int) {
        if timeline.next != nil { leaveVoice(at: position, rampFrames) }
        if let cue = unsafe timeline.takePrimed() { unsafe cue.pointee.leave() }
        timeline.next = nil
    }

    /// Whether the cue that waits begins at this frame, or of a transport that rolls by now, less than a second before it. One that
    /// was made ready before the server changed its rate does not.
    @_noLocks @_noAllocation
    private func isPrimed(for frame: Int, isRolling: Bool) -> Bool {
        guard let place = timeline.primedPlace, place.sampleRate == sampleRate else { return false }
        let first = Int(place.frame)
        return isRolling ? first <= frame && frame - first < sampleRate : first == frame
    }

    /// Leaves out frames of what plays; returns whether it has come so far.
    ///
    /// - Parameter position: of the block before which that is: what has its end among them has ended by then.
    @_noLocks @_noAllocation
    private mutating func skip(_ frames: Int, at position: UInt64) -> Bool {
        guard frames >= 0 else { return false }
        var rest = frames
        while rest > 0 {
            // Behind the end of all that there is, silence goes on.
            guard voiceCount > 0, unsafe !voices.base[voiceCount - 1].isLeaving,
                let feed = unsafe voices.base[voiceCount - 1].cue.pointee.feed
            else { break }
            guard unsafe feed.pointee.sampleRate == sampleRate else { return false }
            let total = unsafe feed.pointee.total
            let part = unsafe min(rest, feed.pointee.consumer.available(wanting: rest))
            if part > 0 { unsafe feed.pointee.note(played: part) }
            rest -= part
            if total >= 0, unsafe feed.pointee.readFrames >= total {
                if let next = unsafe feed.pointee.close() {
                    unsafe voices.base[voiceCount - 1].cue.pointee.feed = next
                    unsafe feed.pointee.leave()
                } else {
                    noteEnd(at: position)
                    drop(voiceCount - 1)
                }
            } else if part == 0 {
                return false
            }
        }
        timeline.advance(by: frames)
        return true
    }
}
