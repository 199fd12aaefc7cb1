/// What the page shows, as the messages that tell it.
///
/// Thread: the server's.
struct ShownScene {
    /// All of it, for one who comes now; `nil` before there is anything.
    private(set) var whole: WireMessage?
    /// What differs from what was shown before: these members, and no other.
    private(set) var changes: WireMessage?
    /// Each with its name, as it stands in the text.
    private var members: Set<ArraySlice<UInt8>> = []

    /// - Parameter text: an object of JSON, with the same names each time.
    mutating func show(_ text: String) {
        let bytes = Array(text.utf8)
        let next = Self.members(bytes)
        whole = WireMessage(bytes)
        let changed = next.filter { !members.contains($0) }.joined(separator: [UInt8(ascii: ",")])
        changes = WireMessage([UInt8(ascii: "{")] + changed + [UInt8(ascii: "}")])
        members = Set(next)
    }

    /// What stands between the commas of an object, but for commas within a member.
    private static func members(_ object: [UInt8]) -> [ArraySlice<UInt8>] {
        var members: [ArraySlice<UInt8>] = []
        var (start, depth, isQuoted, isEscaped) = (0, 0, false, false)
        for (place, byte) in object.enumerated() {
            switch byte {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\"): isEscaped = true
            case UInt8(ascii: "\""): isQuoted.toggle()
            case _ where isQuoted: break
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                if depth == 1 { start = place + 1 }
            case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 1 {
                    members.append(object[start..<place])
                    start = place + 1
                }
                if byte != UInt8(ascii: ",") { depth -= 1 }
            default: break
            }
        }
        return members
    }
}
