/// What the page shows, as the messages that tell it.
///
/// Thread: the server's.
struct ShownScene {
    /// A member of the scene, or its name: as it stands in the text.
    typealias Text = ArraySlice<UInt8>

    /// All of it, and what differs from what was shown before; `nil` before there is anything.
    private var messages: (whole: WireMessage, changes: WireMessage)?
    /// Each with its name.
    private var members: [Text] = []
    private var changed: [Text] = []

    /// - Parameter text: an object of JSON, with the same names each time.
    mutating func show(_ text: String) {
        let bytes = Array(text.utf8)
        let known = Set(members)
        members = Self.members(bytes)
        changed = members.filter { !known.contains($0) }
        messages = (WireMessage(bytes), Self.message(changed, without: []))
    }

    /// All of it, for one who comes now; `nil` before there is anything.
    ///
    /// - Parameter names: of members that are left out.
    func whole(without names: Set<Text>) -> WireMessage? {
        messages.map { names.isEmpty ? $0.whole : Self.message(members, without: names) }
    }

    /// The members that differ from what was shown before, and no other.
    func changes(without names: Set<Text>) -> WireMessage? {
        messages.map { names.isEmpty ? $0.changes : Self.message(changed, without: names) }
    }

    private static func message(_ members: [Text], without names: Set<Text>) -> WireMessage {
        let wanted = names.isEmpty ? members : members.filter { !names.contains(name(of: $0)) }
        return WireMessage([UInt8(ascii: "{")] + wanted.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "}")])
    }

    /// Between the first two quotes.
    private static func name(of member: Text) -> Text {
        let rest = member.drop { $0 != UInt8(ascii: "\"") }.dropFirst()
        return rest.prefix { $0 != UInt8(ascii: "\"") }
    }

    /// What stands between the commas of an object, but for commas within a member.
    private static func members(_ object: [UInt8]) -> [Text] {
        var members: [Text] = []
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
