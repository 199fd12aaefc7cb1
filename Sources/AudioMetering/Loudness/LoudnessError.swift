/// Why the loudness of a sound cannot be measured, in one sentence.
public enum LoudnessError: Error, Sendable, Equatable, CustomStringConvertible {
    /// More channels than libebur128 takes, or none.
    case channels(Int)
    /// A sample rate, in hertz, at which there is no room for the weighting filter, or beyond what libebur128 takes.
    case sampleRate(Int)
    /// libebur128 got no memory.
    case outOfMemory

    public var description: String {
        switch self {
        case .channels(let count):
            let range = LoudnessMeter.channelRange
            return "loudness is measured of \(range.lowerBound) to \(range.upperBound) channels, and not of \(count)"
        case .sampleRate(let hertz):
            let range = LoudnessMeter.sampleRates
            return "loudness is measured at \(range.lowerBound) to \(range.upperBound) hertz, and not at \(hertz)"
        case .outOfMemory:
            return "there is no memory to measure loudness with"
        }
    }
}
