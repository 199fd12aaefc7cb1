import AudioDSP
import AudioFiles

/// What is to be heard.
public enum SourceKind: Sendable, Equatable {
    /// A sound file that libsndfile reads.
    case file(path: String)
    /// A sine of 0.25 peak (−12 dBFS), from phase 0.
    case tone(hertz: Double)
    /// White noise, uniform within ±0.25, the same each time.
    case noise
    /// Zeros, without end.
    case silence

    /// Reads `tone`, `tone:880`, `noise` or `silence`; any other word is the path of a file. A file that bears one
    /// of those names is reached as `./tone`.
    ///
    /// - Throws: `badInput` where what follows `tone:` is no number.
    public init(word: String) throws(SoundFileError) {
        switch word {
        case "tone": self = .tone(hertz: 440)
        case "noise": self = .noise
        case "silence": self = .silence
        case _ where word.hasPrefix("tone:"):
            guard let hertz = Double(decimal: word.dropFirst("tone:".count)) else {
                throw SoundFileError(
                    .badInput, "play", word, "a number of hertz follows the colon, as in tone:440")
            }
            self = .tone(hertz: hertz)
        default: self = .file(path: word)
        }
    }

    /// The word that `init(word:)` reads.
    public var name: String {
        switch self {
        case .file(let path): path
        case .tone(let hertz):
            // A whole number is written without its fraction.
            hertz == hertz.rounded() && abs(hertz) < 1e9 ? "tone:\(Int(hertz))" : "tone:\(hertz)"
        case .noise: "noise"
        case .silence: "silence"
        }
    }
}
