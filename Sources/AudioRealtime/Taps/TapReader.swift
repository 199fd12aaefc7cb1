/// A worker's end of a tap. It is read either in blocks or in runs of any length, not now this way and now that.
public struct TapReader: ~Copyable, Sendable {
    package let tap: Tap
    /// Its own, of the tap's readers.
    package let number: Int
    /// Samples of blocks that were taken and not read yet, interleaved.
    private var begun: [Float] = []

    init(_ tap: Tap, number: Int) {
        self.tap = tap
        self.number = number
    }

    deinit { tap.forget(number) }

    /// Of the node that is heard.
    public var channels: Int { tap.channels }

    /// Frames that found no room because this end did not read fast enough. Thread: any but audio.
    public var droppedFrames: UInt64 { tap.droppedFrames(number) }

    /// Reads up to `capacity` frames into `target`, interleaved, and returns how many. Thread: one, the reader's.
    public mutating func read(interleavedInto target: inout [Float], capacity: Int) -> Int {
        let most = max(0, min(capacity, Int.max / channels)) * channels
        while begun.count < most, let block = tap.take(number) { begun += block.samples }
        let count = min(begun.count, most)
        if target.count < count { target = [Float](repeating: 0, count: count) }
        target.replaceSubrange(0..<count, with: begun.prefix(count))
        begun.removeFirst(count)
        return count / channels
    }

    /// Takes the oldest block, as the audio thread handed it over: puts its frames into `target`, interleaved, and returns
    /// what is to be said of it; `nil` when there is none. Thread: one, the reader's.
    public mutating func readBlock(interleavedInto target: inout [Float]) -> TapBlock? {
        guard let block = next() else { return nil }
        target = block.samples
        return block.block
    }

    /// As `readBlock`, with the samples that all readers share.
    mutating func next() -> TappedBlock? {
        precondition(begun.isEmpty, "a tap that was read without regard to blocks cannot be read in blocks")
        return tap.take(number)
    }
}

/// What a reader of a tap hears, in order: its blocks and, between them, the gaps (see `GapFinder`).
///
/// Thread: one, the reader's.
package struct TapStream: ~Copyable {
    /// What comes next.
    package enum Step {
        case gap(Gap)
        case block(TappedBlock)
    }

    private enum Phase {
        case running
        /// What the tap has now is all.
        case ending(withoutServerUntil: UInt64?)
        case over
    }

    private var reader: TapReader
    private let isPrompt: Bool
    private var finder = GapFinder()
    /// Samples of the blocks that the finder holds back, the oldest first.
    private var held: [[Float]] = []
    /// What is known to come next, the first of it last.
    private var steps: [Step] = []
    private var phase = Phase.running
    /// The last block that was read, held back or not.
    package private(set) var newest: TapBlock?

    /// - Parameter isPrompt: whether no block is held back until it is known what a late cycle has cost. The gap then comes some
    ///   blocks behind its place.
    package init(_ reader: consuming TapReader, isPrompt: Bool = false) {
        self.reader = reader
        self.isPrompt = isPrompt
    }

    /// Frames that found no room because this end did not read fast enough.
    package var droppedFrames: UInt64 { reader.droppedFrames }

    /// Takes what comes next; `nil` where nothing is known to.
    package mutating func next() -> Step? {
        while true {
            if let step = steps.popLast() { return step }
            if let block = reader.next() {
                newest = block.block
                if isPrompt { steps.append(.block(block)) } else { held.append(block.samples) }
                add(finder.add(block.block))
            } else if case .ending(let end) = phase {
                phase = .over
                add(finder.finish(withoutServerUntil: end))
            } else {
                return nil
            }
        }
    }

    /// The tap gets no more blocks: behind the last comes what is known then. Calling it again does nothing.
    ///
    /// - Parameter end: see `GapFinder.finish`.
    package mutating func finish(withoutServerUntil end: UInt64?) {
        if case .running = phase { phase = .ending(withoutServerUntil: end) }
    }

    /// Where the finder lets blocks go, it lets all go. From a prompt stream they have gone before.
    private mutating func add(_ found: [GapFinder.Step]) {
        for step in found.reversed() {
            switch step {
            case .gap(let gap): steps.append(.gap(gap))
            case .block(let block):
                if let samples = held.popLast() { steps.append(.block(TappedBlock(block: block, samples: samples))) }
            }
        }
    }
}
