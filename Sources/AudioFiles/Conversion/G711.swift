/// The two companding laws of ITU-T G.711 (1988). Full scale is 1.
enum G711 {
    /// The magnitude of the last decision value of A-law, 4096 of its 4096 steps.
    static let aLawLimit = 1.0
    /// The magnitude of the last decision value of µ-law, 8159 of its 8192 steps.
    static let muLawLimit = 8159.0 / 8192

    /// What each A-law code stands for; table 1a and 1b.
    static let aLaw: [Double] = (0..<256).map { code in
        let bits = code ^ 0x55
        let (segment, step) = ((bits >> 4) & 7, bits & 15)
        let steps = segment == 0 ? 2 * step + 1 : (2 * step + 33) << (segment - 1)
        return Double(bits & 0x80 == 0 ? -steps : steps) / 4096
    }

    /// What each µ-law code stands for; table 2a and 2b. The negative zero, 0x7f, stays one.
    static let muLaw: [Double] = (0..<256).map { code in
        let bits = ~code & 0xff
        let (segment, step) = ((bits >> 4) & 7, bits & 15)
        let steps = Double(((2 * step + 33) << segment) - 33)
        return (bits & 0x80 == 0 ? steps : -steps) / 8192
    }

    /// The code of the interval between decision values that the sample lies in.
    static func aLawCode(_ sample: Double) -> UInt8 {
        let steps = Int(min(abs(sample) * 4096, 4095))
        let code: Int
        if steps < 32 {
            code = steps >> 1
        } else {
            let segment = highestBit(steps) - 4
            code = segment << 4 | (steps >> segment) & 15
        }
        return UInt8(truncatingIfNeeded: (sample.sign == .minus ? code : code | 0x80) ^ 0x55)
    }

    /// As `aLawCode`.
    static func muLawCode(_ sample: Double) -> UInt8 {
        let steps = Int(min(abs(sample) * 8192, 8158)) + 33
        let segment = highestBit(steps) - 5
        let code = segment << 4 | (steps >> (segment + 1)) & 15
        return UInt8(truncatingIfNeeded: ~(sample.sign == .minus ? code | 0x80 : code))
    }

    private static func highestBit(_ value: Int) -> Int { Int.bitWidth - 1 - value.leadingZeroBitCount }
}
