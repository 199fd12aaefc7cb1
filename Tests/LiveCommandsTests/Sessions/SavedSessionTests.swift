import AudioDSP
import Foundation
import TestSupport
import Testing

@testable import CommandSyntax
@testable import LiveCommands
@testable import LiveRuns
@testable import TerminalPages

@Suite("What is saved of a run in a session, and opened again")
struct SavedSessionTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private var project: String { folder("song/iounit.nABCD") }

    /// The run that begins in a session which has `saved`, with words on the command line.
    private func opened(_ saved: String, _ words: String...) throws -> SessionOptions {
        try FileManager.default.createDirectory(atPath: project, withIntermediateDirectories: true)
        let file = SavedSession(folder: project, syntaxes: SessionCommand.syntaxes)
        try "[preset session]\ncommand = monitor\n\(saved)\n".write(
            toFile: file.path, atomically: true, encoding: .utf8)
        return try SessionOptions(
            words, .init(path: project, clientName: "iounit.nABCD"), file.load()
        ) {
            Issue.record("the user's settings have no say in a session that was saved")
            return nil
        }
    }

    @Test func `how a run stands is read again as the options of the same run`() throws {
        let file = SavedSession(folder: project, syntaxes: SessionCommand.syntaxes)
        var state = SavedSession.RunState()
        (state.setting.gainDecibels, state.setting.driveDecibels, state.setting.shape) = (-3.25, 12, .asymmetric)
        (state.setting.antialiasing, state.setting.phase, state.setting.hasMakeUpGain) = (.best, .minimum, true)
        (state.setting.isBypassed, state.setting.isMuted) = (true, true)
        state.bands = [
            .init(.lowShelf, hertz: 120, decibels: -6), .init(.notch, hertz: 50, q: 4, isOn: false),
            .init(.peak, hertz: 2500.5, q: 1.4, decibels: 3, isOn: false),
        ]
        state.effects.compressor = CompressorSetting(threshold: -33.5, attack: 0.5)
        state.effects.limiter = LimiterSetting()
        // One bypass is that of all of them.
        state.effects.compressor?.isBypassed = true
        state.effects.limiter?.isBypassed = true
        state.plugins = ["fomp/autowah,preset=A b,drive=3.0000002", "urn:other"]
        state.voice = "speex"
        let given = [
            ("server", "stage"), ("gain", "9"), ("plugin", "fomp/reverb"), ("seconds", "3"), ("follow-routes", ""),
            ("input", "a b"),
        ]
        let text = try file.text(subcommand: "monitor", given: given, state)
        let preset = try #require(
            SettingsFile(text, path: "session", syntaxes: SessionCommand.syntaxes).preset("session"))
        let words = preset.settings.map { $0.value.isEmpty ? "--\($0.name)" : "--\($0.name)=\($0.value)" }
        let options = try MonitorOptions(words)
        #expect(options.shaper.gainDecibels == -3.25 && options.shaper.driveDecibels == 12)
        #expect(options.shaper.shape == .asymmetric && options.shaper.antialiasing == .best)
        #expect(options.shaper.phase == .minimum && options.shaper.hasMakeUpGain && options.shaper.isBypassed)
        #expect(options.bands.map(\.isOn) == [true, false, false])
        #expect(options.bands.map(\.hertz) == [120, 50, 2500.5] && options.bands.map(\.decibels) == [-6, 0, 3])
        #expect(
            options.effects.compressor == state.effects.compressor && options.effects.limiter == state.effects.limiter)
        let voice = try #require(options.unit.parts[VoiceChoice.self])
        #expect(voice.engine == .speex && options.unit.server.name == "stage" && options.seconds == nil)
        #expect(options.unit.engine.followsRoutes && options.unit.plugins.words == state.plugins)
        #expect(throws: Failure.self) {
            try file.text(subcommand: "monitor", given: [("page-token", "geheim")], state)
        }
    }

    @Test func `states of plug-ins are beside it, and no larger than they may be`() throws {
        let file = SavedSession(folder: project, syntaxes: SessionCommand.syntaxes)
        let states = SavedPluginStates(folder: project)
        try file.save("[preset session]\n", states: ["one", nil, "three"])
        #expect((1...4).map { states.load($0) } == ["one", nil, "three", nil])
        try file.save("[preset session]\n", states: [nil, "two", nil])
        #expect((1...3).map { states.load($0) } == [nil, "two", nil])
        #expect(!FileManager.default.fileExists(atPath: states.path(1)))
        // One that could not be had takes nothing away.
        try file.save("[preset session]\n", states: ["one", nil, nil], keeping: [1])
        #expect((1...3).map { states.load($0) } == ["one", "two", nil])
        let large = String(repeating: "x", count: SavedPluginStates.largestBytes)
        try file.save("[preset session]\n", states: [large, large + "x"])
        #expect(states.load(1)?.utf8.count == large.utf8.count && states.load(2) == nil)
        try FileManager.default.createDirectory(atPath: states.path(3), withIntermediateDirectories: true)
        #expect(states.load(3) == nil)
        // The plug-ins of the session have them, those of the command line have not.
        try states.save(["first", "second"])
        let saved = "plugin = fomp/autowah\nplugin = fomp/reverb"
        #expect(try opened(saved, "monitor").options.unit.plugins.states == ["first", "second"])
        #expect(try opened(saved, "monitor", "--plugin", "fomp/reverb").options.unit.plugins.states == [nil])
    }

    @Test func `no draft stays in its folder of a program that was killed, and what else is there does`() async throws {
        await #expect(processExitsWith: .signal(SIGXFSZ)) { [path = project as String] in
            signal(SIGXFSZ, SIG_DFL)
            // The threads of a test block all that they can.
            var own = sigset_t()
            sigaddset(&own, SIGXFSZ)
            pthread_sigmask(SIG_UNBLOCK, &own, nil)
            var none = rlimit(rlim_cur: 0, rlim_max: 0)
            setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
            var few = rlimit(rlim_cur: 1000, rlim_max: 1000)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &few)
            let state = String(repeating: "x", count: 2000)
            try SavedSession(folder: path, syntaxes: []).save("[preset session]\n", states: [state])
        }
        func names() -> [String] { ((try? FileManager.default.contentsOfDirectory(atPath: project)) ?? []).sorted() }
        #expect(names().isEmpty, "\(names())")
        // As on a file system without files that have no name.
        try Data().write(to: URL(fileURLWithPath: "\(project)/.iounit-draft-1"))
        try Data().write(to: URL(fileURLWithPath: "\(project)/.iounit-take"))
        let file = SavedSession(folder: project, syntaxes: SessionCommand.syntaxes)
        try file.save("[preset session]\n", states: ["one"])
        #expect(names() == [".iounit-take", "plugin-1.ttl", "session"])
    }

    @Test func `is refused where another program has the lock of its folder for half a second`() throws {
        try FileManager.default.createDirectory(atPath: project, withIntermediateDirectories: true)
        let lock = open(project, O_RDONLY | O_DIRECTORY)
        defer { close(lock) }
        try #require(flock(lock, LOCK_EX) == 0)
        let file = SavedSession(folder: project, syntaxes: SessionCommand.syntaxes)
        let failure = #expect(throws: Failure.self) { try file.save("[preset session]\n") }
        #expect(failure?.message.contains("has held the session in \(file.path) for 0.5 s; try again") == true)
        try #require(flock(lock, LOCK_UN) == 0)
        try file.save("[preset session]\n")
    }

    @Test func `the parameter of a part is saved as it stands, and what only has the name of an option is not`() throws
    {
        let tempo = ParameterInfo.number("tempo", "beats a minute", 0...300)
        let groups = MonitorOptions.syntax.groups + [optionGroup("Click", Option(tempo))]
        let file = SavedSession(
            folder: project, syntaxes: [Syntax(name: "monitor", summary: "", groups: groups, notes: "")])
        var state = SavedSession.RunState()
        state.parameters = [(tempo, .number(132.5)), (.flag("control", "whether it moves"), .flag(true))]
        let text = try file.text(subcommand: "monitor", given: [("tempo", "90")], state)
        #expect(text.contains("tempo = 132.5\n") && !text.contains("90") && !text.contains("control"))
    }

    @Test func `voice processing that is off keeps its library`() throws {
        let file = SavedSession(folder: project, syntaxes: SessionCommand.syntaxes)
        var state = SavedSession.RunState()
        state.voice = VoiceChoice.off(.speex)
        let text = try file.text(subcommand: "monitor", given: [("voice", "speex"), ("far", "usb")], state)
        #expect(text.contains("voice = speex:off\n"))
        func voice(_ settings: String) throws -> VoiceChoice? {
            try opened(settings, "monitor").options.unit.parts[VoiceChoice.self]
        }
        let off = try #require(try voice("voice = speex:off\nfar = usb"))
        #expect(off.engine == .speex && !off.isOn && off.far == .ports(["usb"]))
        let on = try #require(try voice("voice = speex"))
        #expect(on.engine == .speex && on.isOn && on.far == .outputs)
        #expect(try voice("voice = off") == nil)
    }

    @Test func `names of files are saved from the root`() throws {
        let given = [
            ("source", "tape.wav"), ("source", "tone:440"), ("source", "/a/b.wav"), ("shape-table", "curve"),
            ("tls-cert", "a.pem"), ("tls-key", "b.pem"), ("tls-ca", "c.pem"), ("sdp", "d.sdp"), ("send", "file:e.flac"),
            ("send", "file://f.flac"), ("send", "file:///g.flac"), ("send", "rtp://10.0.0.1:5004"),
            ("token", "file:h"), ("password", "env:WORD"), ("page-token", "file:/i"), ("input", "capture"),
        ]
        let file = SavedSession(folder: project, syntaxes: SessionCommand.syntaxes)
        let saved = file.absolute(given, of: "monitor", in: "/work").map(\.value)
        #expect(
            saved == [
                "/work/tape.wav", "tone:440", "/a/b.wav", "/work/curve", "/work/a.pem", "/work/b.pem", "/work/c.pem",
                "/work/d.sdp", "file:/work/e.flac", "file:/work/f.flac", "file:/g.flac", "rtp://10.0.0.1:5004",
                "file:/work/h", "env:WORD", "file:/i", "capture",
            ])
    }

    @Test func `the force of a saved description replaces no recording`() throws {
        let stream = "send = rtp://127.0.0.1:5004\nsdp = /tmp/a.sdp\nforce"
        let opened = try self.opened(stream, "monitor", "--record", "/tmp/take.wav").options
        #expect(opened.unit.parts[StreamOptions.self]?.replaces == true)
        #expect(opened.recording?.settings.replaces == false)
        let forced = try self.opened(stream, "monitor", "--record", "/tmp/take.wav", "--force").options
        #expect(forced.recording?.settings.replaces == true)
        // Who has written both into the file means it.
        let saved = try self.opened("\(stream)\nrecord = take.wav", "monitor").options
        #expect(saved.recording?.settings.replaces == true)
    }

    @Test func `the command line wins over what was saved, and over what depends on that`() throws {
        let off = try opened("antialias = 2x\nphase = minimum\ngain = -3", "monitor", "--antialias", "off").options
        #expect(off.shaper.antialiasing == .off && off.shaper.gainDecibels == -3)
        let more = try opened("antialias = 2x\nphase = minimum", "monitor", "--antialias", "4x").options
        #expect(more.shaper.phase == .minimum)
        let tone = try opened("source = /a.wav\nloop", "monitor", "--source", "tone").options
        #expect(tone.unit.source?.kind == .tone(hertz: 440) && tone.unit.source?.loops == false)
        let server = try opened("dummy\nrate = 44100\nperiod = 64", "monitor", "--no-dummy").options
        #expect(server.unit.server.dummy == nil)
        #expect(
            try opened("shape = table\nshape-table = /c", "monitor", "--shape", "tanh").options.shaper.shape == .tanh)
    }

    @Test func `no-config is of the user's settings and not of the session, and a preset is refused`() throws {
        let opened = try opened("gain = -3\nmidi", "monitor", "--no-config")
        #expect(opened.options.shaper.gainDecibels == -3)
        #expect(!opened.given.contains { $0.name == "no-config" })
        let apart = #expect(throws: Failure.self) { try self.opened("gain = -3", "monitor", "--preset", "live") }
        let attached = #expect(throws: Failure.self) { try self.opened("gain = -3", "monitor", "--preset=live") }
        for failure in [apart, attached] {
            #expect(failure?.code == .usage && failure?.message.contains("in a session that has been saved") == true)
        }
    }

    @Test func `mappings of MIDI are left out with no-config, and kept where they were`() throws {
        let place = SettingsPlace(path: folder("midi"))
        try "nonsense\n".write(toFile: place.path, atomically: true, encoding: .utf8)
        let without = try #require(try opened("midi", "monitor", "--no-config").options.unit.parts[MIDIOptions.self])
            .load(
                place)
        #expect(without.mappings.isEmpty && without.place?.path == place.path)
        let with = try #require(try opened("midi", "monitor").options.unit.parts[MIDIOptions.self])
        #expect(throws: Failure.self) { try with.load(place) }
    }

    @Test func `the option that leaves a file out is named where it does`() throws {
        try FileManager.default.createDirectory(atPath: folder("iounit/midi"), withIntermediateDirectories: true)
        let mappings = try #require(
            SettingsPlace(environment: ["XDG_CONFIG_HOME": folder.path], name: "midi"))
        let session = SettingsPlace(path: folder("iounit/midi"))
        let settings = #expect(throws: Failure.self) { try mappings.read() }
        #expect(settings?.message.hasSuffix("mend it, or leave it out with --no-config") == true)
        let saved = #expect(throws: Failure.self) { try session.read() }
        #expect(saved?.message.hasSuffix("mend it, or remove it") == true)
    }
}
