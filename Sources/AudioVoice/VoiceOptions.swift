/// What voice processing does.
public struct VoiceOptions: Sendable, Equatable {
    /// How much of something is done.
    public enum Strength: String, Sendable, CaseIterable {
        /// The least.
        case low
        /// Where nothing is said.
        case moderate
        /// The most.
        case high
    }

    /// What can be asked for by name, in the order of `words`.
    package enum Word: String, Sendable, CaseIterable {
        case echo, noise, gain, highpass

        /// Whether it has a `Strength`.
        package var hasStrength: Bool { self == .echo || self == .noise }

        /// All of them.
        package static let words = allCases.map(\.rawValue)
        /// Of those that have a strength.
        package static let graded = allCases.filter(\.hasStrength).map(\.rawValue)
        /// What follows these.
        package static let strengths = Strength.allCases.map { "=\($0.rawValue)" }
    }

    /// Takes what the loudspeaker plays out of what the microphone hears; `nil` leaves it in. The stronger, the less is left of
    /// who speaks meanwhile.
    public var echo: Strength? = .moderate
    /// Takes steady noise away: 6, 10 or 15 dB with `webrtc`, 10, 15 or 25 dB with `speex`. `nil` leaves it in.
    public var noise: Strength?
    /// Brings speech to one level, by up to 30 dB with `speex`.
    public var controlsGain = false
    /// Takes away what lies below the voice, from 80 Hz on downwards.
    public var hasHighPass = false

    /// Echo alone.
    public init() {}

    /// Words with commas between them: `echo`, `noise`, `gain`, `highpass`, and `noise=high`, `echo=low`. The others are off.
    ///
    /// - Returns: `nil` where a word is none of these.
    public init?(_ words: String) {
        echo = nil
        for word in words.split(separator: ",", omittingEmptySubsequences: false) {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let strength = parts.count == 1 ? .moderate : Strength(rawValue: String(parts[1]))
            guard let strength, let what = Word(rawValue: String(parts[0])), what.hasStrength || parts.count == 1
            else { return nil }
            switch what {
            case .echo: echo = strength
            case .noise: noise = strength
            case .gain: controlsGain = true
            case .highpass: hasHighPass = true
            }
        }
    }

    /// As `init(_:)` takes them.
    public var words: String {
        var words: [String] = []
        if let echo { words.append(echo == .moderate ? "echo" : "echo=\(echo.rawValue)") }
        if let noise { words.append(noise == .moderate ? "noise" : "noise=\(noise.rawValue)") }
        if controlsGain { words.append("gain") }
        if hasHighPass { words.append("highpass") }
        return words.joined(separator: ",")
    }
}

extension VoiceOptions.Strength {
    /// 1, 2 or 3.
    var number: Int { self == .low ? 1 : self == .moderate ? 2 : 3 }
}
