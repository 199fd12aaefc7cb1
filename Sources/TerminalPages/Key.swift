package enum Key: Hashable {
    /// One ASCII character.
    case character(Character)
    case up
    case down
    case left
    case right

    /// - Parameter byte: the last one of an arrow's sequence; `nil` for any other.
    init?(arrow byte: UInt8) {
        switch byte {
        case UInt8(ascii: "A"): self = .up
        case UInt8(ascii: "B"): self = .down
        case UInt8(ascii: "C"): self = .right
        case UInt8(ascii: "D"): self = .left
        default: return nil
        }
    }
}

extension Key {
    /// Whether it ends a run: `q`, and what a terminal sends for the end of a file.
    package var ends: Bool { self == "q" || self == "Q" || self == "\u{4}" }
}

extension Key: ExpressibleByExtendedGraphemeClusterLiteral {
    package init(extendedGraphemeClusterLiteral character: Character) { self = .character(character) }
}
