import AudioRealtime

/// A block of a tap with its samples, or a part of one.
struct RecordedBlock {
    private(set) var block: TapBlock
    /// Interleaved; those of the block begin at `offset`.
    private(set) var samples: [Float]
    let channels: Int
    private(set) var offset = 0

    init(_ block: TapBlock, _ samples: [Float], channels: Int) {
        self.block = block
        self.samples = samples
        self.channels = channels
    }

    var frames: Int { Int(block.frames) }
    /// In hertz.
    var sampleRate: Int { Int(block.run.sampleRate) }
    var endPosition: UInt64 { block.position + UInt64(block.frames) }
    var endNanoseconds: UInt64 { nanoseconds(atFrame: frames) }

    /// On the monotonic clock. While the server freewheels, all frames of a block have the time of its start: how long they take is
    /// not known.
    func nanoseconds(atFrame frame: Int) -> UInt64 {
        if block.isFreewheeling { return block.entryNanoseconds }
        return block.entryNanoseconds + UInt64((Double(frame) / Double(sampleRate) * 1e9).rounded())
    }

    /// Its frames from `start` on, `count` of them, as a block of their own.
    func part(from start: Int, _ count: Int) -> RecordedBlock {
        var part = self
        part.block.entryNanoseconds = nanoseconds(atFrame: start)
        part.block.position += UInt64(start)
        part.block.frameTime &+= UInt32(truncatingIfNeeded: start)
        part.block.frames = UInt32(count)
        part.block.transport = block.transport?.advanced(by: start)
        part.offset += start * channels
        return part
    }

    /// Nothing, so many frames behind its end.
    func place(behind frames: Int) -> RecordedBlock {
        RecordedBlock(part(from: self.frames + frames, 0).block, [], channels: channels)
    }

    /// Takes away its first frames, and returns them; `nil` where there are none.
    mutating func takeFirst(_ count: Int) -> RecordedBlock? {
        guard count > 0 else { return nil }
        let first = part(from: 0, count)
        self = part(from: count, frames - count)
        return first
    }

    /// As one that holds no other samples than its own, to be kept.
    var compact: RecordedBlock {
        guard offset > 0 || samples.count > frames * channels else { return self }
        var copy = self
        copy.samples = Array(valid)
        copy.offset = 0
        return copy
    }

    /// Takes another one in behind its frames, where that follows it.
    mutating func join(_ next: RecordedBlock) -> Bool {
        guard next.block.runNumber == block.runNumber, next.block.isFreewheeling == block.isFreewheeling,
            next.block.position == endPosition, next.block.pausedFrames == block.pausedFrames
        else { return false }
        samples.append(contentsOf: next.valid)
        block.frames += next.block.frames
        return true
    }

    var valid: ArraySlice<Float> { samples[offset..<(offset + frames * channels)] }

    /// The first frame from `start` on of which a sample is as loud as that.
    func firstFrame(from start: Int, asLoudAs threshold: Float) -> Int? {
        for index in (offset + start * channels)..<(offset + frames * channels) where abs(samples[index]) >= threshold {
            return (index - offset) / channels
        }
        return nil
    }
}

extension Gap {
    /// A gap that was wanted, from one block to the first frame of another.
    init(_ cause: Cause, from first: TapBlock, until place: RecordedBlock) {
        let (start, end) = (first.entryNanoseconds, place.block.entryNanoseconds)
        var nanoseconds = end - min(start, end)
        // By frames, because callbacks come a little early or late, and in another time where the server freewheels; by the clock if
        // time was lost in between.
        if first.runNumber == place.block.runNumber, place.block.position >= first.position {
            let rate = Double(first.run.sampleRate)
            let rendered = UInt64((Double(place.block.position - first.position) / rate * 1e9).rounded())
            let period = UInt64(Double(max(first.frames, place.block.frames)) / rate * 1e9)
            let isFree = first.isFreewheeling || place.block.isFreewheeling
            if isFree || max(rendered, nanoseconds) - min(rendered, nanoseconds) < period / 2 { nanoseconds = rendered }
        }
        self.init(cause, start: start, nanoseconds: nanoseconds, at: first.run, endPosition: place.block.position)
    }
}
