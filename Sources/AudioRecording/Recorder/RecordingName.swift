import AudioFiles
import Glibc
import Threads

/// The names of a recording's files.
public struct RecordingName: Sendable, Equatable {
    /// A placeholder, or text between.
    private enum Part: Equatable {
        case text(String)
        case date, time
        /// With so many digits at least.
        case number(digits: Int)
        case channel
    }

    /// As it was given.
    public let text: String
    private let parts: [Part]

    /// Each file after the first has a number before its extension: `take.wav`, `take-2.wav`.
    public init(_ path: String) {
        text = path
        parts = [.text(path)]
    }

    /// - Parameter template: a path in which `{date}` is the day on which the file begins, as 2026-11-22, `{time}` the local
    ///   time, as 17-01-18, `{n}` the number of the file (`{n:3}` as 001), and `{channel}` the number of a channel, each of
    ///   which then has files of its own. `{{` is a brace.
    /// - Throws: `cannotCreate` for any other placeholder.
    public init(template: String) throws(SoundFileError) {
        text = template
        var parts: [Part] = []
        var rest = Substring(template)
        var literal = ""
        while let character = rest.popFirst() {
            guard character == "{" else {
                literal.append(character)
                continue
            }
            if rest.first == "{" {
                rest.removeFirst()
                literal.append("{")
                continue
            }
            let word = rest.prefix { $0 != "}" }
            guard word.endIndex < rest.endIndex, let part = Self.placeholder(word) else {
                throw SoundFileError(
                    .cannotCreate, "record to", template,
                    "there is no placeholder {\(word)}; it may be {date}, {time}, {n}, {n:3} or {channel}, and {{ is a brace"
                )
            }
            if !literal.isEmpty { parts.append(.text(literal)) }
            literal = ""
            parts.append(part)
            rest = rest[word.endIndex...].dropFirst()
        }
        if !literal.isEmpty { parts.append(.text(literal)) }
        self.parts = parts
    }

    private static func placeholder(_ word: Substring) -> Part? {
        switch word {
        case "date": return .date
        case "time": return .time
        case "n": return .number(digits: 1)
        case "channel": return .channel
        default:
            guard word.hasPrefix("n:"), let digits = Int(word.dropFirst(2)), (1...9).contains(digits) else {
                return nil
            }
            return .number(digits: digits)
        }
    }

    /// Whether it says where the number of a file goes.
    var isNumbered: Bool {
        parts.contains { if case .number = $0 { true } else { false } }
    }
    /// Whether each channel has files of its own.
    public var isByChannel: Bool { parts.contains(.channel) }
    /// Whether a later file has another name because of its time.
    var isTimed: Bool { parts.contains(.time) }
    /// Whether it is the standard output.
    public var isStandardOutput: Bool { text == Self.standardOutput }
    static let standardOutput = "-"
    /// In errors.
    static let standardOutputWords = "the standard output"

    /// The path of a file, or of those of its channels.
    func paths(_ number: Int, startingAt nanoseconds: Int64, channels: Int, addingNumber adds: Bool) -> [String] {
        (isByChannel ? (1...channels).map(Optional.some) : [nil]).map {
            path(number, startingAt: nanoseconds, channel: $0, addingNumber: adds)
        }
    }

    /// The path of a file.
    ///
    /// - Parameters:
    ///   - number: 1 for the first.
    ///   - nanoseconds: of the wall clock, when it begins.
    ///   - channel: 1 for the first; `nil` where there is one file for all, of whose name it then is no part.
    ///   - adds: whether a number that the name has no place for goes before the extension.
    func path(_ number: Int, startingAt nanoseconds: Int64, channel: Int? = nil, addingNumber adds: Bool) -> String {
        let local = LocalTime(nanoseconds)
        let path = parts.map { part in
            switch part {
            case .text(let text): text
            case .date: local.date
            case .time: local.time.map { $0 == ":" ? "-" : String($0) }.joined()
            case .number(let digits): String(repeating: "0", count: max(0, digits - "\(number)".count)) + "\(number)"
            case .channel: channel.map(String.init) ?? ""
            }
        }.joined()
        guard adds, !isNumbered else { return path }
        let nameStart = path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex
        let dot = path[nameStart...].lastIndex(of: ".") ?? path.endIndex
        return "\(path[..<dot])-\(number)\(path[dot...])"
    }
}
