/// What a jackd was told on its command line, read by the rules of getopt as jackd itself reads it.
struct JackServerWords {
    /// `nil` where it was not told, as with the two below.
    private(set) var name: String?
    /// As `alsa`.
    private(set) var driver: String?
    private(set) var rate: Int?
    private(set) var period: Int?
    private(set) var isSync = false
    /// Whether it was told to do without real time.
    private(set) var refusesRealtime = false

    /// The short options that take a value, as in jackd's getopt string.
    private static let withValue = Set("dXIPLltnpCac")
    /// The long options that take a value, and those that say something here. jackd2 and jackd1 have names of their own.
    private static let letters: [String: Character] = [
        "driver": "d", "audio-driver": "d", "midi-driver": "X", "slave-backend": "X", "internal-client": "I",
        "realtime-priority": "P", "loopback": "L", "loopback-driver": "L", "timeout": "t", "name": "n", "port-max": "p",
        "internal-session-file": "C", "autoconnect": "a", "clocksource": "c", "clock-source": "c", "sync": "S",
        "realtime": "R", "no-realtime": "r",
    ]

    /// - Parameter words: those behind the program's name.
    init(_ words: some Sequence<String>) {
        var rest = Array(words)[...]
        // -d names the driver, and all that follows is the driver's.
        while driver == nil, let word = rest.popFirst() { readServerOption(word, &rest) }
        while let word = rest.popFirst() { readDriverOption(word, &rest) }
    }

    private mutating func readServerOption(_ word: String, _ rest: inout ArraySlice<String>) {
        if let long = Self.long(word) {
            guard let letter = Self.letter(long.name) else { return }
            take(letter, long.value ?? (Self.withValue.contains(letter) ? rest.popFirst() : nil))
        } else if word.hasPrefix("-") {
            // Letters may be joined, up to the first that takes a value: the rest of the word, or the next word.
            var letters = word.dropFirst()
            while let letter = letters.popFirst() {
                guard Self.withValue.contains(letter) else {
                    take(letter, nil)
                    continue
                }
                take(letter, letters.isEmpty ? rest.popFirst() : String(letters))
                return
            }
        }
    }

    /// A driver takes each of its options with a value, which may be left out.
    private mutating func readDriverOption(_ word: String, _ rest: inout ArraySlice<String>) {
        guard word.hasPrefix("-") else { return }
        let (name, joined) = Self.long(word) ?? (String(word.dropFirst().prefix(1)), Self.some(word.dropFirst(2)))
        // Of those that take their time from another machine -p is something else.
        guard driver != "net", driver != "proxy" else { return }
        guard ["r", "p"].contains(name) || (name.count > 1 && ["rate", "period"].contains { $0.hasPrefix(name) }) else {
            return
        }
        let value = joined ?? (rest.first?.hasPrefix("-") == false ? rest.popFirst() : nil)
        guard let number = value.flatMap({ Int($0) }) else { return }
        if name.hasPrefix("r") { rate = number } else { period = number }
    }

    private mutating func take(_ letter: Character, _ value: String?) {
        switch letter {
        case "n": name = value ?? name
        case "d": driver = value
        case "S": isSync = true
        case "R": refusesRealtime = false
        case "r": refusesRealtime = true
        default: break
        }
    }

    /// Of a long option or the beginning of one, which getopt takes where it is that of no other.
    private static func letter(_ name: String) -> Character? {
        if let letter = letters[name] { return letter }
        let found = Set(letters.filter { $0.key.hasPrefix(name) }.values)
        return found.count == 1 ? found.first : nil
    }

    /// A long option, with the value behind its =; `nil` where it is none.
    private static func long(_ word: String) -> (name: String, value: String?)? {
        guard word.hasPrefix("--") else { return nil }
        let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return (String(parts[0]), parts.count > 1 ? String(parts[1]) : nil)
    }

    private static func some(_ text: Substring) -> String? { text.isEmpty ? nil : String(text) }
}
