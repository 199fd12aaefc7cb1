import AudioDSP
import AudioRealtime

/// What was heard, on its way from the rings of a `ProbeCapture` to the estimators: rounds of the signal.
///
/// A sample's place in its round is its frame time, so that a round may begin anywhere. A gap of the frame clock
/// voids the round that it is in, as a disturbance does, and another sample rate all that was heard before: the way's length in frames, and how
/// long a frame lasts, are those of one rate.
package struct ProbeGathering: ~Copyable {
    private var samples: FrameConsumer
    private var records: Consumer<CycleRecord>
    private let signal: ProbeSignal
    /// The oldest cycle whose samples were not all read yet.
    private var pending: CycleRecord?
    private var blocks: [[Float]]
    /// One for each input.
    package private(set) var estimators: [LatencyEstimator]
    private var hasBegun = false

    /// A round that was heard, and waits until it is certain that nothing disturbed it.
    private struct Round {
        var blocks: [[Float]]
        var endFrameTime: UInt32
        /// Which `collect` completed it.
        var collected: Int
    }

    private var waiting: [Round] = []
    private static let mostWaiting = 256
    private let settling: Int
    /// Calls of `collect`.
    private var collected = 0
    /// Frames of the round that are there.
    private var filled = 0
    /// Frames yet to be passed over.
    private var skipped = 0
    private var expectedFrameTime: UInt32?
    /// All that has come from the audio thread.
    package private(set) var heardFrames: UInt64 = 0
    /// Rounds that a gap of the frame clock or a disturbance made void.
    package private(set) var brokenRounds = 0
    /// Where the last of them was broken.
    private var lastBreak: UInt32?
    /// How often everything began again, because the period or the sample rate had changed.
    package private(set) var restarts = 0
    /// The server's while it was heard what the estimators know, in hertz; `nil` before the first cycle that tells it.
    package private(set) var sampleRate: Int?

    /// - Parameter settling: a round counts so many calls of `collect` later, unless `disturb` comes before; at 0 it
    ///   counts at once.
    package init(
        samples: consuming FrameConsumer, records: consuming Consumer<CycleRecord>, signal: ProbeSignal,
        settling: Int = 0
    ) {
        self.settling = settling
        let inputs = samples.channels
        self.samples = samples
        self.records = records
        self.signal = signal
        blocks = [[Float]](repeating: [Float](repeating: 0, count: signal.lengthFrames), count: inputs)
        estimators = (0..<inputs).map { _ in LatencyEstimator(signal) }
    }

    /// Drops what was heard and begins again.
    package mutating func begin() {
        drop()
        hasBegun = true
        forget()
    }

    /// Passes over what is in the rings and the rounds that wait.
    private mutating func drop() {
        waiting = []
        hasBegun = false
        collect()
    }

    /// Leaves out what was heard lately and comes within a round from now: something else was heard with the signal.
    /// Rounds that count already stay.
    package mutating func disturb() {
        guard hasBegun else { return }
        brokenRounds += waiting.count
        if let expectedFrameTime { breakRound(at: expectedFrameTime) }
        drop()
        hasBegun = true
        skipped = signal.lengthFrames
    }

    /// Takes nothing of what is heard from now on. What was found stays as it is.
    package mutating func end() {
        for round in waiting { estimate(round.blocks, round.endFrameTime) }
        waiting = []
        hasBegun = false
    }

    /// Begins again if it had begun: the way is perhaps another one now.
    package mutating func restart() {
        guard hasBegun else { return }
        begin()
        restarts += 1
    }

    private mutating func forget() {
        filled = 0
        waiting = []
        // What is sent from now on may be a whole round late.
        skipped = signal.lengthFrames
        (brokenRounds, lastBreak) = (0, nil)
        for input in estimators.indices { estimators[input] = LatencyEstimator(signal) }
    }

    /// Notes the rate of the next cycle.
    private mutating func follow(sampleRate rate: Int) {
        if let sampleRate, rate != sampleRate {
            forget()
            restarts += 1
        }
        sampleRate = rate
    }

    /// Takes everything that is in the rings.
    ///
    /// - Parameter isInterrupted: asked before each cycle; ends it early. To estimate may take longer than to hear.
    package mutating func collect(unless isInterrupted: () -> Bool = { false }) {
        collected += 1
        while let round = waiting.first, collected - round.collected >= settling, !isInterrupted() {
            estimate(round.blocks, round.endFrameTime)
            waiting.removeFirst()
        }
        while !isInterrupted(), waiting.count < Self.mostWaiting, let record = pending ?? records.pop() {
            pending = record
            let frames = Int(record.frames)
            // The record comes first, its samples a moment later.
            guard samples.available(wanting: frames) >= frames else { return }
            pending = nil
            take(record)
        }
    }

    private mutating func take(_ record: CycleRecord) {
        if hasBegun, record.sampleRate > 0 { follow(sampleRate: Int(record.sampleRate)) }
        if let expectedFrameTime, expectedFrameTime != record.frameTime { breakRound(at: record.frameTime) }
        expectedFrameTime = record.frameTime &+ record.frames
        heardFrames += UInt64(record.frames)
        var taken = 0
        let frames = Int(record.frames)
        while taken < frames {
            let time = record.frameTime &+ UInt32(taken)
            let place = Int(time) & (signal.lengthFrames - 1)
            let left = min(frames - taken, signal.lengthFrames - place)
            let passedOver = hasBegun ? min(left, skipped) : left
            if passedOver > 0 {
                samples.release(passedOver)
                if hasBegun { skipped -= passedOver }
                taken += passedOver
                continue
            }
            let count = min(left, signal.lengthFrames - filled)
            read(count, to: place)
            taken += count
            filled += count
            if filled == signal.lengthFrames { complete(endFrameTime: time &+ UInt32(count)) }
        }
    }

    /// What was heard of a round is void. However often that happens within the time of one, it is one that is missing.
    private mutating func breakRound(at frameTime: UInt32) {
        guard filled > 0 else { return }
        filled = 0
        if let lastBreak, frameTime &- lastBreak < UInt32(signal.lengthFrames) { return }
        lastBreak = frameTime
        brokenRounds += 1
    }

    private mutating func read(_ count: Int, to place: Int) {
        for input in blocks.indices {
            unsafe blocks[input].withUnsafeMutableBufferPointer { block in
                guard let base = block.baseAddress else { return }
                // SAFETY: the caller stays within a round.
                samples.read(into: unsafe Samples(base + place, count: count), channel: input)
            }
        }
        samples.release(count)
    }

    private mutating func complete(endFrameTime: UInt32) {
        filled = 0
        guard settling > 0 else { return estimate(blocks, endFrameTime) }
        waiting.append(Round(blocks: blocks, endFrameTime: endFrameTime, collected: collected))
    }

    private mutating func estimate(_ blocks: [[Float]], _ endFrameTime: UInt32) {
        for input in blocks.indices { estimators[input].add(blocks[input], endFrameTime: endFrameTime) }
    }
}
