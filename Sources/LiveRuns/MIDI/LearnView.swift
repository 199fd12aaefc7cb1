import AudioReports
import TerminalPages

/// The part of the live view in which controls are mapped: a list of them, and what moves each.
package struct LearnView {
    private var selected = 0
    package private(set) var isOpen = false

    package init() {}

    /// Acts on a key; returns whether it meant something here.
    package mutating func press(_ key: Key, _ table: ControlTable, _ midi: MIDIControl?) -> Bool {
        guard let midi else { return false }
        guard isOpen else {
            isOpen = key == "l"
            return isOpen
        }
        let names = table.all.map(\.name)
        switch key {
        case "l":
            if midi.learning != nil { midi.cancelLearning() } else { isOpen = false }
        case .up: move(by: -1, names.count, midi)
        case .down: move(by: 1, names.count, midi)
        case "\r", "\n", " ": midi.learn(names[selected])
        case "d": midi.forget(names[selected])
        case "q", "Q", "\u{4}": return false
        default: break
        }
        return true
    }

    private mutating func move(by step: Int, _ count: Int, _ midi: MIDIControl) {
        midi.cancelLearning()
        selected = min(max(selected + step, 0), count - 1)
    }

    package func lines(on page: Page, _ table: ControlTable, _ midi: MIDIControl) -> [String] {
        let names = table.all.map(\.name)
        let width = (names.map(\.count).max() ?? 0) + 2
        let rows = names.enumerated().map { index, name in
            var line = page.line()
            let sources = midi.mappings.filter { $0.control == name }.map {
                "\($0.source)" + ($0.mode == .absolute ? "" : " \($0.mode.rawValue)")
            }
            line.add(index == selected ? (page.hasUnicode ? " ▶ " : " > ") : "   ", .green)
            line.add(padded(name, width), index == selected ? .bold : .plain)
            if midi.learning == name {
                line.add(" move a fader or knob, or press a button ", .lamp)
            } else {
                line.add(sources.joined(separator: ", "))
            }
            return line.text
        }
        let head = page.flow([[(" iounit ", .active)], [("MIDI learn", .plain)]]) + [""]
        let keys =
            [""]
            + page.flow(
                ["up down choose", "Enter learn", "d forget", "l back", "q quit"].map { [($0, .dim)] })
        let notices = page.trouble(midi.trouble) + (midi.news.map { page.flow([[($0, .bold)]]) } ?? [])
        let room = max(1, page.rows - head.count - keys.count - notices.count)
        // The chosen one in the middle, where not all find room.
        let start = max(0, min(selected - room / 2, rows.count - room))
        return Array((head + rows[start..<min(rows.count, start + room)] + notices + keys).prefix(max(1, page.rows)))
    }
}
