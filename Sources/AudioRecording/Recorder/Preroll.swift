import AudioRealtime

/// What came last, while it is not known yet whether it is recorded: so many frames, to the frame.
///
/// Short blocks are put together, so that they take little more memory than their samples.
struct Preroll {
    private static let chunkFrames = 4096

    /// Blocks, and what is missing between them.
    private var items: [RecordingGate.Step] = []
    /// Items before this one were dropped.
    private var head = 0
    private var frames = 0
    /// What is missing between its blocks, together.
    private var missingNanoseconds: UInt64 = 0

    /// The oldest block.
    var first: RecordedBlock? {
        for item in items[head...] {
            if case .block(let block) = item { return block }
        }
        return nil
    }

    /// Takes what is missing before the next block, and drops the oldest blocks until less than that is missing between the others:
    /// a night without a server is not filled with silence. Before the first block it does not matter.
    mutating func add(_ gap: Gap, limitNanoseconds: Double) {
        guard frames > 0 else { return }
        items.append(.gap(gap))
        missingNanoseconds += gap.lengthNanoseconds
        while head < items.count, isGap(head) || Double(missingNanoseconds) >= limitNanoseconds { dropOldest(frames) }
    }

    /// Takes a block, and drops what is older than `limit` frames.
    mutating func add(_ block: RecordedBlock, limit: Int) {
        guard limit > 0 else { return }
        frames += block.frames
        if !extendLast(with: block) { items.append(.block(block.compact)) }
        while frames > limit || isGap(head) { dropOldest(frames - limit) }
        // Dropped ones leave when they are as many as the others, so that each is moved once at the most.
        if head > 64 && head > items.count / 2 {
            items.removeFirst(head)
            head = 0
        }
    }

    /// All of it, which is no longer kept.
    mutating func take() -> [RecordingGate.Step] {
        defer { self = Preroll() }
        return Array(items[head...])
    }

    private mutating func extendLast(with block: RecordedBlock) -> Bool {
        // What was dropped of it counts too: it stays in memory as long as the rest.
        guard items.count > head, case .block(var last) = items[items.count - 1],
            last.samples.count < Self.chunkFrames * last.channels
        else { return false }
        // Out of the array meanwhile, so that its samples are not copied.
        items.removeLast()
        defer { items.append(.block(last)) }
        return last.join(block)
    }

    private func isGap(_ index: Int) -> Bool {
        guard index < items.count, case .gap = items[index] else { return false }
        return true
    }

    private mutating func dropOldest(_ surplus: Int) {
        guard case .block(var oldest) = items[head], surplus < oldest.frames else {
            switch items[head] {
            case .block(let oldest): frames -= oldest.frames
            case .gap(let oldest): missingNanoseconds -= oldest.lengthNanoseconds
            default: break
            }
            // What it holds is given back at once.
            items[head] = .gap(Gap.none)
            head += 1
            return
        }
        _ = oldest.takeFirst(surplus)
        items[head] = .block(oldest)
        frames -= surplus
    }
}

extension Gap {
    /// One that says nothing, in the place of what was dropped.
    fileprivate static let none = Gap(.pause, start: 0, nanoseconds: 0, at: TapRun(sampleRate: 1), endPosition: 0)
}
