import AudioFigures
import AudioReports
import FoundationEssentials
import Glibc
import Threads

extension Provenance {
    /// Of this process.
    package static let current = Provenance(
        date: "\(WallClock.text(startNanoseconds).prefix(19))Z", version: Release.version, host: hostName,
        command: commandLine(Array(CommandLine.arguments.dropFirst())))

    /// On the wall clock: the moment of the first use, for which `Program` cares at its start.
    static let startNanoseconds = WallClock.nanoseconds()

    private static var hostName: String {
        var bytes = [CChar](repeating: 0, count: 256)
        // SAFETY: the array outlives the call; one byte stays, so that the name ends in any case.
        guard unsafe gethostname(&bytes, bytes.count - 1) == 0 else { return "unknown" }
        return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// `iounit` and the words behind it, quoted where a shell needs that, without what is or may be a secret in them.
    static func commandLine(_ words: [String]) -> String {
        (["iounit"] + words).map { shellWord(withoutSecrets($0)) }.joined(separator: " ")
    }

    /// An address without its password, query and fragment: tokens are in these. Any other word is as it was.
    static func withoutSecrets(_ word: String) -> String {
        guard let start = word.firstRange(of: "://")?.upperBound else { return word }
        var address = String(word[start...])
        // In a query of others than Icecast, which has none, an @ is no user's; a password that looks like one goes with it.
        let isOfIcecast = word[..<start].hasSuffix("icecast://")
        if !isOfIcecast, let end = address.firstIndex(where: { "?#".contains($0) }), address[end...].contains("@") {
            return "\(word[..<start])…"
        }
        // A password may hold any character, a query too, so that the last @ counts.
        if let at = address.lastIndex(of: "@"), let colon = address[..<at].firstIndex(of: ":") {
            address.removeSubrange(colon..<at)
        }
        if let end = address.firstIndex(where: { $0 == "?" || $0 == "#" }) {
            address = "\(address[...end])…"
        }
        return word[..<start] + address
    }
}

/// A word as a shell reads it, quoted where it needs that; what a terminal would obey is spelled in octal, as POSIX.1-2024 has it.
func shellWord(_ word: String) -> String {
    let isPlain =
        !word.isEmpty && word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_./:,+=@%".contains($0)) }
    guard !isPlain else { return word }
    guard word.unicodeScalars.contains(where: isObeyed) else { return "'\(word.replacing("'", with: "'\\''"))'" }
    let spelled = word.unicodeScalars.map { scalar in
        if scalar == "'" || scalar == "\\" { return "\\\(scalar)" }
        guard isObeyed(scalar) else { return String(scalar) }
        return String(scalar).utf8.map { "\\" + zeroPadded($0, 3, radix: 8) }.joined()
    }
    return "$'\(spelled.joined())'"
}

/// A report as `--json` prints it: its own fields, and where it comes from.
package func reportJSON(_ report: some Encodable) throws -> String { try encodeJSON(SourcedReport(report)) }

private struct SourcedReport<Report: Encodable>: Encodable {
    private enum Key: CodingKey { case provenance }

    private let report: Report
    init(_ report: Report) { self.report = report }

    func encode(to encoder: any Encoder) throws {
        try report.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(Provenance.current, forKey: .provenance)
    }
}

/// What the text says of such a value; `nil` where it says something else.
package func decodeJSON<Value: Decodable>(_ text: String?) -> Value? {
    text.flatMap { decodeJSON(Array($0.utf8)) }
}

/// The same of bytes, which may be no text.
package func decodeJSON<Value: Decodable>(_ bytes: [UInt8]) -> Value? {
    try? JSONDecoder().decode(Value.self, from: Data(bytes))
}

/// One object on one line, the same for the same content. A terminal obeys nothing in it.
package func encodeJSON(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return shownJSON(String(decoding: try encoder.encode(value), as: UTF8.self))
}
