import FoundationEssentials

/// A line that the probe has written. The plug-in is in the same process and may have written it as well: what does not begin
/// with this run's token is left out, and what is no line of ours too.
struct ProbeLine: Decodable {
    enum Kind: String, Decodable {
        case found, presets, machine, phase, finding, further, cannot, skipped, ended, latency, stack, end
    }

    struct Frame: Decodable {
        var library: String
        var libraryOffset: Double
        var function: String?
        var functionOffset: Double?
    }

    var kind: Kind
    var uri: String?
    var name: String?
    var bundle: String?
    var binary: String?
    var `class`: String?
    var claimsHardRealTime: Bool?
    var rawCallsAreSeen: Bool?
    var memoryIsLocked: Bool?
    var phase: String?
    var finding: String?
    var subject: String?
    var count: Double?
    var blocks: Double?
    var amount: Double?
    var text: String?
    var frames: [Frame]?
    var reason: String?
    var detail: String?
    var by: String?
    var declared: Double?
    var measured: Double?
    var bytes: Double?

    /// The lines of a run.
    static func lines(_ bytes: [UInt8], token: String) -> [ProbeLine] {
        let decoder = JSONDecoder()
        let head = Array("\(token) ".utf8)
        return bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
            guard line.starts(with: head) else { return nil }
            // A text that the probe had to cut may end within a character.
            let text = String(decoding: line.dropFirst(head.count), as: UTF8.self)
            return try? decoder.decode(ProbeLine.self, from: Data(text.utf8))
        }
    }

    /// That nobody else has.
    static func token() -> String {
        var random = SystemRandomNumberGenerator()
        return String(random.next() as UInt64, radix: 36)
    }
}

extension Double {
    /// As a count: what comes from outside may be anything.
    var asCount: Int { isFinite ? Int(max(0, min(self, 1e15))) : 0 }
}
