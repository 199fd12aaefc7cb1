import CAudioDSP

/// Which machine code the inner loops run that gain from it. All give the same bits.
public enum InstructionSet: Int32, Sendable, BitwiseCopyable, CaseIterable {
    /// The loops in Swift, of which the others are faster forms: eight samples at once, by what every machine has.
    case swift = -1
    /// The loops in C, for what every machine of this kind has: SSE2 or NEON.
    case baseline = 0
    /// 256-bit vectors.
    case avx2 = 1
    /// 512-bit vectors.
    case avx512 = 2

    /// What this machine runs fastest. Thread: control.
    public static var best: InstructionSet { InstructionSet(rawValue: caudiodsp_best_instructions()) ?? .baseline }

    /// All that this machine can run. Thread: control.
    public static var available: [InstructionSet] { allCases.filter { $0.rawValue <= best.rawValue } }

    /// As people write it, as in "AVX2".
    public var name: String {
        switch self {
        case .swift: "swift"
        case .baseline: "baseline"
        case .avx2: "AVX2"
        case .avx512: "AVX-512"
        }
    }

    /// The number that the loops in C know it by; `nil` where they are not asked.
    var number: Int32? {
        @_noLocks @_noAllocation get {
            if case .swift = self { return nil }
            return rawValue
        }
    }
}
