import AudioRealtime

/// Makes buffers of one length of the blocks of a tap, each with the time of its first frame. A buffer has no seam in it: where
/// frames are missing, or another run begins, those that were gathered are lost too.
struct TapAssembler: ~Copyable {
    private var reader: TapReader
    private let frames: Int
    private var block: [Float] = []
    /// Samples of the next buffer, interleaved, and the time of the first.
    private var gathered: [Float] = []
    private var start: TapBlock?
    /// The last block that was read.
    private var last: TapBlock?
    /// Since the last buffer.
    private var lost: UInt64 = 0
    private(set) var lostFrames: UInt64 = 0
    /// Frames that found no room, be a buffer behind them or not.
    var droppedFrames: UInt64 { reader.droppedFrames }

    init(_ reader: consuming TapReader, frames: Int) {
        self.reader = reader
        self.frames = frames
    }

    /// Hands over each full buffer, until `hand` returns `false`.
    mutating func deliver(_ hand: (AudioBuffer, BufferTime) -> Bool) {
        var goesOn = true
        while goesOn, let block = reader.readBlock(interleavedInto: &block) {
            follow(block)
            var used = 0
            while used < Int(block.frames) {
                let count = min(frames - gathered.count / reader.channels, Int(block.frames) - used)
                if start == nil { start = block.advanced(by: used) }
                gathered += self.block[used * reader.channels..<(used + count) * reader.channels]
                used += count
                if gathered.count == frames * reader.channels { finish { goesOn = hand($0, $1) && goesOn } }
            }
        }
    }

    /// Sees whether the block goes on where the one before ended. What a pause leaves out is a seam, and not lost.
    private mutating func follow(_ block: TapBlock) {
        defer { last = block }
        guard let last else { return }
        let end = last.position + UInt64(last.frames)
        guard block.position != end || block.runNumber != last.runNumber else { return }
        let paused = block.pausedFrames - last.pausedFrames
        lose(block.position - end - min(paused, block.position - end) + UInt64(gathered.count / reader.channels))
        gathered.removeAll(keepingCapacity: true)
        start = nil
    }

    private mutating func lose(_ frames: UInt64) {
        lost += frames
        lostFrames += frames
    }

    /// Hands over what is gathered, be the buffer full or not.
    mutating func finish(_ hand: (AudioBuffer, BufferTime) -> Void) {
        guard let start else { return }
        let buffer = AudioBuffer(
            channels: reader.channels, frames: gathered.count / reader.channels, interleaved: gathered[...])
        let time = BufferTime(
            position: start.position, frameTime: start.frameTime, hostNanoseconds: start.entryNanoseconds,
            sampleRate: Int(start.run.sampleRate), lostFrames: lost)
        gathered.removeAll(keepingCapacity: true)
        self.start = nil
        lost = 0
        hand(buffer, time)
    }
}

extension TapBlock {
    /// The same block without its first frames.
    fileprivate func advanced(by frames: Int) -> TapBlock {
        var block = self
        block.position += UInt64(frames)
        block.frameTime &+= UInt32(frames)
        block.entryNanoseconds += UInt64(frames) * 1_000_000_000 / UInt64(run.sampleRate)
        block.frames -= UInt32(frames)
        return block
    }
}
