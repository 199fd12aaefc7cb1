/// What of a MIDI controller is moved: a fader, a knob, a key.
struct MIDISource: Hashable {
    enum Kind: Hashable {
        /// A controller of seven bits.
        case control(Int)
        /// Controllers n and n + 32, which are one of fourteen bits.
        case pair(Int)
        /// A non-registered parameter (NRPN), 0…16382, of fourteen bits: the number 16383 stands for none.
        case parameter(Int)
        case note(Int)
        /// The pitch bend, of fourteen bits, as the faders of a Mackie Control send it.
        case bend
    }

    /// 1…16.
    var channel: Int
    var kind: Kind

    /// The highest value that it sends.
    var top: Int {
        switch kind {
        case .control, .note: 127
        case .pair, .parameter, .bend: 16383
        }
    }
}

// As it is written in the file of mappings: 1/cc7, 1/cc7+39, 1/nrpn258, 16/note60, 3/bend.
extension MIDISource: CustomStringConvertible {
    var description: String {
        switch kind {
        case .control(let number): "\(channel)/cc\(number)"
        case .pair(let number): "\(channel)/cc\(number)+\(number + 32)"
        case .parameter(let number): "\(channel)/nrpn\(number)"
        case .note(let number): "\(channel)/note\(number)"
        case .bend: "\(channel)/bend"
        }
    }

    /// - Returns: `nil` where the text stands for none.
    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let channel = Self.number(parts[0], 1...16) else { return nil }
        self.channel = channel
        let word = parts[1]
        if word == "bend" {
            kind = .bend
        } else if word.hasPrefix("nrpn"), let number = Self.number(word.dropFirst(4), 0...16382) {
            kind = .parameter(number)
        } else if word.hasPrefix("note"), let number = Self.number(word.dropFirst(4), 0...127) {
            kind = .note(number)
        } else if word.hasPrefix("cc") {
            let numbers = word.dropFirst(2).split(separator: "+", omittingEmptySubsequences: false)
            guard numbers.count <= 2, let first = Self.number(numbers[0], 0...127) else { return nil }
            guard numbers.count == 2 else {
                kind = .control(first)
                return
            }
            guard first < 32, Self.number(numbers[1], 32...63) == first + 32 else { return nil }
            kind = .pair(first)
        } else {
            return nil
        }
    }

    /// Digits alone, without a sign or needless zeros.
    private static func number(_ text: some StringProtocol, _ range: ClosedRange<Int>) -> Int? {
        guard let number = Int(text), range.contains(number), String(number) == text else { return nil }
        return number
    }
}
