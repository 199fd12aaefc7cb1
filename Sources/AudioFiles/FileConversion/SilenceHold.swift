import AudioDSP

/// Finds what is louder than a level.
struct SoundFinder {
    private let threshold: Double
    private var samples: [Double] = []

    init(_ decibels: Double) { threshold = Decibels.linear(decibels) }

    /// From the first frame that is to the last; `nil` where none is. A frame is as loud as its loudest channel.
    mutating func sound(in block: PCMBuffer) -> Range<Int>? {
        let (channels, count) = (block.format.channels, block.frames * block.format.channels)
        if samples.count < count { samples = [Double](repeating: 0, count: count) }
        _ = block.decode(block.frames, from: 0, into: &samples)
        let loud = { [samples, threshold] (index: Int) in abs(samples[index]) > threshold }
        guard let first = (0..<count).first(where: loud), let last = (0..<count).last(where: loud) else { return nil }
        return first / channels..<(last / channels + 1)
    }
}

/// Keeps the silence back that may be the end of a sound. What turns out not to be is handed on, as it was.
struct SilenceHold {
    /// What is held back, at most.
    static let mostSeconds = 60
    private static let mostBytes = 64 << 20

    private var finder: SoundFinder
    private var held: [PCMBuffer] = []
    private var heldFrames = 0
    private let mostFrames: Int
    /// Of the silence that lasts at present, what there was no more room for.
    private(set) var releasedFrames = 0

    init(_ finder: SoundFinder, _ format: StreamFormat) {
        self.finder = finder
        mostFrames = min(Self.mostSeconds * format.sampleRate, Self.mostBytes / format.bytesPerFrame)
    }

    mutating func push(
        _ block: PCMBuffer, to take: (PCMBuffer) throws(SoundFileError) -> Void
    ) throws(SoundFileError) {
        guard let sound = finder.sound(in: block) else {
            held.append(block)
            heldFrames += block.frames
            while heldFrames > mostFrames, let first = held.first {
                held.removeFirst()
                heldFrames -= first.frames
                releasedFrames += first.frames
                try take(first)
            }
            return
        }
        for buffer in held { try take(buffer) }
        releasedFrames = 0
        let rest = block.part(sound.upperBound..<block.frames)
        held = rest.frames > 0 ? [rest] : []
        heldFrames = rest.frames
        try take(block.part(0..<sound.upperBound))
    }
}
