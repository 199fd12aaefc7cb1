import AudioReports
import CommandSyntax

/// How what a controller sends moves a control.
enum MIDIMode: String, CaseIterable {
    /// As a fader stands, so does the control. A key switches over, or acts, when it is pressed.
    case absolute
    /// A button that sends a value when it is pressed and 0 when it is let go: each press switches over, or acts.
    case toggle
    /// An encoder that sends steps: 1, 2, … up and 127, 126, … down.
    case twosComplement = "twos-complement"
    /// An encoder that sends steps: 65, 66, … up and 63, 62, … down.
    case offset
    /// An encoder that sends steps: 1, 2, … up and 65, 66, … down.
    case signMagnitude = "sign-magnitude"

    /// Steps of an encoder, up or down; `nil` where it is none.
    ///
    /// - Parameter value: 0…127.
    func steps(_ value: Int) -> Int? {
        switch self {
        case .absolute, .toggle: nil
        case .twosComplement: value < 64 ? value : value - 128
        case .offset: value - 64
        case .signMagnitude: value & 0x40 == 0 ? value : -(value & 0x3f)
        }
    }
}

/// What of a controller moves which control, and how.
struct MIDIMapping: Equatable {
    /// Of the run: `gain`, `eq/1/hertz`.
    var control: String
    var source: MIDISource
    var mode = MIDIMode.absolute
}

extension MIDIMapping: CustomStringConvertible {
    /// As a line of the file.
    var description: String { "\(control) = \(source)" + (mode == .absolute ? "" : " \(mode.rawValue)") }
}

/// The text of the file of mappings: a line for each, `gain = 1/cc7`, and comments (`# …`).
enum MIDIMapText {
    static let fileName = "midi"

    /// - Parameter path: for messages.
    /// - Throws: `config`, with the line.
    static func parse(_ text: String, path: String) throws(Failure) -> [MIDIMapping] {
        var mappings: [MIDIMapping] = []
        for (index, line) in SettingsFile.lines(text).enumerated() where !SettingsFile.isIdle(line) {
            let place = "\(shown(path)):\(index + 1)"
            guard let mapping = try mapping(line, place) else {
                throw Failure(
                    .configuration,
                    "\(place): a line is CONTROL = SOURCE [MODE], as in gain = 1/cc7 or shape = 1/note60")
            }
            mappings.append(mapping)
        }
        return mappings
    }

    /// - Returns: `nil` where the line has not the form of one.
    private static func mapping(_ line: String, _ place: String) throws(Failure) -> MIDIMapping? {
        let parts = line.split(separator: "=", omittingEmptySubsequences: false).map { trimmed($0) }
        guard parts.count == 2, !parts[0].isEmpty else { return nil }
        let words = parts[1].split(whereSeparator: \.isWhitespace)
        guard (1...2).contains(words.count) else { return nil }
        guard let source = MIDISource(words[0]) else {
            throw Failure(
                .configuration,
                "\(place): a source is CHANNEL/ and cc7, cc7+39, nrpn258, note60 or bend, as in 1/cc7")
        }
        let modes = MIDIMode.allCases.map(\.rawValue)
        guard let mode = words.count == 2 ? MIDIMode(rawValue: String(words[1])) : .absolute else {
            throw Failure(.configuration, "\(place): a mode is one of \(modes.joined(separator: ", "))")
        }
        if mode.steps(0) != nil {
            guard case .control = source.kind else {
                throw Failure(.configuration, "\(place): \(mode.rawValue) is for a controller of seven bits, as 1/cc7")
            }
        }
        return MIDIMapping(control: parts[0], source: source, mode: mode)
    }

    /// The text with a mapping in the place of those of its control and of its source.
    static func replacing(_ text: String, with mapping: MIDIMapping) -> String {
        removing(text) { $0.control == mapping.control || $0.source == mapping.source } + "\(mapping)\n"
    }

    /// The text without the mappings of a control.
    static func removing(_ text: String, control: String) -> String { removing(text) { $0.control == control } }

    private static func removing(_ text: String, where isOut: (MIDIMapping) -> Bool) -> String {
        var lines = SettingsFile.lines(text)
        if lines.last == "" { lines.removeLast() }
        // Whatever else is there stays.
        lines.removeAll { !SettingsFile.isIdle($0) && (((try? mapping($0, "")) ?? nil).map(isOut) ?? false) }
        return lines.map { "\($0)\n" }.joined()
    }
}
