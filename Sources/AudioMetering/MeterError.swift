/// Why a sound cannot be looked at, in one sentence.
public enum MeterError: Error, Sendable, Equatable, CustomStringConvertible {
    /// None, or more than a tap has.
    case channels(Int)
    /// A sample rate, in hertz, that is none of a sound card's.
    case sampleRate(Int)

    static let channelRange = 1...256
    /// In hertz. Stethoscopes have 500 to 4000.
    static let sampleRates = 500...768_000

    /// - Throws: what of them cannot be.
    static func check(sampleRate: Int, channels: Int) throws(MeterError) {
        guard channelRange.contains(channels) else { throw .channels(channels) }
        guard sampleRates.contains(sampleRate) else { throw .sampleRate(sampleRate) }
    }

    public var description: String {
        switch self {
        case .channels(let count): "a sound has 1 to \(Self.channelRange.upperBound) channels, and not \(count)"
        case .sampleRate(let hertz):
            "sounds are looked at from \(Self.sampleRates.lowerBound) to \(Self.sampleRates.upperBound) hertz, and not at "
                + "\(hertz)"
        }
    }
}
