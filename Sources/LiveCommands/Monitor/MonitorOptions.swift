import AudioDSP
import AudioFigures
import AudioIO
import AudioMetering
import AudioRealtime
import AudioStreaming
import CommandSyntax
import FileCommands
import LiveRuns
import PluginCommands
import ServerRuns
import TerminalPages
import Threads

struct MonitorOptions {
    static let syntax = Syntax(
        name: "monitor", summary: "render input to output live: gain, waveshaper, meters, recording",
        groups: [OfflineOptions.group] + unitGroups + VoiceParts.groups + [runGroup],
        notes: """
            The signal: input, voice, equaliser, compressor, gain, drive, shape, plug-ins, limiter, output; y = shape(drive * gain * x).
            Keys on a terminal: + - gain, [ ] drive, s shape, a antialias, c compensate, b bypass, e voice, m mute,
            p pause, r resume, R record, u undo, 0 reset, up and down other channels, v and V the next and the previous picture
            of the sound (meters, waveform, oscilloscope, bands, spectrum, spectrogram, equaliser), ? help, q quit.
            """)

    private static let loudness = TypedOption<Bool?>.choice(
        "loudness", "WHEN", [true, false], { $0 ? "on" : "off" },
        usual: "on, up to \(MonitorChain.mostMeteredChannels) channels",
        "measure loudness (EBU R 128) and true peak of the outputs", isListed: true)
    private static let channelCount = TypedOption<Int>.number(
        "channels", short: "c", .integer, UnitConfiguration.channelRange, initial: 2,
        "inputs in_1 to in_N and outputs out_1 to out_N")

    @Sendable private static func loudnessRefusal(_ arguments: Arguments) -> String? {
        let limit = LoudnessMeter.channelRange.upperBound
        guard (try? arguments.value(of: loudness)) == true, let channels = try? arguments.value(of: channelCount),
            channels > limit
        else { return nil }
        return "on is for up to \(limit) channels"
    }

    @Sendable private static func phaseRefusal(_ arguments: Arguments) -> String? {
        guard let word = try? arguments.value(of: ShaperSetting.antialias.info)?.word,
            let mode = Antialiasing(name: word), mode.oversampling <= 1
        else { return nil }
        return "is of filters, which only --antialias 2x, 4x, adaa+2x and best have"
    }

    /// The curves, and last that there is none.
    private static let shapes =
        (Shape.allCases.filter { $0 != .off }.map(\.name) + [Shape.off.name]).listed("or") + ", which changes no sample"
    private static let antialiasing =
        "how to reduce the shaper's aliases: " + Antialiasing.allCases.map(\.name).listed("or")

    /// What makes the sound, which is the same offline.
    private static let pathOptions =
        ([
            Option(ShaperSetting.gain.info, "gain"),
            Option(ShaperSetting.drive.info, more: "; given without --shape, it sets the shape to cubic"),
            Option(ShaperSetting.shape.info, shapes).replaces(["shape-table"]),
            ShapeTableFile.option(", with x increasing").replaces([ShaperSetting.shape.info.name]),
            Option(ShaperSetting.antialias.info, antialiasing, placeholder: "MODE"),
            Option(
                ShaperSetting.phase.info,
                "of the filters of 2x, 4x, adaa+2x and best: linear, 65 to 70 frames, or minimum, about 4"
            )
            .needs(["antialias"]).refused(beside: ["antialias"], phaseRefusal),
            Option(
                ShaperSetting.compensate.info,
                "keep the output's level whatever the drive, that of a low sine of -12 dB"),
            EqualiserOptions.bands.option,
        ] + Effects.options + PluginPath.options("after the shape") + [
            Option(
                flag: "bypass",
                "pass the input through bit-exact: no equaliser, compressor, gain, shape, plug-in or limiter (a plug-in with a switch of "
                    + "its own does it itself)"
            )
        ]).map { $0.usableOffline() }

    /// What both `monitor` and `serve` have beside a server.
    static let unitGroups: [OptionGroup] = [
        ("Unit", [channelCount.option.usableOffline(), RunOptions.name.option] + pathOptions),
        optionGroup(
            "Connections",
            RouteOptions.input().option, RouteOptions.output().option, PortWait.option(for: ["input", "output"]),
            RouteOptions.follow,
            RouteOptions.none),
        (
            "Sound",
            SourceOptions.options(usual: " (with --dummy: tone)").map { $0.usableOffline() } + SideRecording.options
                + [loudness.option.usableOffline().refused(beside: ["channels"], loudnessRefusal)]
        ),
    ]

    static let runGroup = RunOptions.group(.json(MonitorReport.kind), last: [RunOptions.seconds.option.usableOffline()])

    /// `nil` for a run on a server.
    let offline: OfflineOptions?
    var unit: UnitOptions
    private(set) var shaper = ShaperSetting()
    /// Of the equaliser before the unit.
    var bands: [EqualiserBand]
    let effects: Effects
    /// Of the shape `table`: not read yet.
    private let shapeTablePath: String?
    /// `nil` for none.
    var recording: SideRecording?
    /// Whether the recording goes to the standard output.
    var usesOutput: Bool { recording?.usesOutput ?? false }
    /// `nil` where nothing is said.
    let measuresLoudness: Bool?
    let seconds: Double?
    /// Whether it is a session that was saved. It must open again, also where the server has another rate.
    let isRestored: Bool
    /// Inputs, and outputs.
    var channels: Int { unit.engine.outputChannels }
    /// Whether the sound does not go by the clock: the run's length is counted in frames.
    var isUntimed: Bool { offline != nil || unit.server.freewheels }
    /// Whether something but keys can change the run: then there is an equaliser that can be.
    var isControlled: Bool {
        unit.parts[PageOptions.self]?.configuration.hasControls ?? false || unit.parts[OSCOptions.self] != nil
    }

    /// - Parameters:
    ///   - servesPage: whether there is a page in any case, as of `iounit serve`.
    ///   - isRestored: whether the words are those of a session that was saved.
    init(_ words: [String], servesPage: Bool = false, isRestored: Bool = false) throws(Failure) {
        self.isRestored = isRestored
        let arguments = try Arguments(words, servesPage ? Self.serveSyntax : Self.syntax)
        offline = try OfflineOptions(arguments)
        seconds = try arguments.value(of: RunOptions.seconds)
        let channels = try arguments.value(of: Self.channelCount)
        unit = try UnitOptions(
            monitoring: arguments, channels: channels, parts: VoiceParts.self, isOffline: offline != nil)
        try arguments.read(ShaperSetting.fields, into: &shaper)
        bands = try arguments.value(of: EqualiserOptions.bands)
        effects = try Effects(arguments, isBypassed: shaper.isBypassed)
        recording = try SideRecording(arguments)
        measuresLoudness = try arguments.value(of: Self.loudness)
        (shaper.shape, shapeTablePath) = try arguments.curve(
            arguments.has(ShaperSetting.shape.info) ? shaper.shape : nil, keepsTable: isRestored)
        if isUntimed { recording?.settings.maximumSeconds = seconds }
        try arguments.require(
            !isUntimed || seconds != nil || unit.source?.ends ?? false,
            "--\(offline == nil ? "freewheel" : "offline") goes by no clock, so the run needs an end: a file to play "
                + "with --source, or --seconds TIME", of: "source", "seconds")
    }

    /// The curve of `--shape-table`, which is read now.
    func shapeTable() throws(FileError) -> ShapeTable? {
        do throws(FileError) {
            return try shapeTablePath.map { path throws(FileError) in try ShapeTableFile(path).table }
        } catch {
            // A session opens without a curve that it does not begin with.
            guard isRestored, shaper.shape != .table else { throw error }
            StandardError.complain("\(error); the shape table is left out")
            return nil
        }
    }

    /// Of the equaliser that the run begins with; none where none was asked for, and none can be.
    var equaliserBands: [EqualiserBand] { bands.isEmpty && isControlled ? Self.flatBands : bands }

    /// For a page, on which they are dragged, and for other controls. They cost nothing until then.
    private static let flatBands = [
        EqualiserBand(.lowShelf, hertz: 100), EqualiserBand(.peak, hertz: 300, q: 1),
        EqualiserBand(.peak, hertz: 1000, q: 1),
        EqualiserBand(.peak, hertz: 3000, q: 1), EqualiserBand(.highShelf, hertz: 8000),
    ]
}

extension MonitorOptions {
    /// Of `iounit serve`: what `monitor` has, with a page in any case.
    static let serveSyntax = Syntax(
        name: "serve", summary: "show the unit on a page in the browser, and let it be heard there",
        groups: [ServerOptions.group, PageOptions.serveGroup] + unitGroups
            + VoiceParts.groups.filter { $0.heading != PageOptions.group.heading } + [runGroup],
        notes: """
            It is iounit monitor with a page, at http://\(PageAddress.loopback):\(PageAddress.usualPort)/. There also are:
              \(PageServer.streamPaths.joined(separator: ", "))  endless files for any player
              /stream?codec=opus   a WebSocket of packets (\(StreamOpening.formName))
              /status.json         the figures of --json as of now
              /metrics             OpenMetrics for Prometheus
              /healthz             200, or 503 and why, for a watchdog
            Exit codes: 68 for a name that stands for no address, 69 for an address that is not this machine's, 73 for a port
            that is taken, 77 for one that this user may not have.
            \(ExitCode.interruption)
            Keys on a terminal as in iounit monitor.
            """)
}
