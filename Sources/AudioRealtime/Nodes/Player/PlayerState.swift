import AudioDSP
import Synchronization

/// A player node on the audio thread: plays frames that a worker has put into rings, from the frame on that a cue names.
///
/// One thing plays at a time. What a cue ends fades out over the length of a ramp; what begins is heard from its first frame as
/// it is. Feeds that have too little play silence, which is counted, and go on with the next frame. At another sample rate than
/// its own, a feed plays silence and keeps its place. A pause fades out what plays, which then keeps its place too.
@safe package struct PlayerState: ~Copyable {
    /// So many cues may be undone.
    package static var capacity: Int { @_noLocks @_noAllocation get { 64 } }
    /// So many things sound at once: what plays, and what fades out. Beyond that, the one that has faded the longest is cut.
    static var voiceCapacity: Int { @_noLocks @_noAllocation get { 16 } }

    @safe struct Voice: BitwiseCopyable {
        let cue: UnsafeMutablePointer<PlayerCue>
        var level: Ramp
        var isLeaving = false
    }

    private var orders: Consumer<PlayerOrder>
    private let countersCell: Cell<PlayerCounters>
    let counters: UnsafeMutablePointer<PlayerCounters>
    /// Keeps the cues and feeds that were handed over.
    private let keeper: AnyObject
    /// What is still to come, in the order of the frames; cues of one frame in the order in which they were told.
    private let coming = unsafe Row<UnsafeMutablePointer<PlayerCue>>(zeros: PlayerState.capacity)
    private var comingCount = 0
    /// What sounds; the last one plays, unless it fades out too.
    let voices = Row<Voice>(zeros: PlayerState.voiceCapacity)
    var voiceCount = 0
    private(set) var sampleRate: Int
    /// 0 while a pause lasts.
    var pause = Ramp(1)
    /// What is played with JACK's transport.
    var timeline = PlayerTimeline()
    /// Of the next block.
    private var nextPosition: UInt64 = 0

    /// - Parameters:
    ///   - keeper: keeps each cue and feed until it is done or spent.
    ///   - sampleRate: in hertz.
    package init(
        orders: consuming Consumer<PlayerOrder>, counters: Cell<PlayerCounters>, keeper: AnyObject, sampleRate: Int
    ) {
        self.orders = orders
        countersCell = counters
        unsafe self.counters = counters.pointer
        self.keeper = keeper
        self.sampleRate = sampleRate
    }

    /// What faded out is silent at once; what plays goes on where it was. Thread: control, while nothing is processed.
    package mutating func reset(sampleRate: Int) {
        self.sampleRate = sampleRate
        pause = Ramp(pauseTarget)
        leaveTimeline(at: nextPosition, rampFrames: 0)
        dropLeaving()
    }

    /// Takes over another sample rate, in hertz. Between two blocks. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    mutating func changeRate(to sampleRate: Int) {
        // Frames of the timeline are others at another rate.
        if sampleRate != self.sampleRate { leaveTimeline(at: nextPosition, rampFrames: 0) }
        self.sampleRate = sampleRate
    }

    /// Whether the worker has delivered all that the next frames need, so that a freewheeling server need not wait.
    ///
    /// - Parameters:
    ///   - frames: length of the next cycle.
    ///   - reserve: how many frames are to be left behind it. A server that stops to freewheel wants the next cycle in time, and
    ///     finds no worker that has been waited for.
    ///
    /// Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    mutating func isReady(for frames: Int, reserve: Int) -> Bool {
        if unsafe counters.pointee.isAbandoned.load(ordering: .relaxed) { return true }
        takeOrders()
        if isHeld { return true }
        if lacksTransportCue { return false }
        let end = nextPosition + UInt64(frames)
        if comingCount + voiceCount < Self.capacity, unsafe counters.pointee.horizon.load(ordering: .acquiring) < end {
            return false
        }
        for index in 0..<voiceCount where unsafe !voices.base[index].isLeaving {
            if unsafe !isFed(voices.base[index].cue, with: frames + reserve) { return false }
        }
        for index in 0..<comingCount where unsafe coming.base[index].pointee.frame < end {
            if unsafe !isFed(coming.base[index], with: frames + reserve) { return false }
        }
        return true
    }

    private var pauseTarget: Float {
        // SAFETY: here and below, the cells keep counters, the keeper cues and feeds; an index stays below its count.
        @_noLocks @_noAllocation get { unsafe counters.pointee.isPaused.load(ordering: .relaxed) ? 0 : 1 }
    }

    /// Whether what plays keeps its place; with JACK's transport, its time.
    var isHeld: Bool { @_noLocks @_noAllocation get { pause.target == 0 && pause.remaining == 0 } }

    private var isSounding: Bool {
        @_noLocks @_noAllocation get {
            for index in 0..<voiceCount {
                if let feed = unsafe voices.base[index].cue.pointee.feed,
                    unsafe feed.pointee.readFrames > 0 || feed.pointee.continues
                {
                    return true
                }
            }
            return false
        }
    }

    @_noLocks @_noAllocation
    func isFed(_ cue: UnsafeMutablePointer<PlayerCue>, with frames: Int) -> Bool {
        var wanted = frames
        var next = unsafe cue.pointee.feed
        while let feed = unsafe next {
            // It waits for a feed of the present rate, and takes nothing from this one.
            if unsafe feed.pointee.sampleRate != sampleRate { return true }
            let total = unsafe feed.pointee.total
            let available = unsafe feed.pointee.consumer.available(wanting: wanted)
            if available >= wanted { return true }
            if total < 0 { return false }
            wanted -= available
            unsafe next = feed.pointee.next
        }
        return true
    }

    /// Plays a block. Thread: audio. Wait-free.
    ///
    /// - Parameter scratch: a plane that nobody else uses.
    @_noLocks @_noAllocation
    mutating func process(
        _ planes: borrowing Planes, _ bundle: Bundle, _ block: borrowing TapBlock, scratch: Int, rampFrames: Int
    ) {
        takeOrders()
        follow(block, rampFrames)
        // Where nothing sounds there is nothing to fade, and what begins is heard from its first frame as it is.
        if pause.target != pauseTarget { pause.move(to: pauseTarget, over: isSounding ? rampFrames : 0) }
        let frames = Int(block.frames)
        var start = 0
        while start < frames {
            let position = block.position + UInt64(start)
            while comingCount > 0, unsafe coming.base[0].pointee.frame <= position { begin(at: position, rampFrames) }
            var count = frames - start
            if comingCount > 0 { count = unsafe Int(min(UInt64(count), coming.base[0].pointee.frame - position)) }
            for index in 0..<voiceCount where unsafe voices.base[index].isLeaving {
                count = unsafe min(count, voices.base[index].level.remaining)
            }
            if pause.remaining > 0 { count = min(count, pause.remaining) }
            sound(planes, bundle, from: start, count: count, position: position, scratch: scratch)
            start += count
        }
        timeline.advance(by: frames)
        nextPosition = block.position + UInt64(frames)
        unsafe counters.pointee.position.store(nextPosition, ordering: .relaxed)
    }
}

// Orders.
extension PlayerState {
    @_noLocks @_noAllocation
    mutating func takeOrders() {
        while let order = orders.pop() {
            switch order {
            case .cue(let cue): unsafe insert(cue)
            case .cancel(let frame):
                while comingCount > 0, unsafe coming.base[comingCount - 1].pointee.frame >= frame {
                    comingCount -= 1
                    unsafe coming.base[comingCount].pointee.leave()
                }
            case .move(let cue, let feed): unsafe move(cue, to: feed)
            }
        }
    }

    @_noLocks @_noAllocation
    private mutating func insert(_ cue: UnsafeMutablePointer<PlayerCue>) {
        if unsafe cue.pointee.transport != nil { return unsafe timeline.prime(cue) }
        precondition(comingCount < Self.capacity)
        var place = comingCount
        while place > 0, unsafe coming.base[place - 1].pointee.frame > cue.pointee.frame {
            unsafe coming.base[place] = coming.base[place - 1]
            place -= 1
        }
        unsafe coming.base[place] = cue
        comingCount += 1
    }

    @_noLocks @_noAllocation
    private func move(_ cue: UnsafeMutablePointer<PlayerCue>, to feed: UnsafeMutablePointer<PlayerFeed>) {
        // A cue that is done may be freed already: it is only looked for.
        var isThere = false
        for index in 0..<comingCount where unsafe coming.base[index] == cue { isThere = true }
        for index in 0..<voiceCount where unsafe voices.base[index].cue == cue { isThere = true }
        if isThere { unsafe cue.pointee.move(to: feed) }
    }

    /// Takes the first of the cues that are still to come. What plays fades out.
    @_noLocks @_noAllocation
    private mutating func begin(at position: UInt64, _ rampFrames: Int) {
        let cue = unsafe coming.base[0]
        comingCount -= 1
        for index in 0..<comingCount { unsafe coming.base[index] = coming.base[index + 1] }
        leaveVoice(at: position, rampFrames)
        unsafe sound(cue, rampFrames)
    }

    /// Fades out what plays.
    @_noLocks @_noAllocation
    mutating func leaveVoice(at position: UInt64, _ rampFrames: Int) {
        guard voiceCount > 0, unsafe !voices.base[voiceCount - 1].isLeaving else { return }
        unsafe counters.pointee.endPosition.store(Int(position), ordering: .releasing)
        unsafe voices.base[voiceCount - 1].isLeaving = true
        unsafe voices.base[voiceCount - 1].level.move(to: 0, over: rampFrames)
        if rampFrames == 0 { drop(voiceCount - 1) }
    }

    /// Plays a cue from the next frame on.
    @_noLocks @_noAllocation
    mutating func sound(_ cue: UnsafeMutablePointer<PlayerCue>, _ rampFrames: Int) {
        if unsafe cue.pointee.feed == nil { return unsafe cue.pointee.leave() }
        if voiceCount == Self.voiceCapacity { drop(0) }
        var level = Ramp(1)
        if unsafe cue.pointee.fadesIn {
            level = Ramp(0)
            level.move(to: 1, over: rampFrames)
        }
        unsafe voices.base[voiceCount] = Voice(cue: cue, level: level)
        voiceCount += 1
    }

    /// Cuts what fades out.
    @_noLocks @_noAllocation
    mutating func dropLeaving() {
        var index = 0
        while index < voiceCount {
            if unsafe voices.base[index].isLeaving { drop(index) } else { index += 1 }
        }
    }

    /// Silences a voice for good.
    @_noLocks @_noAllocation
    mutating func drop(_ index: Int) {
        unsafe voices.base[index].cue.pointee.leave()
        voiceCount -= 1
        for place in index..<voiceCount { unsafe voices.base[place] = voices.base[place + 1] }
    }
}
