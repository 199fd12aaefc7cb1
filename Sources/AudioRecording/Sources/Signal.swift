import AudioFiles
import Threads

/// Something that yields frames, one run after the other, on a thread that may block.
package protocol Signal {
    var channels: Int { get }

    /// Puts up to `frames` frames into `target`, interleaved, and returns how many; 0 at the end, or where it is dry.
    /// `target` has room for them.
    mutating func read(_ frames: Int, into target: inout [Float]) throws(SoundFileError) -> Int

    /// Whether the last read came back empty though more may come, as of a slow pipe.
    var isDry: Bool { get }
    /// What was found to be wrong with what was read so far.
    var flaws: [SoundFileFlaw] { get }
}

extension Signal {
    package var isDry: Bool { false }
    package var flaws: [SoundFileFlaw] { [] }
}

/// Zeros without end.
struct Silence: Signal {
    let channels = 1

    mutating func read(_ frames: Int, into target: inout [Float]) -> Int {
        for frame in 0..<frames { target[frame] = 0 }
        return frames
    }
}

/// White noise, uniform within ±0.25. The same seed each time, so that two runs hear the same.
struct Noise: Signal {
    static let peak: Float = 0.25

    private var generator = SplitMix64(seed: 0x1234_5678_9abc_def1)

    let channels = 1

    mutating func read(_ frames: Int, into target: inout [Float]) -> Int {
        for frame in 0..<frames {
            let bits = generator.next()
            // 24 bits, as many as a sample holds, on −1…1.
            target[frame] = (Float(bits >> 40) / Float(1 << 23) - 1) * Self.peak
        }
        return frames
    }
}
