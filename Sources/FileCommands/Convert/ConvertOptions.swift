import AudioDSP
import AudioFiles
import AudioRealtime
import AudioReports
import CommandSyntax
import Glibc
import TerminalPages
import Threads

/// Looks for effects, before a file is begun.
package typealias FileEffectSearch = @Sendable () throws -> FileEffectMaker

/// What `convert` puts files through that another module makes, as plug-ins.
package typealias ConvertEffects = ForeignOptions<FileEffectSearch>

struct ConvertOptions {
    /// - Parameter effects: options of other modules.
    static func syntax(_ effects: ConvertEffects) -> Syntax {
        Syntax(
            name: "convert", summary: "make sound files of others: format, rate, channels, level; needs no server",
            groups: [
                (
                    "Output",
                    [sampleRate.option, channels.option, map.option.replaces(["channels"])]
                        + FileKind.options(
                            name: "the name's", stored: "how samples are stored",
                            usual: "the input's, or float; 24 in FLAC")
                        + EncoderOptions.options + [Option.force()]
                ),
                (
                    "Sound",
                    [
                        start.option, end.option,
                        gain.option.replaces(["normalise"]),
                        trim.option, ConvertShaper.shape.option.replaces(["shape-table"]),
                        ShapeTableFile.option().replaces(["shape"]), ConvertShaper.drive,
                        ConvertShaper.antialias.option,
                    ] + effects.options + [
                        NormaliseGoal.option.option.replaces(["gain"]),
                        resampler.option, dither.option,
                    ]
                ),
                optionGroup(
                    "Run",
                    jobCount.option,
                    Option.json(ConvertReport.kind).refused { arguments in
                        arguments.operands.dropFirst().last == "-"
                            ? "prints on the standard output, which the sound takes: leave it out" : nil
                    }),
            ],
            notes: """
                One IN and OUT are two files; of several, or where OUT is a folder or ends in /, OUT is the folder. What can be
                kept to the bit is; a kind of file that lacks the input's rate gets the nearest it has, and one that lacks the
                rate of --file-rate is refused. In this order: start, end, trim, map, rate, gain, curve, plug-ins, normalise,
                dither. A plug-in's latency is taken out. Of texts, title, artist, album, date, genre, comment, copyright, license,
                software and track number are kept where the output has them; pictures and other texts are not.
                IN may be -, the standard input, and OUT -, the standard output, or a named pipe: as wav unless --format is au,
                flac, ogg, opus, mp3 or raw. Sound leaves as it comes; for a live stream of another rate, --resampler medium
                holds it for less time than best.
                """,
            operands: "IN... OUT",
            idleOptions: { arguments in
                // What cannot be converted is refused later, with the reason. A kind of file that cannot store samples as
                // --bits says has no use for that.
                guard let kind = try? FileKind(arguments),
                    let made = (try? ConvertOptions.jobs(arguments, kind))
                        ?? (try? ConvertOptions.jobs(arguments, kind.withoutBits))
                else { return [] }
                return EncoderOptions.idle(kind, made.jobs.flatMap(\.formats))
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
        /// Whether its sound goes where results are printed.
        var takesStandardOutput: Bool { writesStandardOutput || StandardOutput.isNamed(by: output) }
        var usesPipe: Bool { readsStandardInput || writesStandardOutput || SoundFileWriter.isPipe(output) }
    }

    private static let gain = TypedOption<Double>.number(
        "gain", .decibels, -120...120, initial: 0, "make it louder or softer")
    private static let sampleRate = TypedOption<Int?>.number(
        "file-rate", .hertz, 1...3_072_000, usual: "the input's", "sample rate, as 48000, 48k or 44.1k")
    private static let channels = TypedOption<Int?>.number(
        "channels", short: "c", .integer, 1...1024, usual: "the input's", "number of channels, mixed by ITU-R BS.775",
        tellsRange: false)
    private static let start = TypedOption<Double?>.number(
        "start", .seconds, 0...1e9, "leave out what comes before, as 90, 1:30 or 250ms")
    private static let end = TypedOption<Double?>.number("end", .seconds, 0...1e9, "leave out what comes after")
    private static let resampler = EncoderOptions.resampler(initial: .best)
    private static let usualDither = Dither.triangular
    private static let dither = EncoderOptions.dither(
        "where integers cannot hold what comes", usual: usualDither.word)
    private static let jobCount = TypedOption<Int?>.number(
        "jobs", .integer, 1...1024, usual: "one for each processor", "how many files at a time",
        tellsRange: false)
    private static let usualTrimDecibels = -60.0
    private static let trimRange = -150.0...0
    private static let trim = TypedOption<Double?>.optionalNumber(
        "trim", .decibels, trimRange, initial: usualTrimDecibels,
        "leave out, at both ends, what is softer than this, \(shortest(trimRange.lowerBound)) to "
            + "\(shortest(trimRange.upperBound)) (\(shortest(usualTrimDecibels))); of a pipe, up to 60 s at the end; behind "
            + "it a file named 0 is ./0")
    private static let map = TypedOption<ChannelMap?>(
        Option(
            "map", "MAP",
            "the channels instead, each made of the input's, counted from 1: 2,1 swaps, 1,1 doubles, 1+2 sums, "
                + "0.5*1+0.5*2 weighs, 1-2 subtracts, 0 is silent")
    ) { text, arguments throws(Failure) in
        do throws(ChannelMap.Malformed) {
            return try text.map { text throws(ChannelMap.Malformed) in try ChannelMap(text) }
        } catch {
            throw arguments.usage("--map: \(shown(error.description))", of: "map")
        }
    }

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
        isJSON = arguments.isJSON
        workers = try arguments.value(of: Self.jobCount) ?? Processors.permitted
        conversion.sampleRate = try arguments.value(of: Self.sampleRate)
        conversion.channels = try arguments.value(of: Self.channels)
        conversion.replaces = arguments.replaces
        conversion.encoder = try EncoderOptions.settings(arguments)
        let dither = try arguments.value(of: Self.dither)
        conversion.dither = dither ?? Self.usualDither
        isDithered = dither.map { $0 != .none } ?? false
        conversion.startSeconds = try arguments.value(of: Self.start) ?? 0
        conversion.endSeconds = try arguments.value(of: Self.end)
        try arguments.require(
            conversion.endSeconds.map { $0 > conversion.startSeconds } ?? true, "--end must be later than --start",
            of: "end", "start")
        conversion.trimDecibels = try arguments.value(of: Self.trim)
        conversion.map = try arguments.value(of: Self.map)
        if let map = conversion.map {
            try arguments.require(
                conversion.channels.map { $0 == map.outputs } ?? true,
                "--map and --channels name different numbers of channels: leave --channels out", of: "map", "channels")
        }
        conversion.gainDecibels = try arguments.value(of: Self.gain)
        let curve = try ConvertShaper.curve(arguments)
        shapeTablePath = curve?.tablePath
        conversion.shaping = curve?.shaping
        search = try effects.search(arguments)
        let goal = try arguments.value(of: NormaliseGoal.option)
        conversion.peakDecibels = goal?.peakDecibels
        conversion.loudness = (goal?.lufs).map(LoudnessGoal.init(metered:))
        try arguments.require(
            !arguments.has(Self.gain) || goal == nil || conversion.shaping != nil || search != nil,
            "--gain and --normalise exclude each other where there is no curve and no plug-in", of: "gain", "normalise")
        conversion.quality = try arguments.value(of: Self.resampler)
        try name(arguments)
    }

    private mutating func name(_ arguments: Arguments) throws(Failure) {
        let kind = try FileKind(arguments)
        conversion.container = kind.container
        conversion.encoding = kind.encoding
        (jobs, folder) = try Self.jobs(arguments, kind)
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
            let formats = try ending(of: kind.blamed(for: output)) { () throws(SoundFileError) in
                try kind.possibleFormats(of: output)
            }
            jobs.append(Job(input: input, output: output, formats: formats))
        }
        let counts = Dictionary(jobs.map { ($0.output, 1) }, uniquingKeysWith: +)
        let twice = jobs.map(\.output).first { counts[$0] != 1 }
        try arguments.require(twice == nil, "two inputs would both become \(twice ?? ""): convert them one by one")
        return (jobs, isIntoFolder ? target : nil)
    }

    /// Makes the files, as many at a time as there are processors.
    func run() throws -> ExitCode {
        let takesStandardOutput = jobs.contains(where: \.takesStandardOutput)
        try StandardOutput.checkReport(isJSON: isJSON, beside: takesStandardOutput)
        var options = self
        if let path = shapeTablePath {
            options.conversion.shaping?.table = try ShapeTableFile(path).table
        }
        options.conversion.effect = try search?()
        if let folder, unsafe access(folder, F_OK) != 0 {
            throw Failure(.cannotCreate, "cannot write \(shown(folder)): there is no such folder; create it first")
        }
        let signals = try Signals()
        let queue = try ConvertQueue(options)
        let start = MonotonicClock.nanoseconds()
        let workers = try (0..<min(workers, jobs.count)).map { _ in
            try Worker("iounit-convert") { queue.work() }
        }
        watch(queue, signals, since: start)
        for worker in workers { worker.join() }
        signals.release()
        var report = queue.report
        report.seconds = Double(MonotonicClock.nanoseconds() - start) / 1e9
        for file in report.files {
            for warning in file.warnings { StandardError.complain("\(shown(file.input)): \(warning)") }
            if let error = file.error { StandardError.complain(error) }
        }
        let code = queue.isInterrupted ? .interrupted : queue.firstFailure ?? .done
        guard code != .outputClosed else { return code }
        // Of one file that could not be made there is no more to say.
        if report.files.count == 1, report.files[0].error != nil { return code }
        if takesStandardOutput {
            // There is sound on the standard output.
            for file in report.files { StandardError.complain(file.line) }
        } else {
            try StandardOutput.print(
                isJSON ? reportJSON(report) : report.files.map(\.line).joined(separator: "\n"))
        }
        return code
    }

    private static let patienceNanoseconds: UInt64 = 5_000_000_000

    /// Shows how far it has come until all is done, or until somebody ends it.
    private func watch(_ queue: ConvertQueue, _ signals: Signals, since start: UInt64) {
        var line = ProgressLine()
        defer { line.clear() }
        var stopped: UInt64?
        while !queue.isDone {
            queue.wakePipe.wait(milliseconds: 100, orFor: signals.descriptor)
            let now = MonotonicClock.nanoseconds()
            if let since = stopped, since < .max, now > since + Self.patienceNanoseconds {
                // A plug-in or a disk does not return: from now on a signal ends the program at once.
                signals.release()
                stopped = .max
            } else if stopped != .max, signals.takeEnd(), stopped == nil {
                queue.interrupt()
                stopped = now
            }
            let seconds = Double(MonotonicClock.nanoseconds() - start) / 1e9
            if seconds > 0.5 { line.show(queue.progress(seconds: seconds), seconds: seconds) }
        }
    }
}
