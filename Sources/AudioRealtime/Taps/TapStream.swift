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
                add(block)
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

    private mutating func add(_ block: TappedBlock) {
        newest = block.block
        if isPrompt { steps.append(.block(block)) } else { held.append(block.samples) }
        add(finder.add(block.block))
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
