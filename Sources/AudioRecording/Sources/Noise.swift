/// White noise, uniform within ±0.25. The same seed each time, so that two runs hear the same.
package struct Noise: Signal {
    static let peak: Float = 0.25

    private var state: UInt64 = 0x1234_5678_9abc_def1

    package let channels = 1

    package mutating func read(_ frames: Int, into target: inout [Float]) -> Int {
        for frame in 0..<frames {
            // SplitMix64 (Steele, Lea, Flood 2014).
            state &+= 0x9e37_79b9_7f4a_7c15
            var bits = state
            bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
            bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
            bits ^= bits >> 31
            // 24 bits, as many as a sample holds, on −1…1.
            target[frame] = (Float(bits >> 40) / Float(1 << 23) - 1) * Self.peak
        }
        return frames
    }
}
