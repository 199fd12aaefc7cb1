import Threads

/// White noise, uniform within ±0.25. The same seed each time, so that two runs hear the same.
package struct Noise: Signal {
    static let peak: Float = 0.25

    private var generator = SplitMix64(seed: 0x1234_5678_9abc_def1)

    package let channels = 1

    package mutating func read(_ frames: Int, into target: inout [Float]) -> Int {
        for frame in 0..<frames {
            let bits = generator.next()
            // 24 bits, as many as a sample holds, on −1…1.
            target[frame] = (Float(bits >> 40) / Float(1 << 23) - 1) * Self.peak
        }
        return frames
    }
}
