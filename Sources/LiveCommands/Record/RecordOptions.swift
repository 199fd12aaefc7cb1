import AudioDSP
import AudioFiles
import AudioIO
import AudioRecording
import AudioReports
import CommandSyntax
import FileCommands
import Glibc
import LiveRuns
import PluginCommands
import ServerRuns
import Threads

struct RecordOptions: SubcommandOptions {
    static let syntax = Syntax(
        name: "record", summary: "record ports to files of any kind, several at once, and lose nothing",
        groups: [
            ServerOptions.freewheelingGroup,
            (
                "Files",
                [sampleRate.option]
                    + FileKind.options(
                        name: "each name's", stored: "how samples are stored where a kind of file has a choice",
                        usual: "float; 24 in FLAC")
                    + EncoderOptions.options + [
                        resampler.option, dither.option,
                        title, artist, comment, ofFiles(peaks), Option.force(),
                    ]
            ),
            optionGroup(
                "When",
                wait.excludes(["at", "threshold", "transport"], twoStarts).replaces(["silence", "repeat"]),
                moment.option.excludes(["threshold", "transport"], twoStarts).replaces(["silence", "repeat"]),
                threshold.option.excludes(["transport"], twoStarts),
                silence.option.needs(["threshold"]),
                transport.replaces(["silence", "preroll"]),
                ofFiles(repeats.needs(["threshold", "transport"])),
                preroll.option.replaces(["transport"]), length.option,
                ofFiles(split.option), overlap.option.needs(["split"]).refused(beside: ["split"], overlapRefusal)),
            UnitOptions.group(to: deed, channels.option),
            (heading: "Plug-ins", options: PluginPath.options("before the files")),
        ] + VoiceParts.groups + [RunOptions.group(json, last: [gaps.option, rateChange.option])],
        notes: """
            In FILE, {date} becomes the date, as 2026-11-22, {time} the time, as 17-01-18, and {n} the next number that is
            free, {n:3} with three digits, as 001; {channel} makes a file of each channel, and {{ is a brace.
            Further files of a recording are FILE-2, FILE-3 and so on, unless one of these tells them apart.
            The latency of plug-ins and voice processing is taken out, except with --transport.
            FILE may be -, the standard output: WAV, or --format, as in iounit record - --format flac | ssh ...
            Keys on a terminal: space start, pause and resume, n next file, m mark, r resume after the server came back,
            v and V the next and the previous picture of the sound, q quit.
            """,
        operands: "FILE...",
        idleOptions: { arguments in
            let paths = arguments.operands
            guard let kind = try? FileKind(arguments) else { return [] }
            // A kind of file that cannot store samples as --bits says has no use for that.
            let formats = paths.compactMap { path in
                (try? kind.format(of: path, isOnly: paths.count == 1))
                    ?? (try? kind.withoutBits.format(of: path, isOnly: true))
            }
            return EncoderOptions.idle(kind, formats)
        })

    private static let deed: UnitOptions.Deed = ("record", "recorded")
    private static let json = Option.json(RecordReport.kind).refused {
        $0.operands.contains("-") ? "and the sound of - cannot share the standard output" : nil
    }
    private static let channels = UnitOptions.channels(place: "in each file")
    private static let title = Option("title", "TEXT", "title in the files' metadata")
    private static let artist = Option("artist", "TEXT", "artist in the files' metadata")
    private static let comment = Option("comment", "TEXT", "comment in the files' metadata")
    private static let peaks = Option(
        flag: "peaks", "write the peaks beside each FILE, for editors (FILE.dat, as audiowaveform)")
    private static let wait = Option(flag: "wait", "start with the key space, or SIGUSR2")
    private static let moment = TypedOption<Int64?>.moment(
        "at", "start at a time of day, as 22:00 or 22:00:30, or after a time, as +10min")
    private static let transport = Option(
        flag: "transport",
        "start when JACK's transport rolls, and end when it stops; the files' time reference is the transport's frame")
    private static let repeats = Option(
        flag: "repeat",
        "at the end wait for the next sound, or for the transport to roll again, and record it to the next file")
    private static let sampleRate = TypedOption<Int?>.number(
        "file-rate", .hertz, 1...3_072_000, usual: "the server's", "sample rate of the files, as 16000, 16k or 44.1k")
    private static let resampler = EncoderOptions.resampler(initial: .medium)
    private static let dither = EncoderOptions.dither("of integers", usual: "\(Dither.triangular.word) up to 16 bits")
    private static let threshold = TypedOption<Double?>.number(
        "threshold", .decibels, -120...0, "start with the first sample at or above this level, as -40dB",
        tellsRange: false)
    private static let preroll = TypedOption<Double>.number(
        "preroll", .seconds, 0...86400, initial: 0, "also record this time before the start",
        more:
            "; held in memory, 23 MB a minute for two channels at 48 kHz; starts with space or SIGUSR2 unless another "
            + "start is given")
    private static let length = TypedOption<Double?>.number(
        "seconds", .seconds, 0.001...1e9, "length of the recording, as 90, 10min or 1:30:00, exact to the frame"
    ).with { $0.kept(.run) }
    private static let gaps = RunOptions.gaps(
        "fill gaps with silence, so that the file keeps its time, or cut them out")
    private static let rateChange = RunOptions.rateChange(
        "if the server comes back at another sample rate: split into the next file, or convert"
    ).with { $0.excludes(["file-rate"], "files of a rate of their own keep it; leave out one of them") }
    private static let silence = TypedOption<Double>.number(
        "silence", .seconds, 0.001...86400, initial: 5, "end after this time below the threshold")
    private static let split = TypedOption<RecordingSplit?>(
        Option(
            "split", "WHAT",
            "go on in the next file after a time, as 1h, or before a file is larger than this, as 2GiB")
    ) { word, arguments throws(Failure) in try word.map { text throws(Failure) in try arguments.split(text) } }
    private static let overlap = TypedOption<Double>.number(
        "overlap", .seconds, 0...86400, initial: 0, "continue each file for this time after the next has begun",
        more: "; where --split is a size, for half of it at most")
    private static let twoStarts = "they are two starts"

    private static func ofFiles(_ option: Option) -> Option {
        option.refused { $0.operands.contains("-") ? "is for files: the standard output is one stream" : nil }
    }

    @Sendable private static func overlapRefusal(_ arguments: Arguments) -> String? {
        guard let overlap = try? arguments.value(of: overlap),
            case .seconds(let seconds)? = try? arguments.value(of: split)
        else { return nil }
        return overlap < seconds ? nil : "must be shorter than --split"
    }

    /// A FILE, and how it is made.
    struct Target {
        var name: RecordingName
        var format: SoundFileFormat
    }

    private(set) var unit: UnitOptions
    var targets: [Target] = []
    /// Of all targets, but for `format`.
    var settings = RecordingSettings()
    /// When it is to begin, where that is a time of day: to be shown.
    var startWords: String?

    /// Whether sound goes to the standard output, so that nothing else does.
    var usesOutput: Bool {
        targets.contains { $0.name.isStandardOutput || StandardOutput.isNamed(by: $0.name.text) }
    }

    init(_ arguments: Arguments) throws(Failure) {
        let channels = try arguments.value(of: Self.channels)
        unit = try UnitOptions(to: Self.deed, arguments, channels: channels, parts: VoiceParts.self)
        try describe(arguments)
        try time(arguments)
        try name(arguments)
        // The server's rate may not be known yet: it is looked at again when it is.
        try checkPreroll(sampleRate: unit.server.dummy?.sampleRate ?? 48000)
    }

    /// Whether the recording is to have the source's sound and nothing else. A server that freewheels has rendered more before it
    /// begins, and seconds more before anybody can end it.
    var followsSource: Bool {
        guard case .immediately = settings.start else { return false }
        return unit.server.freewheels && unit.source != nil
    }

    /// - Throws: `usage` where memory is to hold too much of what comes before the start.
    func checkPreroll(sampleRate: Int) throws(Failure) {
        let bytes = settings.prerollBytes(sampleRate: sampleRate, channels: unit.engine.outputChannels)
        let most = RecordingSettings.mostPrerollBytes
        guard bytes > most else { return }
        throw Failure(
            .usage,
            "--preroll would hold \(bytes >> 20) MiB in memory; \(most >> 20) MiB are the most, so make it shorter",
            of: "preroll")
    }

    /// What the files are like.
    private mutating func describe(_ arguments: Arguments) throws(Failure) {
        settings.sampleRate = try arguments.value(of: Self.sampleRate)
        settings.encoder = try EncoderOptions.settings(arguments)
        settings.dither = try arguments.value(of: Self.dither)
        settings.quality = try arguments.value(of: Self.resampler)
        settings.metadata[.title] = arguments.word(of: Self.title)
        settings.metadata[.artist] = arguments.word(of: Self.artist)
        settings.metadata[.comment] = arguments.word(of: Self.comment)
        settings.metadata[.software] = "iounit \(Release.version)"
        settings.isDated = true
        settings.writesPeaks = arguments.has(Self.peaks)
        settings.replaces = arguments.replaces
        settings.gapFill = try arguments.value(of: Self.gaps)
        settings.rateChange = try arguments.value(of: Self.rateChange)
    }

    /// From when to when.
    private mutating func time(_ arguments: Arguments) throws(Failure) {
        settings.prerollSeconds = try arguments.value(of: Self.preroll)
        settings.maximumSeconds = try arguments.value(of: Self.length)
        try arguments.require(
            !unit.server.freewheels || settings.maximumSeconds != nil || unit.source?.ends ?? false,
            "--freewheel goes by no clock, so the recording needs an end: a file to play with --source, or --seconds TIME",
            of: "freewheel", "source", "seconds")
        settings.overlapSeconds = try arguments.value(of: Self.overlap)
        settings.split = try arguments.value(of: Self.split)
        try arguments.require(
            !arguments.has(Self.transport) || settings.prerollSeconds == 0,
            "--preroll lies before the transport's start: leave it out with --transport", of: "preroll", "transport")
        if let decibels = try arguments.value(of: Self.threshold) {
            settings.start = .sound(
                SoundTrigger(
                    thresholdDecibels: decibels, silenceSeconds: try arguments.value(of: Self.silence),
                    repeats: arguments.has(Self.repeats)))
        } else if arguments.has(Self.transport) {
            settings.start = .transport(repeats: arguments.has(Self.repeats))
            unit.engine.transport = .observed
        } else if let moment = try arguments.value(of: Self.moment) {
            let now = WallClock.nanoseconds()
            let ahead = max(0, moment - now)
            settings.start = .at(nanoseconds: MonotonicClock.nanoseconds() + UInt64(ahead))
            startWords = LocalTime(moment).time
        } else if arguments.has(Self.wait) || settings.prerollSeconds > 0 {
            settings.start = .onRequest
        }
    }

    private mutating func name(_ arguments: Arguments) throws(Failure) {
        let paths = arguments.operands
        try arguments.require(!paths.isEmpty, "record needs a file to write: iounit record FILE..., or - for a pipe")
        try arguments.require(!paths.contains(""), "a file without a name cannot be written")
        let kind = try FileKind(arguments)
        for path in paths {
            let name = try RecordingName(option: path)
            let format = try ending(of: kind.blamed(for: path)) { () throws(SoundFileError) in
                try kind.format(of: path, isOnly: paths.count == 1)
            }
            targets.append(Target(name: name, format: format))
        }
        try EncoderOptions.check(arguments, kind, targets.map(\.format))
        var places: [String: String] = [:]
        for path in paths {
            let place = StandardOutput.place(of: path == "-" ? "/dev/stdout" : path)
            guard let other = places.updateValue(path, forKey: place) else { continue }
            let twice = path == other ? shown(path) : "\(shown(other)), as \(shown(path)) too,"
            throw Failure(.usage, "\(twice) is named twice: each FILE is one recording")
        }
    }

    func run() throws -> ExitCode {
        try StandardOutput.checkReport(isJSON: unit.isJSON, beside: usesOutput)
        guard !usesOutput || !unit.parts.useOutput else {
            throw Failure(
                .usage, "the recording and the stream of --send would share the standard output: send to another file",
                of: "send")
        }
        let signals = try Signals(alsoHandling: SIGUSR2)
        return try unit.perform(
            signals, session: { try RecordSession(self, server: $0) }, loop: { RecordLoop($0, signals) })
    }
}

extension Arguments {
    /// Where files end: after a time, as 10min or 1:00:00, or before a size, as 2GiB or 700MB.
    fileprivate func split(_ text: String) throws(Failure) -> RecordingSplit {
        let (leastBytes, leastSeconds) = (100_000.0, 0.1)
        let sizes: [(String, Double)] = [
            ("B", 1), ("kB", 1e3), ("MB", 1e6), ("GB", 1e9), ("KiB", 1024), ("MiB", 1_048_576), ("GiB", 1_073_741_824),
        ]
        if let bytes = Quantity.read(text, sizes), (leastBytes...1e15).contains(bytes) { return .bytes(Int(bytes)) }
        // A number alone could be either.
        guard let seconds = Quantity.clock(text) ?? Quantity.read(text, Quantity.timesWithUnit),
            (leastSeconds...1e9).contains(seconds)
        else {
            throw usage(
                "--split takes a time from \(shortest(leastSeconds))s on, as in 10min, 1h or 1:00:00, or a size from "
                    + "\(shortest(leastBytes / 1000))kB on, as in 700MB or 2GiB, not \"\(shown(text))\"", of: "split")
        }
        return .seconds(seconds)
    }
}
