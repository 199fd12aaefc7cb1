/// What waits for one of the readers of a tap. Guarded by the tap's lock.
struct TapQueue {
    let number: Int
    /// In frames.
    let capacity: Int
    /// Whether it gets no more.
    private(set) var isClosed = false
    private var blocks: [TappedBlock?] = []
    /// The oldest that was not taken.
    private var first = 0
    private var waitingFrames = 0
    /// Frames that found no room here.
    private var dropped: UInt64 = 0
    /// What the audio thread had dropped when this reader joined; and when it left.
    private let droppedBefore: UInt64
    private var droppedAtEnd: UInt64?

    init(number: Int, capacity: Int, droppedBefore: UInt64) {
        self.number = number
        self.capacity = capacity
        self.droppedBefore = droppedBefore
    }

    /// For how many frames there is room; `nil` where none are wanted.
    var room: Int? { isClosed ? nil : capacity - waitingFrames }

    /// Frames that this reader has missed.
    ///
    /// - Parameter droppedNow: what the audio thread has dropped so far, for all readers.
    func droppedFrames(_ droppedNow: UInt64) -> UInt64 { dropped + (droppedAtEnd ?? droppedNow) - droppedBefore }

    mutating func close(_ droppedNow: UInt64) {
        guard !isClosed else { return }
        isClosed = true
        droppedAtEnd = droppedNow
    }

    /// Keeps a block, or drops it whole.
    mutating func put(_ block: TappedBlock) {
        guard let room else { return }
        let frames = Int(block.block.frames)
        guard frames <= room else {
            dropped += UInt64(frames)
            return
        }
        blocks.append(block)
        waitingFrames += frames
    }

    mutating func take() -> TappedBlock? {
        guard first < blocks.count, let block = blocks[first] else { return nil }
        blocks[first] = nil
        first += 1
        waitingFrames -= Int(block.block.frames)
        // Not each time: what is behind has to move.
        if first > blocks.count / 2 {
            blocks.removeFirst(first)
            first = 0
        }
        return block
    }
}
