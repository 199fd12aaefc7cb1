import Testing

@testable import CommandSyntax
@testable import TerminalPages
@testable import iounit

@Suite("The file of settings")
struct SettingsFileTests {
    private static let syntaxes = Command.subcommands.map(\.syntax)

    private func file(_ text: String) throws -> SettingsFile {
        try SettingsFile(text, path: "config", syntaxes: Self.syntaxes)
    }

    private func syntax(_ name: String) throws -> Syntax {
        try #require(Self.syntaxes.first { $0.name == name })
    }

    /// The words that a subcommand gets.
    private func words(_ text: String, _ name: String, _ given: String...) throws -> [String] {
        let file = try file(text)
        return try Settings(given, syntax(name)) { file }.words
    }

    @Test func `holds options for all, for one and under names`() throws {
        let file = try file(
            """
            # Mine.
              server = stage

            [monitor]
            title-less = 1
            """.replacing("title-less = 1", with: "follow-routes\ninput = head set\ninput=capture")
                + "\n[preset warm]\ncommand = monitor\nshape = tanh\n[preset tape]\ncommand = record\n"
                + "title = \"  Take 1 \"\nargument = a b.wav\n")
        #expect(file.everywhere == [.init(name: "server", value: "stage", line: 2)])
        #expect(
            file.subcommands["monitor"] == [
                .init(name: "follow-routes", value: "", line: 5), .init(name: "input", value: "head set", line: 6),
                .init(name: "input", value: "capture", line: 7),
            ])
        #expect(file.presets.map(\.name) == ["warm", "tape"])
        #expect(file.preset("tape")?.settings.first?.value == "  Take 1 ")
        #expect(file.preset("tape")?.operands == ["a b.wav"])
        #expect(
            file.preset("tape")?.commandLine(Self.syntaxes) == "iounit record --title '  Take 1 ' 'a b.wav'")
    }

    @Test(arguments: [
        ("servr = x", 1, "did you mean server?"), ("\n\n[monitr]", 3, "did you mean [monitor]?"),
        ("[monitor]\ngian = 3", 2, "did you mean gain?"), ("[monitor]\n--gain = 3", 2, "written without dashes"),
        ("[monitor]\ngain", 2, "gain needs a value"), ("[monitor]\nbypass = yes", 2, "bypass takes no value"),
        ("[monitor", 1, "ends with ]"), ("[monitor]\n[monitor]", 2, "put both into one"),
        ("[monitor]\nhelp", 2, "no option \"help\""), ("[monitor]\npreset = x", 2, "no option \"preset\""),
        ("[preset a b]", 1, "[preset NAME]"), ("[preset ä]", 1, "letters, digits"),
        ("[preset x]\ngain = 3", 2, "command = monitor"), ("[preset x]", 1, "needs a subcommand"),
        ("[preset x]\ncommand = monitr", 2, "did you mean monitor?"),
        ("[preset x]\ncommand = monitor\nargument = a", 1, "no argument"), ("[preset]", 1, "[preset NAME]"),
        ("[preset x]\ncommand = preset", 2, "name of a subcommand"),
        ("[send]\ntoken = sesame", 2, "file:PATH or env:NAME"),
        ("[preset x]\ncommand = monitor\nsend = icecast://source:word@h:1/a", 3, "a password in it"),
        ("[preset x]\ncommand = monitor\nsend = icecast://source:a/word@h:1/a", 3, "a password in it"),
        ("[monitor]\nsend = ws://h:1/?token=word", 2, "a token in it"),
        ("[monitor]\nsend = ws://h:1/?%74oKen%3Dword", 2, "a token in it"),
        ("[monitor]\nsend = ws://h:1/?a=%zz&p%61ssword=word", 2, "a token in it"),
    ])
    func `that is wrong is an error with its line, which repeats no secret`(
        _ text: String, _ line: Int, _ says: String
    ) throws {
        let failure = #expect(throws: Failure.self) { try file(text) }
        #expect(failure?.code == .configuration)
        let message = failure?.message ?? ""
        #expect(message.hasPrefix("config:\(line): ") && message.contains(says), "\(message)")
        #expect(!message.contains("sesame") && !message.contains("word@"))
        #expect(!message.contains("=word") && !message.contains("Dword"))
    }

    @Test func `may have come from an editor of Windows`() throws {
        let text = "# mine\r\n[monitor]\r\ngain = 3\r\n[preset x]\r\ncommand = monitor\r\n"
        let file = try file(text)
        #expect(file.subcommands["monitor"] == [.init(name: "gain", value: "3", line: 3)])
        let preset = try #require(file.preset("x"))
        #expect(PresetCommand.without(preset, text) == "# mine\r\n[monitor]\r\ngain = 3\r")
        // Notepad begins a text with a byte order mark.
        #expect(try self.file("\u{feff}gain = 3").everywhere == [.init(name: "gain", value: "3", line: 1)])
        #expect(try self.file("\u{feff}" + text).subcommands["monitor"]?.map(\.name) == ["gain"])
    }

    @Test(arguments: ["\u{301}x", " \u{301}", "\"\u{301}", "\u{301} ", "a=\u{301}", "="])
    func `keeps a value that begins with a combining mark, as a command line does`(_ title: String) throws {
        for words in [["--title=\(title)"], ["--title", title]] {
            let given = try Arguments(words, syntax("record"))
            // By scalars: strings that look alike are equal.
            #expect(given.value("title").map { Array($0.unicodeScalars) } == Array(title.unicodeScalars))
            let preset = Preset(name: "x", subcommand: "record", given: given.all)
            let read = try file(preset.lines(Self.syntaxes).joined(separator: "\n")).preset("x")
            #expect(read?.settings.first.map { Array($0.value.unicodeScalars) } == Array(title.unicodeScalars))
            #expect(preset.isSame(as: read))
        }
    }

    @Test func `gives way to a preset, and both to the command line`() throws {
        let text = "gain = 1\n[monitor]\ngain = 2\ndrive = 2\n[preset warm]\ncommand = monitor\ndrive = 3\nname = amp\n"
        #expect(try words(text, "monitor") == ["--gain=2", "--drive=2"])
        #expect(try words(text, "play", "a.wav") == ["--gain=1", "--", "a.wav"])
        #expect(try words(text, "ports") == [])
        #expect(try words(text, "monitor", "--preset", "warm") == ["--gain=2", "--drive=3", "--name=amp"])
        #expect(
            try words(text, "monitor", "--preset=warm", "--drive", "4") == ["--gain=2", "--name=amp", "--drive=4"])
        #expect(try words(text, "monitor", "--no-config", "--gain", "9") == ["--no-config", "--gain", "9"])
    }

    @Test func `holds before the first section where the option means the same`() throws {
        let text = "loudness = off\noutput = headset\nsend = ws://h:1/x\n"
        #expect(try words(text, "monitor") == ["--loudness=off", "--output=headset", "--send=ws://h:1/x"])
        #expect(try words(text, "play", "a.wav") == ["--output=headset", "--send=ws://h:1/x", "--", "a.wav"])
        for name in ["info", "picture"] { #expect(try words(text, name, "a.wav") == ["--", "a.wav"], "\(name)") }
        #expect(try words(text, "latency") == [])
        #expect(try words(text + "[picture]\noutput = a.png\n", "picture") == ["--output=a.png"])
        // A flag has no value, by which it is told apart.
        #expect(try words("loudness\n", "info", "a.wav") == ["--loudness", "--", "a.wav"])
        #expect(try words("loudness\n", "monitor") == [])
        #expect(try words("loudness\nloudness = off\n", "monitor") == ["--loudness=off"])
    }

    @Test func `has what can be given several times from one place alone`() throws {
        let text = "[monitor]\ninput = a\ninput = b\n[preset x]\ncommand = monitor\ninput = c\n"
        #expect(try words(text, "monitor") == ["--input=a", "--input=b"])
        #expect(try words(text, "monitor", "--preset", "x") == ["--input=c"])
        #expect(try words(text, "monitor", "--input", "d") == ["--input=d"])
    }

    @Test func `gives way to what contradicts it`() throws {
        let text = "server = stage\nreconnect = auto\nperiod = 128\n[monitor]\ninput = x\n"
        #expect(try words(text, "monitor") == ["--server=stage", "--reconnect=auto", "--input=x"])
        #expect(try words(text, "monitor", "--dummy") == ["--period=128", "--input=x", "--dummy"])
        #expect(
            try words(text, "monitor", "--no-connect") == ["--server=stage", "--reconnect=auto", "--no-connect"])
        #expect(try words("[beat]\ninput = x\njson\n", "beat", "a.wav") == ["--json", "--", "a.wav"])
        #expect(try words("seconds = 5\n", "jitter", "--cycles", "9") == ["--cycles=9"])
        let rates = "rate = 44100\nfile-rate = 16k\n"
        #expect(try words(rates, "record", "a.wav") == ["--file-rate=16k", "--", "a.wav"])
        #expect(
            try words(rates, "record", "--dummy", "a.wav") == [
                "--rate=44100", "--file-rate=16k", "--dummy", "--", "a.wav",
            ])
        #expect(try words(rates, "convert", "a.wav", "b.wav") == ["--file-rate=16k", "--", "a.wav", "b.wav"])
        #expect(try words(rates, "monitor") == [])
    }

    @Test func `leaves out what the kind of file has no use for`() throws {
        let all = "quality = 0.5\ncompression = 1\ndither = shaped\n"
        #expect(try words(all, "record", "a.wav") == ["--", "a.wav"])
        #expect(try words(all, "record", "a.opus") == ["--quality=0.5", "--", "a.opus"])
        #expect(
            try words(all, "convert", "a.wav", "b.flac") == [
                "--compression=1", "--dither=shaped", "--", "a.wav", "b.flac",
            ])
        // The input's samples may be integers.
        #expect(try words(all, "convert", "a.wav", "b.wav") == ["--dither=shaped", "--", "a.wav", "b.wav"])
        #expect(
            try words(all, "convert", "--bits", "float", "a.wav", "b.wav") == ["--bits=float", "--", "a.wav", "b.wav"])
        #expect(try words("bits = 16\n", "record", "a.opus", "b.mp3") == ["--", "a.opus", "b.mp3"])
        // Also where it is the only file, and could not be made so.
        #expect(try words("bits = alaw\n", "record", "a.flac") == ["--", "a.flac"])
        #expect(try words("bits = alaw\n", "convert", "a.wav", "b.flac") == ["--", "a.wav", "b.flac"])
        #expect(try words("bits = 16\n", "record", "a.flac") == ["--bits=16", "--", "a.flac"])
        // A preset has to be right as it is.
        let preset = "[preset x]\ncommand = record\nquality = 0.5\n"
        #expect(try words(preset, "record", "--preset", "x", "a.wav") == ["--quality=0.5", "--", "a.wav"])
    }

    @Test func `waits with what needs another option`() throws {
        let text = "[monitor]\ngaps = cut\nphase = minimum\ncontrol\nfar = x\ncodec = opus\n"
        #expect(try words(text, "monitor") == [])
        #expect(try words(text, "monitor", "--record", "a.wav") == ["--gaps=cut", "--record=a.wav"])
        #expect(try words("[record]\ngaps = cut\n", "record", "a.wav") == ["--gaps=cut", "--", "a.wav"])
        let voice = "[monitor]\nvoice-options = gain\nfar = x\n"
        #expect(
            try words(voice, "monitor", "--voice", "speex") == ["--voice-options=gain", "--far=x", "--voice=speex"])
        // What is switched off has no use for them either.
        #expect(try words(voice, "monitor", "--voice", "off") == ["--voice=off"])
        #expect(try words(voice + "voice = off\n", "monitor") == ["--voice=off"])
        #expect(try words(voice + "voice = webrtc\n", "monitor", "--voice", "off") == ["--voice=off"])
        for name in ["monitor", "receive", "send", "serve", "jitter", "compare", "latency", "diff", "history"] {
            #expect(try words("force\n", name) == [], "\(name)")
        }
        for (name, option) in [
            ("monitor", "--record"), ("send", "--sdp"), ("jitter", "--csv"), ("diff", "--html"),
            ("history", "--openmetrics"),
        ] {
            #expect(try words("force\n", name, option, "a") == ["--force", "\(option)=a"])
        }
        for name in ["record", "convert", "picture"] {
            #expect(try words("force\n", name, "a.wav") == ["--force", "--", "a.wav"])
        }
        let path = "[latency]\nsend = a\n"
        #expect(try words(path, "latency") == [] && words(path, "latency", "--self-loop") == ["--self-loop"])
        #expect(try words(path, "latency", "--return", "b") == ["--send=a", "--return=b"])
        // A preset has to be right as it is.
        let preset = "[preset x]\ncommand = monitor\ngaps = cut\n"
        #expect(try words(preset, "monitor", "--preset", "x") == ["--gaps=cut"])
    }

    @Test(arguments: [
        ("play", "loop", ["-"]), ("play", "transport", ["-"]), ("play", "loop", ["--freewheel", "a.wav"]),
        ("record", "split = 10s\noverlap = 1s\npeaks\njson", ["-"]), ("convert", "json", ["a.wav", "-"]),
        ("record", "on-rate-change = convert", ["--file-rate=16k", "a.wav"]),
        ("record", "file-rate = 16k", ["--on-rate-change=convert", "a.wav"]),
        ("record", "split = 10s\noverlap = 20s", ["--split=15s", "a.wav"]),
        ("record", "source = a.wav\nloop", ["--source=tone", "b.wav"]),
        ("send", "token = env:T\nframe = 10\nsdp = a.sdp\nforce", ["tcp://h:1"]),
        ("send", "token = env:T\nstream-title = x\npassword = env:P", ["rtp://h:1"]),
        ("send", "sdp = a.sdp", ["rtp://h:1", "rtp://h:3"]), ("send", "tls-ca = a.pem", ["ws://h:1"]),
        ("receive", "token = env:T\ntls-ca = a.pem", ["rtp://h:1"]),
        ("receive", "token = env:T\ncodec = opus\nstream-rate = 16k\nstream-channels = 1", ["tcp://h:1"]),
        ("monitor", "antialias = 4x\nphase = minimum", ["--antialias=adaa"]),
        ("monitor", "source = a.wav\nloop", ["--source=tone"]), ("serve", "loudness = on", ["--channels=200"]),
        ("tune", "send = rtp://h:1\nstream-genre = jazz", ["--send=tcp://h:1"]),
    ])
    func `gives way to a value or an argument that it means nothing beside`(
        _ name: String, _ settings: String, _ given: [String]
    ) throws {
        let file = try file("[\(name)]\n\(settings)\n")
        let (options, operands) = (given.filter { $0.hasPrefix("--") }, given.filter { !$0.hasPrefix("--") })
        #expect(
            try Settings(given, syntax(name)) { file }.words
                == options + (operands.isEmpty ? [] : ["--"] + operands))
    }

    @Test func `stays where it means something`() throws {
        let all =
            "[send]\ntoken = env:T\nstream-title = x\n[record]\nsplit = 10s\noverlap = 2s\n[monitor]\nphase = minimum\n"
        #expect(
            try words(all, "send", "tcp://h:1", "wss://h:1", "icecast://h:1/a") == [
                "--token=env:T", "--stream-title=x", "--", "tcp://h:1", "wss://h:1", "icecast://h:1/a",
            ])
        // What cannot be understood is refused with the reason, and not what is said beside it.
        #expect(try words(all, "send", "tcp:/h") == ["--token=env:T", "--stream-title=x", "--", "tcp:/h"])
        #expect(
            try words(all, "record", "--split=15s", "a.wav") == ["--overlap=2s", "--split=15s", "--", "a.wav"])
        #expect(try words(all, "monitor", "--antialias=2x") == ["--phase=minimum", "--antialias=2x"])
    }

    @Test(arguments: [
        ("voice = speex\nfar = x", "--voice=off"), ("reconnect = auto\nreconnect-limit = 9s", "--reconnect=never"),
        ("antialias = 4x\nphase = minimum", "--antialias=off"), ("antialias = 4x\nphase = minimum", "--antialias=adaa"),
        ("midi\nmidi-port = nano", "--no-midi"), ("source = a.wav\nloop", "--source=tone"),
        ("loudness = on", "--channels=200"), ("send = ws://h:1/x\ntoken = env:T", "--send=tcp://h:1"),
        ("dummy\nperiod = 64\nsync", "--server=stage"),
    ])
    func `of a preset gives way to the command line with what depends on it`(
        _ settings: String, _ given: String
    ) throws {
        let text = "[preset p]\ncommand = monitor\n\(settings)\n"
        #expect(try words(text, "monitor", "--preset=p", given) == (given == "--no-midi" ? [] : [given]))
        #expect(try words(text, "monitor", "--preset=p").count == settings.split(separator: "\n").count)
    }

    @Test func `of a preset stays where what it depends on is there`() throws {
        let text =
            "[preset p]\ncommand = monitor\nantialias = 4x\nphase = minimum\n[preset t]\ncommand = tune\nserver = stage\n"
        #expect(
            try words(text, "monitor", "--preset=p", "--antialias=2x") == ["--phase=minimum", "--antialias=2x"])
        #expect(try words(text, "tune", "--preset=t") == ["--server=stage"])
        #expect(try words(text, "tune", "--preset=t", "a.wav") == ["--", "a.wav"])
    }

    @Test func `goes with JACK's transport, or with another start`() throws {
        let both = "[record]\ntransport\nrepeat\n"
        #expect(try words(both, "record", "a.wav") == ["--transport", "--repeat", "--", "a.wav"])
        let loud = "[record]\nthreshold = -40dB\nsilence = 2s\nrepeat\npreroll = 5s\n"
        #expect(
            try words(loud, "record", "--transport", "a.wav") == ["--repeat", "--transport", "--", "a.wav"])
        #expect(try words("[record]\nrepeat\n", "record", "a.wav") == ["--", "a.wav"])
        for start in ["wait", "at = 22:00"] {
            #expect(
                try words("[record]\n\(start)\n", "record", "--transport", "a.wav")
                    == ["--transport", "--", "a.wav"])
        }
        for start in ["--wait", "--at=22:00", "--threshold=-40dB", "--preroll=5s"] {
            #expect(try !words(both, "record", start, "a.wav").contains("--transport"), "\(start)")
        }
        let list = "[play]\nloop\nshuffle\n"
        #expect(try words(list, "play", "--transport", "a.wav") == ["--transport", "--", "a.wav"])
        #expect(try words("[play]\ntransport\n", "play", "--loop", "a.wav") == ["--loop", "--", "a.wav"])
    }

    @Test func `has ports for MIDI where there is MIDI`() throws {
        let text = "[monitor]\nmidi-port = nano\n"
        #expect(try words(text, "monitor") == [])
        #expect(try words(text, "monitor", "--midi") == ["--midi-port=nano", "--midi"])
        #expect(try words(text + "midi\n", "monitor") == ["--midi-port=nano", "--midi"])
        #expect(try words(text + "midi\n", "monitor", "--no-midi") == [])
    }

    @Test func `asks for plug-ins that are safe where there are plug-ins`() throws {
        let text = "[play]\nplugin-only-safe\n"
        #expect(try words(text, "play", "a.wav") == ["--", "a.wav"])
        #expect(try words(text, "play", "--plugin", "a/b", "a.wav").contains("--plugin-only-safe"))
    }

    @Test func `takes back a flag, and keeps the arguments of a preset unless there are others`() throws {
        let text = "[monitor]\nbypass\njson\n[preset tape]\ncommand = record\nargument = -x.wav\n"
        #expect(try words(text, "monitor", "--no-bypass") == ["--json"])
        #expect(try words(text, "record", "--preset", "tape") == ["--", "-x.wav"])
        #expect(try words(text, "record", "--preset", "tape", "b.wav") == ["--", "b.wav"])
        // With a file or without one.
        #expect(try Settings(["--no-bypass"], syntax("monitor")) { nil }.words == [])
        let unknown = #expect(throws: Failure.self) { try words(text, "monitor", "--no-gain") }
        #expect(unknown?.code == .usage)
    }

    @Test(arguments: ["beat", "tune"])
    func `of JACK gives way to a file, which a preset may name too`(_ name: String) throws {
        let text = "server = stage\n[\(name)]\ninput = x\n[preset p]\ncommand = \(name)\nargument = a.wav\njson\n"
        #expect(try words(text, name) == ["--server=stage", "--input=x"])
        #expect(try words(text, name, "a.wav") == ["--", "a.wav"])
        #expect(try words(text, name, "--preset", "p") == ["--json", "--", "a.wav"])
        #expect(try words(text, name, "--preset", "p", "b.wav") == ["--json", "--", "b.wav"])
    }

    @Test func `is named where one of its values is refused, and no other error`() throws {
        let file = try file("[monitor]\n\ngain = loud\n")
        let settings = try Settings(["--drive", "x"], syntax("monitor")) { file }
        let blamed = settings.blamed(Failure(.usage, "--gain takes decibels", of: "gain"))
        #expect(blamed.code == .configuration && blamed.message == "config:3: --gain takes decibels")
        #expect(settings.blamed(Failure(.usage, "--drive takes decibels", of: "drive")).code == .usage)
        #expect(settings.blamed(Failure(.noServer, "--gain", of: "gain")).code == .noServer)
    }

    /// What a subcommand that reads these settings ends by, as the program tells it.
    ///
    /// - Parameter given: the words behind it, with blanks between them.
    private func refusal(_ text: String, _ name: String, _ given: String) throws -> Failure? {
        let file = try file(text)
        let settings = try Settings(given.split(separator: " ").map(String.init), syntax(name)) { file }
        let subcommand = try #require(Command.subcommands.first { $0.syntax.name == name })
        do {
            _ = try subcommand.read(settings.words)
            return nil
        } catch {
            return settings.blamed(Failure.from(error))
        }
    }

    @Test(arguments: [
        ("bitrate = 96k", "send", "tcp://h:1", "bit rate"), ("frame = 7", "send", "rtp://h:1", "2.5, 5, 10"),
        ("stream-rate = 44.1k", "send", "rtp://h:1", "48000, 24000"), ("fec", "send", "tcp://h:1", "correction"),
        ("codec = flac", "send", "rtp://h:1", "opus, pcm16 or pcm24"),
        ("channels = 9", "send", "tcp://h:1", "1 to 8 channels"),
        ("send = tcp://h:1\nsend = tcp://h:1", "monitor", "", "named twice"),
        ("send = file:a.flac", "monitor", "--record=a.flac", "named twice"),
        ("listen = a/b", "serve", "", "no address"), ("serve = a/b", "monitor", "", "no address"),
        (String(repeating: "queue = 64\n", count: 8), "compare", "", "too many"),
        ("bits = alaw", "record", "--preset=p a.flac", "does not hold alaw"),
        ("bits = alaw", "convert", "--preset=p a.wav b.flac", "does not hold alaw"),
    ])
    func `is named where values do not go together, or not with the arguments`(
        _ lines: String, _ name: String, _ given: String, _ says: String
    ) throws {
        // What contradicts the arguments gives way to them, but in a preset.
        let isPreset = given.contains("--preset=p")
        let head = isPreset ? "[preset p]\ncommand = \(name)\n" : "[\(name)]\n"
        let failure = try #require(try refusal(head + lines + "\n", name, given))
        #expect(failure.code == .configuration && failure.message.hasPrefix("config:"), "\(failure.message)")
        #expect(failure.message.contains(says), "\(failure.message)")
    }

    @Test(arguments: [
        ("stream-rate = 48k\nchannels = 2", "send", "--bitrate=96k tcp://h:1"),
        ("codec = opus\nbitrate = 96k", "send", "--frame=7 rtp://h:1"), ("bits = 16", "record", "take"),
        ("bits = 16", "convert", "a.wav take"),
    ])
    func `is not named where the command line is wrong`(_ lines: String, _ name: String, _ given: String) throws {
        let failure = try #require(try refusal("[\(name)]\n\(lines)\n", name, given))
        #expect(failure.code == .usage, "\(failure.message)")
    }

    @Test(arguments: ["compare", "monitor"])
    func `has a preset of its own in compare alone`(_ name: String) throws {
        let failure = #expect(throws: Failure.self) { try words("", name, "--preset", "sead") }
        #expect(failure?.code == .usage && failure?.message.contains("seed?") == (name == "compare"))
        let all = "channels = 1\n[compare]\nperiod = 128\nqueue = 10ms\nseconds = 3\n"
        if name == "compare" {
            #expect(
                try words(all, name, "--preset", "seed", "--dummy") == ["--seconds=3", "--preset=seed", "--dummy"])
        }
        if name == "compare" { #expect(try words("", name, "--preset", "seed", "--dummy").contains("--preset=seed")) }
    }

    @Test func `that cannot be read to its end says why`() throws {
        // A regular file that can be opened: where it begins, no process has memory.
        let failure = #expect(throws: Failure.self) { try SettingsPlace(path: "/proc/self/mem").read() }
        #expect(failure?.code == .configuration)
        #expect(failure?.message.contains("it cannot be read to its end (Input/output error)") == true)
    }

    @Test func `is where the specification of XDG has it`() throws {
        #expect(SettingsPlace(environment: ["HOME": "/h"])?.path == "/h/.config/iounit/config")
        #expect(SettingsPlace(environment: ["HOME": "/h", "XDG_CONFIG_HOME": "/x"])?.path == "/x/iounit/config")
        for folder in ["", "relative"] {
            let place = SettingsPlace(environment: ["HOME": "/h", "XDG_CONFIG_HOME": folder])
            #expect(place?.path == "/h/.config/iounit/config")
        }
        #expect(SettingsPlace(environment: [:]) == nil)
    }
}
