import AudioDSP

/// The taps of a unit, in room for a few that is allocated once.
@safe package struct TapList: ~Copyable {
    package static var capacity: Int { @_noLocks @_noAllocation get { 4 } }

    private let taps: UnsafeMutablePointer<TapWriter>
    package private(set) var count = 0

    package init() { unsafe taps = .allocate(capacity: Self.capacity) }

    deinit {
        // SAFETY: the first `count` were initialised by `append`.
        unsafe taps.deinitialize(count: count)
        unsafe taps.deallocate()
    }

    /// Adds a tap. Thread: control, while nothing is rendered.
    package mutating func append(_ tap: consuming TapWriter) {
        precondition(count < Self.capacity)
        // SAFETY: checked on the line above; the place was never initialised.
        unsafe (taps + count).initialize(to: tap)
        count += 1
    }

    /// Whether each tap has room for a block. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package func hasRoom(for frames: Int) -> Bool {
        // SAFETY: here and below, the first `count` are initialised.
        for tap in 0..<count where unsafe !taps[tap].hasRoom(for: frames) { return false }
        return true
    }

    /// Announces a block to each tap; returns how many frames were dropped. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    func begin(_ block: TapBlock) -> Int {
        var dropped = 0
        for tap in 0..<count { unsafe dropped += taps[tap].begin(block) }
        return dropped
    }

    @_noLocks @_noAllocation
    func write(_ block: Samples, channel: Int) {
        for tap in 0..<count { unsafe taps[tap].write(block, channel: channel) }
    }

    @_noLocks @_noAllocation
    func end() {
        for tap in 0..<count { unsafe taps[tap].end() }
    }
}
