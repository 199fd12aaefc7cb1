/// Finds the gaps between the blocks of a tap from what the audio thread says of each. A pure function of that.
///
/// Most gaps are known when the block after them is seen. Only what a late cycle has cost is not: the server may catch up
/// with it. So from a late cycle on, blocks are held back until that is settled (see `LostTime`), sixteen cycles later
/// as a rule and 64 at the most, or 1024 where the server catches up with a long stall. In ordinary times nothing is held back.
///
/// All parts of a cycle come at once, and the wall is asked once for them: of the first that is seen. Of a queue's buffer it is asked
/// when its first frame came, not when the worker rendered it.
///
/// Cycles that the server ran without us are a gap of exactly their frames, because what was played in them is missing,
/// whether or not the server has made up for the time. What the wall knows less of is taken from the next gap that the
/// wall measures, and from such a gap as far as it is more than a period; what it knows more of is a gap of its own as soon as
/// that is more than jitter.
///
/// Blocks and gaps together last as long as the time that went by, but for jitter under a quarter of a period.
package struct GapFinder {
    /// What comes next in the stream.
    package enum Step: Equatable {
        case gap(Gap)
        /// The oldest block that was added and did not come yet.
        case block(TapBlock)
    }

    private struct Held {
        var block: TapBlock
        var before: TapBlock
        /// What is known of the place before it.
        var gaps: [Gap] = []
        /// Whether it is a further part of the cycle of the block before.
        var isPart = false
        /// Whether the cycle was late, so that more may be missing before it.
        var isLate = false
        /// By how many frames the frame clock has jumped before it.
        var skippedFrames = 0
        /// Whether that are whole cycles that the server ran without us.
        var skipsCycles = false
    }

    private var last: TapBlock?
    private var lostTime = LostTime(sampleRate: 1)
    private var held: [Held] = []
    /// So much shorter than the wall says were the gaps of this run that late cycles have cost; or longer, where it is negative,
    /// as the frame clock told of them.
    private var owedNanoseconds = 0.0

    package init() {}

    /// Takes the next block, in order; returns what is known to come next, if anything is.
    package mutating func add(_ block: TapBlock) -> [Step] {
        defer { last = block }
        guard let last, last.runNumber == block.runNumber else { return beginRun(block) }
        var next = Held(block: block, before: last, gaps: gapsByPosition(last, block))
        let rendered = block.takenFrames &- last.takenFrames
        // Negative where a cycle comes earlier than the last part of the one before would have by itself.
        let interval = Double(Int64(bitPattern: block.arrivalNanoseconds &- last.arrivalNanoseconds))
        let passed = block.frameTime &- last.frameTime
        next.skippedFrames = Int(Int32(bitPattern: passed &- UInt32(truncatingIfNeeded: rendered)))
        next.skipsCycles = Self.skipsCycles(next.skippedFrames, last, block, intervalNanoseconds: interval)
        if last.isFreewheeling, block.isFreewheeling { return follow(next) }
        next.isPart = rendered > 0 && rendered == UInt64(block.cycle.offset) &- UInt64(last.cycle.offset)
        next.isLate =
            !next.isPart
            && (next.skippedFrames > 0
                || interval > Double(rendered) * last.frameNanoseconds + last.judgedNanoseconds / 2)
        held.append(next)
        if next.isPart { return lostTime.isUnsettled ? [] : release([]) }
        if let losses = lostTime.add(block.record, isLate: next.isLate) { return release(losses) }
        if !lostTime.isUnsettled { return release([]) }
        // Of so many late blocks `LostTime` tells each by itself.
        let cycles = held.count { !$0.isPart }
        let isFull = held.count(where: \.isLate) >= 64 || cycles >= Self.heldLimit(from: held[0].block, to: block)
        return isFull ? settle() : []
    }

    /// How many cycles may be held back. More where they come at more than twice the pace: they are together all the sooner.
    private static func heldLimit(from first: TapBlock, to last: TapBlock) -> Int {
        let passed = Double(last.arrivalNanoseconds &- first.arrivalNanoseconds)
        return 2 * passed < Double(last.takenFrames &- first.takenFrames) * last.frameNanoseconds ? 1024 : 64
    }

    /// What is left, when no more blocks come.
    ///
    /// - Parameter end: when the recording ended, on the monotonic clock, where the server was gone by then: the gap up to
    ///   there is the last step. `nil` where no sound is missing.
    package mutating func finish(withoutServerUntil end: UInt64? = nil) -> [Step] {
        let steps = settle()
        guard let end, let last, end > last.endNanoseconds else { return steps }
        let absence = Gap(
            .reset, start: last.endNanoseconds, nanoseconds: end - last.endNanoseconds, at: last.run,
            endPosition: last.endPosition)
        return steps + [.gap(absence)]
    }

    private mutating func settle() -> [Step] { release(lostTime.settle() ?? []) }

    /// Whether the frame clock tells of cycles that the server ran without us: whole ones, and no more than there was
    /// time for. A late server may make up for two. After a change of the period or a reset of the clock it finds none.
    private static func skipsCycles(
        _ skippedFrames: Int, _ last: TapBlock, _ block: TapBlock, intervalNanoseconds: Double
    ) -> Bool {
        let period = Int(block.cycleFrames)
        guard skippedFrames > 0, block.cycleFrames == last.cycleFrames, skippedFrames % period == 0 else {
            return false
        }
        return Double(skippedFrames) * last.frameNanoseconds <= intervalNanoseconds + last.judgedNanoseconds
    }

    private mutating func beginRun(_ block: TapBlock) -> [Step] {
        var steps = settle()
        owedNanoseconds = 0
        if let last { steps += gaps(last, run: block).map(Step.gap) }
        steps.append(.block(block))
        lostTime.breakContinuity(sampleRate: Int(block.run.sampleRate))
        lostTime.add(block.record, isLate: false)
        return steps
    }

    /// A block of a freewheeling server behind another: however long it has waited for a slow client, or a disk, the wall says
    /// nothing of what is missing. The frame clock does.
    private mutating func follow(_ next: Held) -> [Step] {
        let steps = settle()
        lostTime.breakContinuity(sampleRate: Int(next.block.run.sampleRate))
        lostTime.add(next.block.record, isLate: false)
        var next = next
        next.isLate = next.skippedFrames > 0
        held.append(next)
        return steps + release([])
    }

    /// Lets all blocks go that are held back.
    ///
    /// - Parameter losses: what each late one of them has cost, as far as that is known.
    private mutating func release(_ losses: [UInt64]) -> [Step] {
        var losses = losses.makeIterator()
        var steps: [Step] = []
        for place in held {
            var known = place.gaps
            for gap in place.isLate ? gaps(of: place, loss: losses.next()) : [] { known.join(gap) }
            steps += known.map(Step.gap) + [.block(place.block)]
        }
        held = []
        return steps
    }
}

// What lies between two blocks.
extension GapFinder {
    /// Frames of one run that were rendered and did not come through the tap, or that a queue did not take: counted, and so exact.
    private func gapsByPosition(_ last: TapBlock, _ block: TapBlock) -> [Gap] {
        let paused = Int(clamping: block.pausedFrames &- last.pausedFrames)
        let missing = Int(clamping: block.position &- last.endPosition)
        let missed = Int(clamping: block.cycle.missedFrames &- last.cycle.missedFrames)
        var gaps: [Gap] = []
        func add(_ cause: Gap.Cause, _ frames: Int) {
            guard frames > 0 else { return }
            let start = (gaps.last.map(\.endNanoseconds)) ?? last.endNanoseconds
            gaps.append(Gap(cause, start: start, frames: frames, at: last.run, endPosition: block.position))
        }
        add(.dropped, missing - paused)
        // What happens during a pause is part of it.
        if paused > 0 { add(.pause, paused + missed) } else { add(.skipped, missed) }
        return gaps
    }

    /// From the end of one run to the start of the next: as long as the wall says.
    private func gaps(_ last: TapBlock, run block: TapBlock) -> [Gap] {
        let known = gapsByPosition(last, block)
        let passed = block.arrivalNanoseconds &- last.arrivalNanoseconds &- UInt64(last.nanoseconds)
        let wall = UInt64(max(0, Int64(bitPattern: passed)))
        // What was missed beside a pause is part of it.
        if known.contains(where: { $0.cause == .pause }) {
            return [
                Gap(.pause, start: last.endNanoseconds, nanoseconds: wall, at: last.run, endPosition: block.position)
            ]
        }
        let start = known.last.map(\.endNanoseconds) ?? last.endNanoseconds
        let rest = wall - min(wall, known.reduce(0) { $0 + $1.lengthNanoseconds })
        let cause: Gap.Cause
        switch block.run.cause {
        case .reset: cause = .reset
        case .start, .restart: cause = .restart
        case .rateChange:
            // The graph went on. What is less than jitter was not lost.
            guard Double(rest) > last.judgedNanoseconds / 4 else { return known }
            cause = .late
        }
        return known + [Gap(cause, start: start, nanoseconds: rest, at: last.run, endPosition: block.position)]
    }

    /// What a late cycle has cost.
    ///
    /// - Parameter loss: in nanoseconds; `nil` where there is nothing to measure it against, so near to the start.
    private mutating func gaps(of place: Held, loss: UInt64?) -> [Gap] {
        let last = place.before
        var start = place.gaps.last?.endNanoseconds ?? last.endNanoseconds
        func gap(_ cause: Gap.Cause, _ nanoseconds: UInt64) -> Gap {
            defer { start += nanoseconds }
            return Gap(
                cause, start: start, nanoseconds: nanoseconds, at: last.run, endPosition: place.block.position)
        }
        // The frame clock counts whole frames. Where they are no whole cycles it is believed if the wall agrees.
        var skipped = UInt64(Double(max(0, place.skippedFrames)) * last.frameNanoseconds)
        let loss = loss ?? skipped
        let jitter = UInt64(last.judgedNanoseconds / 4)
        // What happens during a pause is part of it.
        if place.gaps.contains(where: { $0.cause == .pause }) { return loss > 0 ? [gap(.pause, loss)] : [] }
        if !place.skipsCycles, skipped > loss + jitter || loss == 0 { skipped = loss }
        // Nor does the recording fall behind the world by more than a period, however often that happens.
        let ahead = UInt64(nanoseconds: Double(skipped) - Double(loss) - owedNanoseconds - last.judgedNanoseconds)
        if ahead > 0 { skipped = skipped > ahead + jitter ? skipped - ahead : 0 }
        owedNanoseconds += Double(loss) - Double(skipped)
        var gaps: [Gap] = []
        if skipped > 0 { gaps.append(gap(.skipped, skipped)) }
        if owedNanoseconds > Double(jitter) {
            gaps.append(gap(.late, UInt64(nanoseconds: owedNanoseconds)))
            owedNanoseconds = 0
        }
        return gaps
    }
}

extension Gap {
    package init(_ cause: Cause, start: UInt64, nanoseconds: UInt64, at run: TapRun, endPosition: UInt64) {
        let frames = (Double(nanoseconds) * Double(run.sampleRate) / 1e9).rounded()
        self.init(
            cause: cause, startNanoseconds: start, lengthNanoseconds: nanoseconds, lengthFrames: Int(frames),
            endPosition: endPosition)
    }

    fileprivate init(_ cause: Cause, start: UInt64, frames: Int, at run: TapRun, endPosition: UInt64) {
        let nanoseconds = (Double(frames) / Double(run.sampleRate) * 1e9).rounded()
        self.init(
            cause: cause, startNanoseconds: start, lengthNanoseconds: UInt64(nanoseconds), lengthFrames: frames,
            endPosition: endPosition)
    }

    fileprivate var endNanoseconds: UInt64 { startNanoseconds + lengthNanoseconds }
}

extension [Gap] {
    /// Appends a gap, as part of the last one where that has the same cause.
    fileprivate mutating func join(_ gap: Gap) {
        guard let last, last.cause == gap.cause else { return append(gap) }
        self[count - 1].lengthNanoseconds += gap.lengthNanoseconds
        self[count - 1].lengthFrames += gap.lengthFrames
    }
}

extension TapBlock {
    fileprivate var frameNanoseconds: Double { 1e9 / Double(run.sampleRate) }
    fileprivate var nanoseconds: Double { Double(frames) * frameNanoseconds }
    fileprivate var endNanoseconds: UInt64 { entryNanoseconds + UInt64(nanoseconds) }
    fileprivate var endPosition: UInt64 { position + UInt64(frames) }

    fileprivate var cycleFrames: UInt32 { cycle.frames == 0 ? frames : cycle.frames }
    /// What lateness and jitter are measured by: the cycle, and more where a queue's buffers are far longer. A card's clock drifts, by
    /// 200 ppm say, and sixteen such buffers before a late one and as many after it last long.
    fileprivate var judgedFrames: UInt32 { max(cycleFrames, frames / 32) }
    fileprivate var judgedNanoseconds: Double { Double(judgedFrames) * frameNanoseconds }
    /// When its first frame came, as far as the start of its cycle tells.
    fileprivate var arrivalNanoseconds: UInt64 {
        cycle.frames == 0 ? entryNanoseconds : cycle.entryNanoseconds &+ UInt64(Double(cycle.offset) * frameNanoseconds)
    }
    /// Frames that the server had handed over before this block.
    fileprivate var takenFrames: UInt64 { position &+ cycle.missedFrames }

    /// As the account of lost time has it.
    fileprivate var record: CycleRecord {
        var record = CycleRecord()
        record.entryNanoseconds = arrivalNanoseconds
        record.frames = judgedFrames
        record.position = takenFrames
        return record
    }
}
