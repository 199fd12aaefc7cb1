/// Turns what a terminal sends into the keys that were pressed.
///
/// A key without a character of its own comes as several bytes that begin with ESC; so does what the terminal answers. Of
/// those only the arrows without a modifier are keys to us; any other sequence yields none, however it is cut into reads:
/// without this, the `[` of a function key lowers the drive. The forms are those of ECMA-48, 5.4 and 5.6, and of xterm's and the Linux console's keyboards.
struct KeyParser {
    private enum State {
        case ground
        /// After ESC.
        case escape
        /// After `ESC O`: one more character, or digits and then one.
        case singleShift
        /// After `ESC [`.
        case controlBegin
        /// Within the parameters.
        case control
        /// After `ESC [ [`, as the Linux console begins F1 to F5.
        case consoleFunction
        /// Of an answer, up to BEL or `ESC \`.
        case string
    }

    /// What follows ESC later than this is a key of its own: the rest of a sequence follows at once, but a slow line may cut
    /// it in two.
    static let patienceNanoseconds: UInt64 = 250_000_000

    private var state = State.ground
    private var lastNanoseconds: UInt64 = 0

    /// Takes the next bytes; returns the keys among them.
    ///
    /// - Parameter now: when they were read, on the monotonic clock.
    mutating func keys(in bytes: some Sequence<UInt8>, atNanoseconds now: UInt64) -> [Key] {
        if now &- lastNanoseconds > Self.patienceNanoseconds { state = .ground }
        lastNanoseconds = now
        return bytes.compactMap { take($0) }
    }

    private mutating func take(_ byte: UInt8) -> Key? {
        switch byte {
        case 0x1b:
            state = .escape
            return nil
        // CAN and SUB cancel a sequence.
        case 0x18, 0x1a:
            state = .ground
            return nil
        default: break
        }
        switch state {
        // A byte beyond ASCII is a part of a character that is no key of ours.
        case .ground: return byte < 0x80 ? .character(Character(UnicodeScalar(byte))) : nil
        case .escape: state = afterEscape(byte)
        case .singleShift:
            guard !isParameter(byte) else {
                state = .control
                return nil
            }
            state = .ground
            return Key(arrow: byte)
        case .controlBegin:
            state = byte == UInt8(ascii: "[") ? .consoleFunction : afterControl(byte)
            return Key(arrow: byte)
        case .control: state = afterControl(byte)
        case .consoleFunction: state = .ground
        case .string: if byte == 0x07 { state = .ground }
        }
        return nil
    }

    private func afterEscape(_ byte: UInt8) -> State {
        switch byte {
        case UInt8(ascii: "["): .controlBegin
        case UInt8(ascii: "O"): .singleShift
        // DCS, SOS, OSC, PM and APC.
        case UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "]"), UInt8(ascii: "^"), UInt8(ascii: "_"): .string
        // Intermediate bytes.
        case 0x20...0x2f: .escape
        // A character with Alt, or the end of a string.
        default: .ground
        }
    }

    /// Parameters and intermediate bytes lead on; the final byte, or one that has no place there, ends it.
    private func afterControl(_ byte: UInt8) -> State {
        (0x20...0x2f).contains(byte) || isParameter(byte) ? .control : .ground
    }

    private func isParameter(_ byte: UInt8) -> Bool { (0x30...0x3f).contains(byte) }
}
