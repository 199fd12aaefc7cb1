/// How one sample is stored. Bytes are in the machine's order.
public enum SampleFormat: String, Sendable, CaseIterable {
    /// Signed, full scale 128, as in AIFF.
    case int8
    /// Offset by 128, full scale 128, as in WAV.
    case uint8
    /// Full scale 32768.
    case int16
    /// Three bytes without padding, full scale 2²³.
    case int24
    /// Full scale 2³¹.
    case int32
    /// Full scale 1.
    case float32
    /// Full scale 1.
    case float64
    /// A-law of ITU-T G.711, eight bits with the even ones inverted.
    case aLaw
    /// µ-law of ITU-T G.711, eight bits, all inverted.
    case muLaw

    /// 1 to 8.
    public var bytesPerSample: Int {
        switch self {
        case .int8, .uint8, .aLaw, .muLaw: 1
        case .int16: 2
        case .int24: 3
        case .int32, .float32: 4
        case .float64: 8
        }
    }

    /// The number of bits of an integer format: one LSB is 2^(1 − bits) of full scale. `nil` for all others.
    public var integerBits: Int? { isFloat || isCompanded ? nil : 8 * bytesPerSample }

    /// Whether each value of `other` has a value of its own here.
    public func holds(_ other: SampleFormat) -> Bool {
        if self == other { return true }
        return significantBits >= other.significantBits && !isCompanded && !(other.isFloat && !isFloat)
    }

    var isFloat: Bool { self == .float32 || self == .float64 }
    var isCompanded: Bool { self == .aLaw || self == .muLaw }

    /// Of the integers that the format stands for: G.711 decodes to 13 and 14 bits.
    private var significantBits: Int {
        switch self {
        case .aLaw: 13
        case .muLaw: 14
        case .float32: 25
        case .float64: 53
        case .int8, .uint8, .int16, .int24, .int32: 8 * bytesPerSample
        }
    }
}
