import AudioDSP
import AudioFiles
import AudioRealtime
import AudioReports
import CommandSyntax
import TerminalPages
import Threads

/// Looks for effects, before a file is begun.
package typealias FileEffectSearch = @Sendable () throws -> FileEffectMaker

/// What `convert` puts files through that another module makes, as plug-ins.
package typealias ConvertEffects = ForeignOptions<FileEffectSearch>

/// What `iounit convert` was asked to do.
struct ConvertOptions {
    /// - Parameter effects: options of other modules.
    static func syntax(_ effects: ConvertEffects) -> Syntax {
        Syntax(
            name: "convert", summary: "make sound files of others: format, rate, channels, level; needs no server",
            groups: [
                (
                    "Output",
                    [
                        Option("file-rate", "HZ", "sample rate, as 48000, 48k or 44.1k (the input's)"),
                        Option("channels", short: "c", "N", "number of channels, mixed by ITU-R BS.775 (the input's)"),
                        Option(
                            "map", "MAP",
                            "the channels instead, each made of the input's, counted from 1: 2,1 swaps, 1,1 doubles, 1+2 sums, "
                                + "0.5*1+0.5*2 weighs, 1-2 subtracts, 0 is silent"
                        )
                        .replaces(["channels"]),
                        Option(
                            "format", "KIND",
                            "wav, rf64, w64, caf, aiff, au, flac, ogg, opus, mp3 or raw (as the name's extension says)",
                            of: FileKind.formats),
                        Option(
                            "bits", "WHAT",
                            "how samples are stored: 8, 16, 24, 32, float, double, alaw, ulaw, ima-adpcm or gsm "
                                + "(the input's, or float; 24 in FLAC)", of: FileKind.encodings),
                    ] + EncoderOptions.options + [Option(flag: "force", "replace files that exist")]
                ),
                (
                    "Sound",
                    [
                        Option("start", "TIME", "leave out what comes before, as 90, 1:30 or 250ms"),
                        Option("end", "TIME", "leave out what comes after"),
                        gain.option.replaces(["normalise"]),
                        Option(
                            "trim", optional: "DB",
                            "leave out, at both ends, what is softer than this (-60); of a pipe, up to 60 s at the end"),
                        Option(
                            "shape", "SHAPE",
                            "cubic, hard, tanh, asymmetric, fold, table or off: put it through a curve (off)",
                            of: Shape.allCases.map(\.name)
                        )
                        .replaces(["shape-table"]),
                        Option("shape-table", "FILE", "the curve of the shape table: a line for each point, x and y")
                            .replaces(["shape"]),
                        Option(
                            ShaperSetting.drive.info, "gain into the curve", more: "; without --shape it takes cubic"),
                        Option(
                            "antialias", "MODE",
                            "against the curve's aliases: off, adaa, 2x, 4x, adaa+2x or best (best)",
                            of: Antialiasing.allCases.map(\.name)),
                    ] + effects.options + [
                        Option(
                            "normalise", "LEVEL",
                            "bring the largest sample to -1dB or peak=-1dB, or the loudness (EBU R 128, integrated) to lufs=-16; "
                                + "in place of --gain, but behind it where there is a curve or a plug-in"
                        )
                        .replaces(["gain"]),
                        Option(
                            "resampler", "R", "best, medium, fast or linear (best)",
                            of: ResamplingQuality.allCases.map(\.rawValue)),
                        Option(
                            "dither", "D",
                            "where integers cannot hold what comes: triangular, shaped or none (triangular)",
                            of: Dither.words),
                    ]
                ),
                (
                    "Run",
                    [
                        Option("jobs", "N", "how many files at a time (as many as there are processors)"),
                        .json(ConvertReport.kind),
                        Option(flag: "help", "print this"),
                    ]
                ),
            ],
            notes: """
                One IN and OUT are two files; of several, or where OUT is a folder or ends in /, OUT is the folder. What can be
                kept to the bit is; a kind of file that lacks the rate gets the nearest it has. In this order: start, end, trim,
                map, rate, gain, curve, plug-ins, normalise, dither. A plug-in's latency is taken out.
                IN may be -, the standard input, and OUT -, the standard output, or a named pipe: as wav unless --format is au,
                flac, ogg, opus, mp3 or raw. Sound leaves as it comes; for a live stream of another rate, --resampler medium
                holds it for less time than best.
                Fields of the JSON: iounit help figures.
                """,
            operands: "IN... OUT",
            idleOptions: { arguments in
                // What cannot be converted is refused later, with the reason.
                guard let kind = try? FileKind(arguments), let jobs = try? ConvertOptions.jobs(arguments, kind).jobs
                else { return [] }
                return EncoderOptions.idle(kind, jobs.flatMap(\.formats))
            })
    }

    /// A file to be made.
    struct Job {
        var input: String
        var output: String
        /// What the output may be: of several, the input decides.
        var formats: [SoundFileFormat]

        var readsStandardInput: Bool { input == "-" }
        var writesStandardOutput: Bool { output == "-" }
        var usesPipe: Bool { readsStandardInput || writesStandardOutput }
    }

    private static let gain = NumberOption<Double>.decibels(
        "gain", -120...120, initial: 0, "make it louder or softer")
    private static let usualTrimDecibels = -60.0

    var conversion = FileConversion()
    /// Whether a dither was asked for.
    private(set) var isDithered: Bool
    /// Of the shape `table`: not read yet.
    var shapeTablePath: String?
    /// Of the conversion's effect: not looked for yet.
    private(set) var search: FileEffectSearch?
    var jobs: [Job] = []
    /// Where several go.
    var folder: String?
    var workers: Int
    var isJSON: Bool

    init(_ words: [String], _ effects: ConvertEffects = .none) throws(Failure) {
        let arguments = try Arguments(words, Self.syntax(effects))
        isJSON = arguments.has("json")
        workers = try arguments.integer("jobs", 1...1024) ?? Processors.permitted
        conversion.sampleRate = try arguments.hertz("file-rate", 1...3_072_000)
        conversion.channels = try arguments.integer("channels", 1...1024)
        conversion.replaces = arguments.has("force")
        let encoder = try EncoderOptions(arguments)
        conversion.encoder = encoder.settings
        conversion.dither = encoder.dither ?? .triangular
        isDithered = encoder.dither.map { $0 != .none } ?? false
        conversion.startSeconds = try arguments.seconds("start", 0...1e9) ?? 0
        conversion.endSeconds = try arguments.seconds("end", 0...1e9)
        try arguments.require(
            conversion.endSeconds.map { $0 > conversion.startSeconds } ?? true, "--end must be later than --start",
            of: "end", "start")
        conversion.trimDecibels = try trim(arguments)
        conversion.map = try map(arguments)
        conversion.gainDecibels = try arguments.value(of: Self.gain)
        let shaper = try ConvertShaper(arguments)
        shapeTablePath = shaper.tablePath
        conversion.shaping = shaper.shaping
        search = try effects.search(arguments)
        let goal = try NormaliseGoal(arguments)
        conversion.peakDecibels = goal.peakDecibels
        conversion.loudness = goal.lufs.map(LoudnessGoal.init(metered:))
        try arguments.require(
            !arguments.has("gain") || !arguments.has("normalise") || conversion.shaping != nil || search != nil,
            "--gain and --normalise exclude each other where there is no curve and no plug-in", of: "gain", "normalise")
        let resampler = try arguments.choice("resampler")
        conversion.quality = resampler.flatMap(ResamplingQuality.init) ?? .best
        try name(arguments)
    }

    private func trim(_ arguments: Arguments) throws(Failure) -> Double? {
        guard let text = arguments.value("trim") else { return nil }
        return text.isEmpty ? Self.usualTrimDecibels : try arguments.decibels("trim", -150...0)
    }

    private func map(_ arguments: Arguments) throws(Failure) -> ChannelMap? {
        guard let text = arguments.value("map") else { return nil }
        let map: ChannelMap
        do throws(ChannelMap.Malformed) {
            map = try ChannelMap(text)
        } catch {
            throw arguments.usage("--map: \(shown(error.description))", of: "map")
        }
        try arguments.require(
            conversion.channels.map { $0 == map.outputs } ?? true,
            "--map and --channels name different numbers of channels: leave --channels out", of: "map", "channels")
        return map
    }

    private mutating func name(_ arguments: Arguments) throws(Failure) {
        let kind = try FileKind(arguments)
        conversion.container = kind.container
        conversion.encoding = kind.encoding
        (jobs, folder) = try Self.jobs(arguments, kind)
        try arguments.require(
            !jobs.contains(where: \.writesStandardOutput) || !isJSON,
            "--json prints on the standard output, which the sound takes: leave it out", of: "json")
        try EncoderOptions.check(arguments, kind, jobs.flatMap(\.formats))
    }

    /// The files to be made, and the folder into which several go.
    private static func jobs(
        _ arguments: Arguments, _ kind: FileKind
    ) throws(Failure) -> (jobs: [Job], folder: String?) {
        guard arguments.operands.count >= 2, let target = arguments.operands.last else {
            throw arguments.usage("convert needs a file to read and one to write: iounit convert IN... OUT")
        }
        let inputs = arguments.operands.dropLast()
        try arguments.require(inputs.filter { $0 == "-" }.count <= 1, "the standard input can be read once only")
        let isIntoFolder = target != "-" && (Folder.exists(target) || target.hasSuffix("/"))
        try arguments.require(
            target != "-" || inputs.count == 1, "the standard output takes one input: name one, or a folder for all")
        guard isIntoFolder || inputs.count == 1 else {
            throw Failure(
                .cannotCreate,
                "cannot write \(shown(target)): it is no folder, which several inputs need; make one, or name one"
            )
        }
        var jobs: [Job] = []
        for input in inputs {
            let output = isIntoFolder ? try kind.place(input, in: target) : target
            // So that nothing is begun where one of them cannot be.
            do throws(SoundFileError) {
                jobs.append(Job(input: input, output: output, formats: try kind.possibleFormats(of: output)))
            } catch {
                throw error.failure
            }
        }
        let outputs = jobs.map(\.output)
        let twice = outputs.first { output in outputs.filter { $0 == output }.count > 1 }
        try arguments.require(twice == nil, "two inputs would both become \(twice ?? ""): convert them one by one")
        return (jobs, isIntoFolder ? target : nil)
    }
}
