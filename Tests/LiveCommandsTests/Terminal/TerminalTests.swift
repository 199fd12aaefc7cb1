import CommandTestSupport
import Foundation
import TerminalPages
import TestSupport
import Testing

@Suite("On a terminal")
struct TerminalTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Runs the command on a terminal of its own, with keys typed into it, and gives back all that was drawn, and the
    /// terminal's settings before and after.
    private func onTerminal(
        _ words: String, keys: [String] = [], signal: String? = nil, environment: [String: String] = [:]
    ) throws -> (code: Int32, screen: String, before: String, after: String, out: String) {
        let before = folder("before")
        let after = folder("after")
        let out = folder("out")
        let pid = folder("pid")
        let script = folder("script.sh")
        try """
        stty columns 80 rows 24
        stty -a > '\(before)'
        sh -c 'echo $$ > "\(pid)"; exec "\(CommandRun.program)" monitor --dummy \(words) > "\(out)"'
        code=$?
        stty -a > '\(after)'
        exit $code
        """.write(toFile: script, atomically: true, encoding: .utf8)
        let input = Pipe()
        var full = ["TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "NO_COLOR": ""]
        full.merge(environment) { $1 }
        let run = try CommandRun(
            ["-qefc", "sh '\(script)'", "/dev/null"], program: "/usr/bin/script", environment: full,
            input: input.fileHandleForReading)
        try run.wait(until: "the live view") { run.out.contains("xruns") }
        if let signal {
            let number = try String(contentsOfFile: pid, encoding: .utf8).trimmingCharacters(
                in: .whitespacesAndNewlines)
            try CommandRun.tool("kill", "-\(signal)", number)
        }
        for key in keys {
            // A whole page begins at the upper left corner. One is drawn after each key, and one each second.
            func pages() -> Int { run.out.components(separatedBy: "\u{1b}[H").count }
            let before = pages()
            if key == "q" {
                try run.wait(until: "what the last key has changed") { pages() > before }
            }
            input.fileHandleForWriting.write(Data(key.utf8))
            if key != "q" { try run.wait(until: "a page after \(key)") { pages() > before } }
        }
        let code = try run.end()
        try input.fileHandleForWriting.close()
        func read(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
        return (code, run.out, read(before), read(after), read(out))
    }

    private static let leaves = "\u{1b}[?25h\u{1b}[?1049l"

    @Test func `keys change the parameters and q ends the run`() throws {
        let run = try onTerminal("--json", keys: ["+", "+", "[", "s", "b", "m", "q"])
        #expect(run.code == 0)
        #expect(run.screen.contains("gain ") && run.screen.contains("+1.0 dB"))
        #expect(run.screen.contains("MUTE") && run.screen.contains("BYPASS"))
        #expect(run.screen.contains("choose one with s"), "a drive without a shape does nothing")
        let unit = try #require(try object(run.out)["unit"] as? [String: Any])
        #expect(unit["gainDecibels"] as? Double == 1)
        #expect(unit["driveDecibels"] as? Double == -0.5)
        #expect(unit["shape"] as? String == "hard", "the next one after off")
        #expect(unit["bypass"] as? Bool == true)
        #expect(run.screen.contains(Self.leaves))
        #expect(!run.before.isEmpty && run.before == run.after)
    }

    @Test func `Ctrl-S holds neither the page nor the end`() throws {
        let run = try onTerminal("", keys: ["\u{13}", "q"])
        #expect(run.code == 0 && run.screen.contains(Self.leaves) && run.before == run.after)
    }

    @Test func `in the background the screen stays the shell's`() throws {
        let words = "sh -mc \"'\(CommandRun.program)' monitor --dummy --seconds 1.5 & wait\""
        let run = try CommandRun(
            ["-qefc", words, "/dev/null"], program: "/usr/bin/script", environment: ["TERM": "xterm-256color"])
        #expect(try run.end() == 0)
        #expect(run.out.contains("xruns ") && !run.out.contains("\u{1b}[?1049h"), "\(run.out)")
    }

    @Test func `an arrow, another key without a character and a lone ESC change nothing`() throws {
        let arrows = [
            "\u{1b}", "\u{1b}[A", "\u{1b}[B", "\u{1b}OC", "\u{1b}OD", "\u{1b}[1;5A", "\u{1b}[15~", "\u{1b}[[A",
        ]
        let run = try onTerminal("--json", keys: arrows + ["+", "q"])
        #expect(run.code == 0)
        let unit = try #require(try object(run.out)["unit"] as? [String: Any])
        #expect(unit["driveDecibels"] as? Double == 0)
        #expect(unit["gainDecibels"] as? Double == 0.5, "the key behind them counts")
        #expect(unit["shape"] as? String == "off" && unit["bypass"] as? Bool == false)
    }

    @Test func `a key starts no voice processing that was not asked for, and says what would`() throws {
        let screen = try Screen("monitor --dummy --json", in: folder)
        try screen.wait(for: "xruns")
        screen.type("e")
        try screen.wait(for: "start with --voice webrtc")
        screen.type("R")
        try screen.wait(for: "start with --record FILE")
        screen.type("q")
        #expect(try screen.run.end() == 0)
        #expect(try screen.report()["voice"] is NSNull)
    }

    @Test func `voice processing that cannot have the rate stays off, and the view says why`() throws {
        let words = "monitor --dummy --rate 768k --period 8192 --channels 1 --loudness off --voice speex:off --json"
        let screen = try Screen(words, in: folder, columns: 120)
        try screen.wait(for: "xruns")
        let sentence = "voice cannot be set now: the voice processor works at sample rates of 1000 to 384000 Hz"
        screen.type("e")
        try screen.wait(for: sentence)
        screen.type("+")
        try screen.run.wait(until: "the gain has changed") {
            screen.page.contains("+0.5 dB") && !screen.page.contains(sentence)
        }
        screen.type("e")
        try screen.wait(for: sentence)
        screen.type("q")
        #expect(try screen.run.end() == 0)
        #expect(try screen.report()["voice"] is NSNull)
    }

    @Test func `a change is undone, and help comes and goes`() throws {
        let screen = try Screen("monitor --dummy --json --shape hard", in: folder, rows: 40)
        try screen.wait(for: "xruns")
        screen.type("++sm")
        try screen.wait(for: "MUTE")
        screen.type("uu")
        try screen.run.wait(until: "mute and shape are as before") {
            !screen.page.contains("MUTE") && screen.page.contains("shape hard")
        }
        screen.type("?")
        try screen.wait(for: "undo the last change")
        screen.type("?0")
        try screen.wait(for: "in 1 ")
        screen.type("q")
        #expect(try screen.run.end() == 0)
        let unit = try #require(try screen.report()["unit"] as? [String: Any])
        #expect(unit["gainDecibels"] as? Double == 1 && unit["shape"] as? String == "hard", "\(unit)")
    }

    @Test func `a recording is paused and goes on by a key`() throws {
        let take = folder("take.wav")
        let screen = try Screen("monitor --dummy --json --record '\(take)'", in: folder)
        // Before its first frame there is nothing to pause.
        try screen.wait(until: "a second of it", for: /00:00:(0[1-9]|[1-5]\d)/)
        screen.type("R")
        try screen.wait(for: "take.wav paused")
        screen.type("R")
        try screen.run.wait(until: "it goes on") {
            screen.page.contains("take.wav") && !screen.page.contains("take.wav paused")
        }
        screen.type("q")
        #expect(try screen.run.end() == 0)
        let recorded = try #require(try screen.report()["recorded"] as? [String: Any])
        #expect(recorded["frames"] as? Int ?? 0 > 0 && recorded["gaps"] as? Int ?? 0 > 0, "\(recorded)")
    }

    /// What a page holds of so many in a window of each size, `MeterFieldTests` and `ViewTests` look at without a terminal.
    @Test(arguments: [
        (2, [(60, 16), (80, 24), (200, 50), (200, 300)]), (32, [(60, 16), (200, 50)]), (256, [(80, 24), (200, 300)]),
    ])
    func `all channels are shown in each window`(_ channels: Int, windows: [(columns: Int, rows: Int)]) throws {
        // Long periods, as the sound of so many channels is not looked at here.
        let screen = try Screen(
            "monitor --dummy --period 1024 --channels \(channels)", in: folder, columns: windows[0].columns,
            rows: windows[0].rows, environment: ["NO_COLOR": ""])
        try screen.wait(for: "xruns")
        for (columns, rows) in windows {
            if (columns, rows) != windows[0] { try screen.resize(columns: columns, rows: rows) }
            // The last one, without what has changed since.
            let page = try #require(screen.pages.last?.split(separator: "\u{1b}[J").first)
            let pieces = page.split(separator: "\u{1b}[", omittingEmptySubsequences: false)
            let text = pieces[0] + pieces.dropFirst().map { $0.drop { !$0.isLetter }.dropFirst() }.joined()
            let words = text.split { $0 == " " || $0.isNewline }
            let meters = Set(
                words.indices.dropLast(2).filter {
                    ["in", "out"].contains(words[$0]) && Int(words[$0 + 1]) != nil
                        && words[$0 + 2].allSatisfy("█▏▎▍▌▋▊▉┃─".contains)
                }.map { "\(words[$0]) \(words[$0 + 1])" })
            let across = max(1, columns / 40)
            #expect(meters.count >= min(2 * channels, rows / 2 - 2) && meters.count <= 2 * channels, "\(text)")
            #expect(meters.count <= across * rows, "\(text)")
            #expect(text.contains("? help") || rows < 24, "\(text)")
            // One sequence at each change of colour: bar, mark and rest of a meter come to seven at the most.
            #expect(page.count { $0 == "\u{1b}" } < 14 * rows * across + 60)
        }
        #expect(!screen.run.out.contains("left out here"))
        screen.type("q")
        #expect(try screen.run.end() == 0, "\(screen.run.err) \(screen.run.out.suffix(2000))")
    }

    @Test(arguments: ["INT", "TERM", "HUP", "SEGV", "ABRT"])
    func `a signal gives the terminal back as it was`(_ signal: String) throws {
        let run = try onTerminal("", signal: signal)
        #expect(run.code != 0)
        #expect(run.screen.contains(Self.leaves))
        #expect(!run.before.isEmpty && run.before == run.after)
    }

    @Test func `a handler that ends the program gives back a page without a keyboard too`() async throws {
        await #expect(processExitsWith: .success) {
            var (master, device): (CInt, CInt) = (-1, -1)
            guard openpty(&master, &device, nil, nil, nil) == 0, dup2(device, STDERR_FILENO) >= 0,
                dup2(open("/dev/null", O_RDONLY), STDIN_FILENO) >= 0, setenv("TERM", "xterm-256color", 1) == 0,
                let terminal = Terminal()
            else { exit(2) }
            terminal.enter()
            StandardError.flush()
            withExtendedLifetime(terminal) { restoreTerminal() }
            var sent: [UInt8] = []
            var file = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
            // Nothing else is sent.
            while poll(&file, 1, 1000) > 0 {
                var bytes = [UInt8](repeating: 0, count: 4096)
                let count = read(master, &bytes, bytes.count)
                sent += bytes.prefix(max(0, count))
            }
            exit(String(decoding: sent, as: UTF8.self).hasSuffix("\u{1b}[?25h\u{1b}[?1049l") ? 0 : 1)
        }
    }

    @Test func `NO_COLOR is respected`() throws {
        let plain = try onTerminal("--seconds 1", environment: ["NO_COLOR": "1"])
        #expect(!plain.screen.contains("\u{1b}[1m") && !plain.screen.contains("\u{1b}[32m"))
        let colored = try onTerminal("--seconds 1")
        #expect(colored.screen.contains("\u{1b}[32m"))
    }

    @Test func `a dumb terminal gets a line a second`() throws {
        let input = Pipe()
        let run = try CommandRun(
            ["-qefc", "'\(CommandRun.program)' monitor --dummy --seconds 4", "/dev/null"],
            program: "/usr/bin/script", environment: ["TERM": "dumb"], input: input.fileHandleForReading)
        #expect(try run.end() == 0)
        #expect(!run.out.contains("\u{1b}"))
        // On a busy machine a second may go by without one.
        #expect((1...3).contains { run.out.contains("00:00:0\($0)  peak") })
    }
}
