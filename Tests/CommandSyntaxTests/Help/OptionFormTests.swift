import AudioDSP
import CommandTestSupport
import Testing

@testable import CommandSyntax
@testable import FileCommands
@testable import LiveCommands
@testable import MeasuringCommands
@testable import TerminalPages
@testable import iounit

@Suite("How options are written and explained")
struct OptionFormTests {
    @Test func `what the help of an option names is an option of the same subcommand`() {
        for syntax in Command.subcommands.map(\.syntax) {
            for option in syntax.options {
                let named = option.help.matches(of: /--([a-z][a-z0-9-]*)/).map { String($0.output.1) }
                let others = named.filter { syntax.option($0) == nil }
                // ports lists what options of other subcommands take.
                #expect(others.isEmpty || syntax.name == "ports", "\(syntax.name) --\(option.name): \(others)")
            }
        }
    }

    @Test func `what is meant by a word of other programs is there`() {
        let options = Set(Command.subcommands.flatMap(\.syntax.options).map(\.name))
        for (_, meant) in Synonyms.options { #expect(meant.allSatisfy(options.contains), "\(meant)") }
        let names = Set(Command.subcommands.map(\.syntax.name))
        for (others, meant) in Synonyms.subcommands {
            #expect(meant.allSatisfy(names.contains) && others.isDisjoint(with: names), "\(meant)")
        }
    }

    @Test func `behind an option whose level may be left out 0 is the level, and a file of that name is told so`()
        throws
    {
        let words = ["--format", "wav", "a.wav", "--trim"]
        #expect(throws: Failure.self) { try ConvertOptions(words + ["0"]) }
        for file in [["./0"], ["--", "0"]] {
            let options = try ConvertOptions(words + file)
            #expect(options.conversion.trimDecibels == -60 && options.jobs.first?.output == file.last)
        }
        #expect(ConvertOptions.syntax(.none).option("trim")?.help.contains("a file named 0 is ./0") == true)
    }

    @Test func `a short form means the long one`() throws {
        for word in ["-h", "--help"] { #expect(try CommandRun.run("monitor", word).out.contains("-s, --server NAME")) }
        let options = try MonitorOptions(["--dummy", "-p128", "-c", "4", "--rate=44.1k"])
        #expect(options.unit.server.dummy?.periodFrames == 128 && options.unit.server.dummy?.sampleRate == 44100)
        #expect(options.channels == 4)
        #expect(try MonitorOptions(["-s", "stage"]).unit.server.name == "stage")
        #expect(try MonitorOptions(["-sstage"]).unit.server.name == "stage")
        #expect(try PictureOptions(["a.wav", "-o", "b.png"]).output == "b.png")
        // A value may begin with a combining mark.
        #expect(MonitorOptions.syntax.parts(of: "-s=\u{301}x")?.value == "\u{301}x")
        #expect(
            MonitorOptions.syntax.parts(of: "-s=")?.value == "" && MonitorOptions.syntax.parts(of: "-s")?.value == nil)
    }

    @Test func `two dashes end the options, where there is nothing behind them too`() throws {
        #expect(try MonitorOptions(["-s", "stage", "--"]).unit.server.name == "stage")
        #expect(throws: Failure.self) { try MonitorOptions(["--", "-s", "stage"]) }
    }

    @Test func `of a flag and its --no- form the last counts`() throws {
        func flags(_ words: String...) throws -> [String] {
            try Settings(words, MonitorOptions.syntax) { nil }.words
        }
        #expect(try flags("--json", "--gain", "3", "--no-json") == ["--gain", "3"])
        #expect(try flags("--no-json", "--json") == ["--json"])
    }

    @Test(arguments: [
        ("64", 64), ("64frames", 64), ("64 frames", 64), ("128 Frames", 128), ("5ms", 240), ("0.005s", 240),
    ])
    func `a period is frames, or the time that they last`(_ word: String, _ frames: Int) throws {
        #expect(try MonitorOptions(["--dummy", "--period", word]).unit.server.dummy?.periodFrames == frames)
    }

    @Test func `numbers take the unit of what they measure`() throws {
        let options = try MonitorOptions(["--dummy", "--seconds", "2min", "--gain", "-3 dB", "--drive=12dB"])
        #expect(options.seconds == 120 && options.shaper.gainDecibels == -3 && options.shaper.driveDecibels == 12)
        let queues = try CompareOptions(["--queue", "10ms", "--queue", "512", "--queue", "480 frames", "--queue=1920B"])
        #expect(queues.sizes == [.milliseconds(10), .frames(512), .frames(480), .bytes(1920)])
        #expect(try JitterOptions(["--seconds", "0.5h", "--warmup", "500ms"]).common.seconds == 1800)
        #expect(try ReceiveOptions(["--buffer", "0.02s", "rtp://a:1"]).settings.bufferMilliseconds == 20)
        #expect(try TuneOptions(["--a4", "442Hz"]).reference == 442)
    }

    @Test func `a number has its range and default in one place: the help tells them, and it is read by them`() throws {
        let count = TypedOption<Int>.number("count", .integer, 2...64, initial: 3, "buffers")
        let time = TypedOption<Double>.number("time", .seconds, 0.5...10, initial: 1.5, "how long")
        let level = TypedOption<Double>.number("level", .decibels, -20...6, initial: 0, "how loud")
        let syntax = Syntax(
            name: "x", summary: "x", groups: [("Numbers", [count.option, time.option, level.option])], notes: "",
            takesSettings: false)
        let help = syntax.help(HelpText(width: 80))
        #expect(help.contains("buffers, 2 to 64 (3)") && help.contains("how long (1.5s)"))
        #expect(help.contains("how loud, -20 to 6 (0)"))
        let none = try Arguments([], syntax)
        #expect(try none.value(of: count) == 3 && none.value(of: time) == 1.5 && none.value(of: level) == 0)
        let given = try Arguments(["--count", "64", "--time", "500ms", "--level=-20dB"], syntax)
        #expect(try given.value(of: count) == 64 && given.value(of: time) == 0.5 && given.value(of: level) == -20)
        let beyond = try Arguments(["--count", "65", "--time", "11", "--level", "7"], syntax)
        #expect { try beyond.value(of: count) } throws: { ($0 as? Failure)?.options == ["count"] }
        #expect(throws: Failure.self) { try beyond.value(of: time) }
        #expect(throws: Failure.self) { try beyond.value(of: level) }
    }

    /// Each kind takes 5, and nothing of this, which some readers of numbers take, or have no room for.
    @Test(arguments: [
        "1e400", "-1e400", "9223372036854775808", "-9223372036854775809", OptionFormTests.nines,
        OptionFormTests.nines + "s", OptionFormTests.nines + "k", OptionFormTests.nines + ":00", "nan", "-nan", "inf",
        "-inf", "infinity", "0x10", "0x5", "0x1p2", "5_0", " 5", "5 ", "５", "٥", "1:99:99", "1:", ":1", "1e3ms", "-1",
        "", "+", "-", ".",
        "5.5.5",
    ])
    func `what is no number, or beyond each of them, is refused by its option`(_ word: String) throws {
        let frames = FrameOption("frames", 1...10, initial: 1, "") { $0 }
        let rate = TypedOption<Int?>.bitRate("rate", "")
        let moment = TypedOption<Int64?>.moment("moment", "")
        let readers: [(name: String, read: (Arguments) throws -> Any?)] = [
            ("integer", { try $0.number("integer", .integer, 1...10) }),
            ("hertz", { try $0.number("hertz", .hertz, 1...10) }),
            ("number", { try $0.number("number", .number, 1...10) }),
            ("pitch", { try $0.number("pitch", .pitch, 1...10) }),
            ("level", { try $0.number("level", .decibels, 1...10) }),
            ("time", { try $0.number("time", .seconds, 1...10) }),
            ("milliseconds", { try $0.number("milliseconds", .milliseconds, 1...10) }),
            ("frames", { try $0.value(of: frames, sampleRate: 48000) }),
            ("rate", { try $0.value(of: rate) }), ("moment", { try $0.value(of: moment) }),
        ]
        let syntax = Syntax(
            name: "x", summary: "x", groups: [("Numbers", readers.map { Option($0.name, "N", "") })], notes: "",
            takesSettings: false)
        for (name, read) in readers {
            let arguments = try Arguments(["--\(name)=\(word)"], syntax)
            #expect("--\(name)") {
                _ = try read(arguments)
            } throws: {
                ($0 as? Failure)?.options == [name]
            }
        }
        let later = try Arguments(["--moment=+\(word)"], syntax)
        #expect(throws: Failure.self) { try later.value(of: moment) }
        let five = try Arguments(readers.map { "--\($0.name)=\($0.name == "moment" ? "+5" : "5")" }, syntax)
        for (name, read) in readers { #expect(try read(five) != nil, "--\(name)") }
    }

    @Test(arguments: ["0x5", "0x1p2", "5_0", "inf", "nan", "1e400"])
    func `what is no decimal number is refused where one stands within a word, too`(_ word: String) throws {
        for unit in ["", "dB", "Hz", "ms"] {
            let info = ParameterInfo.number("size", "size", 0...100, unit: unit)
            #expect(info.value(word: word) == nil, "\(unit)")
            #expect(info.value(word: "1.5k") == (["dB", "ms"].contains(unit) ? nil : .number(1500)))
            #expect(info.value(word: "2kHz") == (unit == "Hz" ? .number(2000) : nil))
            // A small one that was saved.
            #expect(info.value(word: "1e-05") == .number(0.00001) && info.value(word: "-5.5") == .number(-5.5))
        }
        for goal in ["lufs=-\(word)", "peak=-\(word)dB", "-\(word)"] {
            #expect(throws: Failure.self) { try ConvertOptions(["a.wav", "b.wav", "--normalise", goal]) }
        }
        #expect(throws: Failure.self) { try MonitorOptions(["--dummy", "--eq", "peak:1k:-3:\(word)"]) }
        #expect(throws: Failure.self) { try DiffOptions(["a", "b", "--fail-if", "p99+\(word)%"]) }
        #expect(throws: (any Error).self) { try MonitorOptions(["--dummy", "--source", "tone:\(word)"]) }
        _ = try ConvertOptions(["a.wav", "b.wav", "--normalise", "peak=-5dB"])
        _ = try MonitorOptions(["--dummy", "--eq", "peak:1k:-3:5", "--source", "tone:5"])
        _ = try DiffOptions(["a", "b", "--fail-if", "p99+5%"])
    }

    /// As large as a number can be, but for its last digits: with a unit it is larger.
    private static let nines = String(repeating: "9", count: 308)

    @Test func `a zero may have a sign`() throws {
        let arguments = try Arguments(["--dummy", "--gain=-0", "--wait-ports=-0", "--input=x"], MonitorOptions.syntax)
        #expect(try arguments.number("wait-ports", .seconds, 0...1e9) == 0)
        #expect(try arguments.number("gain", .decibels, -60...12) == 0)
    }

    @Test func `a choice has its words in one place, and what may be left open says so`() throws {
        let way = TypedOption<Bool>.choice(
            "way", "WAY", [true, false], { $0 ? "up" : "down" }, initial: false, "where to", isListed: true)
        let turn = TypedOption<Int?>.choice("turn", "TURN", [1, 2], { "x\($0)" }, "x1 is once, x2 twice")
        let most = TypedOption<Int?>.number("most", .integer, 1...9, usual: "all", "how many", more: "; or none")
        let time = TypedOption<Double?>.number("time", .seconds, 0...9, "how long")
        let syntax = Syntax(
            name: "x", summary: "x", groups: [("Choices", [way.option, turn.option, most.option, time.option])],
            notes: "", takesSettings: false)
        #expect(
            syntax.options.dropLast().map(\.help)
                == [
                    "where to: up or down (down)", "x1 is once, x2 twice", "how many, 1 to 9 (all); or none",
                    "how long",
                ])
        #expect(syntax.options.dropLast().map(\.choices) == [["up", "down"], ["x1", "x2"], [], []])
        let none = try Arguments([], syntax)
        #expect(try !none.value(of: way) && none.given(way) == nil && none.value(of: turn) == nil)
        #expect(try none.value(of: most) == nil && none.value(of: time) == nil)
        let given = try Arguments(["--way", "up", "--turn=x2", "--most", "9", "--time", "500ms"], syntax)
        #expect(try given.value(of: way) && given.given(way) == true && given.value(of: turn) == 2)
        #expect(try given.value(of: most) == 9 && given.value(of: time) == 0.5)
        let wrong = try Arguments(["--way", "left", "--turn", "2", "--most", "10"], syntax)
        #expect { try wrong.value(of: way) } throws: { ($0 as? Failure)?.options == ["way"] }
        #expect(throws: Failure.self) { try wrong.value(of: turn) }
        #expect(throws: Failure.self) { try wrong.value(of: most) }
    }

    /// A row of a table, a heading, an example or an option with its value is one word of it, as it is copied.
    @Test(arguments: [40, 60, 100]) func `help is wrapped at the width of the terminal`(_ width: Int) {
        let format = HelpText(width: width)
        for syntax in Command.subcommands.map(\.syntax) {
            let lines = syntax.help(format).split(separator: "\n")
            let long = lines.filter {
                $0.count > width && $0.contains(/[a-z,] [a-z].*[a-z] [a-z]/) && !$0.contains("iounit ")
            }
            #expect(long.isEmpty, "\(long.joined(separator: "\n"))")
            if width == 100, syntax.name == "monitor" { #expect(lines.contains { $0.count > 85 }, "\(syntax.name)") }
        }
    }

    @Test func `help fits a terminal of 80 columns`() throws {
        var texts = try [CommandRun.run().out, CommandRun.run("help", "figures").out]
        texts.append(try CommandRun.run("help", "settings").out)
        texts += Command.subcommands.map { $0.syntax.help(HelpText(width: 80)) }
        try #require(texts.count >= 20)
        let long = texts.flatMap { $0.split(separator: "\n") }.filter { $0.count > 80 }
        #expect(long.isEmpty, "\(long.joined(separator: "\n"))")
    }
}
