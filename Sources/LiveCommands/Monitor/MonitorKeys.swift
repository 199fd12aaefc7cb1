import AudioReports
import TerminalPages

/// What the keys of `monitor` are for, in the order of their use.
enum MonitorKeys {
    /// For the last lines of the view.
    static let short = [
        "+ - gain", "[ ] drive", "s shape", "a antialias", "c compensate", "b bypass", "e voice", "m mute", "p pause",
        "R record", "u undo", "0 reset", "v picture", "? help", "q quit",
    ]

    /// Those that switch a control over, take its next word, or do it.
    static let controls: [Key: String] = [
        "s": "shape", "a": "antialias", "c": "compensate", "b": "bypass", "e": "voice", "m": "mute", "p": "pause",
        "R": "record", "u": "undo",
    ]

    /// Of a control that this run does not have: what it takes to have it.
    static let missing = [
        "voice": "there is no voice processing to switch: start with --voice webrtc:off, or --voice webrtc",
        "record": "there is no recording to pause: start with --record FILE",
    ]

    static let all: [(key: String, meaning: String)] = [
        ("+  -", "gain, in steps of 0.5 dB"),
        ("]  [", "drive into the shape, in steps of 0.5 dB"),
        ("s", "next shape; off leaves the sound alone"),
        ("a", "next way to keep the shape's overtones from folding back"),
        ("c", "compensate the drive's level, or do not"),
        ("b", "bypass: no equaliser, compressor, gain, shape, plug-in or limiter"),
        ("e", "voice processing on or off, where --voice names one"),
        ("m", "mute the outputs"),
        ("p", "pause: fade out, and let taps and recordings wait"),
        ("r", "go on, where a server came back (with --reconnect ask)"),
        ("R", "recording on or off, where --record names a file"),
        ("l", "learn: choose a control, and move what of a MIDI controller is to move it (with --midi)"),
        ("u", "undo the last change, and the one before it"),
        ("0", "reset peaks, loudness, xruns, lost time and last minutes; the report keeps all"),
        ("v  V", "next and previous picture: waveform, oscilloscope, bands, spectrum, spectrogram, equaliser"),
        ("up down", "the other channels, where they do not all find room; so does the wheel"),
        ("left right", "the oscilloscope's time"),
        ("?", "this, the next page of it, or back"),
        ("Ctrl-Z", "leave the graph in good time and stop; fg comes back"),
        ("q", "end, with the report"),
    ]

    /// What the keys are for, in as many pages as it takes; `?` turns them.
    ///
    /// - Parameter others: what follows in the same way: parameters that no key is for.
    static func pages(on page: Page, _ others: [(key: String, meaning: String)] = []) -> [[String]] {
        let rows = all + others
        let width = min(rows.map(\.key.count).max() ?? 0, page.columns / 2) + 4
        let entries = rows.map { key, meaning in
            wrapped(meaning, width: page.columns - 1 - width).enumerated().map { number, words in
                var line = page.line()
                line.add(padded(number == 0 ? "  \(key)" : "", width), .bold)
                line.add(words)
                return line.text
            }
        }
        // One line is the head's.
        let room = max(1, page.rows - 1)
        var pages: [[String]] = [[]]
        for entry in entries {
            if !pages[pages.count - 1].isEmpty, pages[pages.count - 1].count + entry.count > room { pages.append([]) }
            for line in entry {
                if pages[pages.count - 1].count == room { pages.append([]) }
                pages[pages.count - 1].append(line)
            }
        }
        return pages
    }
}
