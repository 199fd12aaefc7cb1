import AudioFiles
import AudioReports
import Foundation

/// What `iounit convert` was asked to do.
struct ConvertOptions {
    static let syntax = Syntax(
        name: "convert", summary: "make sound files of others: format, rate, channels, level; needs no server",
        groups: [
            (
                "Output",
                [
                    Option("rate", "HZ", "sample rate, as 48000, 48k or 44.1k (the input's)"),
                    Option("channels", "N", "number of channels, mixed by ITU-R BS.775 (the input's)"),
                    Option(
                        "format", "KIND",
                        "wav, rf64, w64, caf, aiff, au, flac, ogg, opus, mp3 or raw (as the name's extension says)"),
                    Option(
                        "bits", "WHAT",
                        "how samples are stored: 8, 16, 24, 32, float, double, alaw, ulaw, ima-adpcm or gsm "
                            + "(the input's, or float; 24 in FLAC)"),
                    Option("quality", "Q", "of Opus, Vorbis and MP3: 0, small, to 1, good (the encoder's choice)"),
                    Option("compression", "C", "of FLAC: 0, fast, to 1, small (the encoder's choice)"),
                    Option(flag: "force", "replace files that exist"),
                ]
            ),
            (
                "Sound",
                [
                    Option("start", "TIME", "leave out what comes before, as 90, 1:30 or 250ms"),
                    Option("end", "TIME", "leave out what comes behind"),
                    Option("gain", "DB", "make it louder or softer, -120 to 120 (0)"),
                    Option(
                        "normalise", "PEAK", "bring the largest sample to so many decibels, as -1dB; in place of --gain"
                    ),
                    Option("resampler", "R", "best, medium, fast or linear (best)"),
                    Option(
                        "dither", "D",
                        "where integers cannot hold what comes: triangular, shaped or none (triangular)"),
                ]
            ),
            (
                "Run",
                [
                    Option("jobs", "N", "how many files at a time (as many as there are processors)"),
                    Option(flag: "json", "print one JSON object at the end (iounit.convert/1)"),
                    Option(flag: "help", "print this"),
                ]
            ),
        ],
        notes: """
            One IN and OUT are two files; of several, or where OUT is a folder or ends in /, OUT is the folder. What can be
            kept to the bit is; a kind of file that lacks the rate gets the nearest it has.
            IN may be -, the standard input, and OUT -, the standard output, or a named pipe: as wav unless --format is au,
            flac, ogg, opus, mp3 or raw. Sound leaves as it comes; for a live stream of another rate, --resampler medium
            holds it for less time than best.
            Fields of the JSON: iounit help figures.
            """,
        operands: "IN... OUT")

    /// A file to be made.
    struct Job {
        var input: String
        var output: String

        var readsStandardInput: Bool { input == "-" }
        var writesStandardOutput: Bool { output == "-" }
        var usesPipe: Bool { readsStandardInput || writesStandardOutput }
    }

    var conversion = FileConversion()
    var jobs: [Job] = []
    /// Where several go.
    var folder: String?
    var workers: Int
    var isJSON: Bool

    init(_ words: [String]) throws(Failure) {
        let arguments = try Arguments(words, Self.syntax)
        isJSON = arguments.has("json")
        workers = try arguments.integer("jobs", 1...1024) ?? ProcessInfo.processInfo.activeProcessorCount
        conversion.sampleRate = try arguments.hertz("rate", 1...3_072_000)
        conversion.channels = try arguments.integer("channels", 1...1024)
        conversion.replaces = arguments.has("force")
        conversion.encoder.quality = try arguments.number("quality", 0...1)
        conversion.encoder.compressionLevel = try arguments.number("compression", 0...1)
        conversion.startSeconds = try arguments.seconds("start", 0...1e9) ?? 0
        conversion.endSeconds = try arguments.seconds("end", 0...1e9)
        try arguments.require(
            conversion.endSeconds.map { $0 > conversion.startSeconds } ?? true, "--end must be later than --start")
        let gain = try arguments.decibels("gain", -120...120)
        conversion.gainDecibels = gain ?? 0
        conversion.peakDecibels = try arguments.decibels("normalise", -120...60)
        try arguments.require(
            gain == nil || conversion.peakDecibels == nil, "--gain and --normalise contradict each other")
        let resampler = try arguments.choice("resampler", ResamplingQuality.allCases.map(\.rawValue))
        conversion.quality = resampler.flatMap(ResamplingQuality.init) ?? .best
        switch try arguments.choice("dither", ["triangular", "shaped", "none"]) {
        case "shaped": conversion.dither = .noiseShaped
        case "none": conversion.dither = .none
        default: break
        }
        try name(arguments)
    }

    private mutating func name(_ arguments: Arguments) throws(Failure) {
        guard arguments.operands.count >= 2, let target = arguments.operands.last else {
            throw arguments.usage("convert needs a file to read and one to write: iounit convert IN... OUT")
        }
        let inputs = arguments.operands.dropLast()
        try arguments.require(inputs.filter { $0 == "-" }.count <= 1, "the standard input can be read once only")
        var isFolder: ObjCBool = false
        let exists = unsafe FileManager.default.fileExists(atPath: target, isDirectory: &isFolder)
        let isIntoFolder = target != "-" && ((exists && isFolder.boolValue) || target.hasSuffix("/"))
        try arguments.require(
            target != "-" || inputs.count == 1, "the standard output takes one input: name one, or a folder for all")
        try arguments.require(
            target != "-" || !isJSON, "--json prints on the standard output, which the sound takes: leave it out")
        guard isIntoFolder || inputs.count == 1 else {
            throw Failure(
                .cannotCreate,
                "cannot write \(shown(target)): it is no folder, which several inputs need; make one, or name one"
            )
        }
        folder = isIntoFolder ? target : nil
        let kind = try Kind(arguments)
        conversion.container = kind.container
        conversion.encoding = kind.encoding
        for input in inputs {
            let output = isIntoFolder ? try kind.place(input, in: target) : target
            do {
                // So that nothing is begun where one of them cannot be.
                let container = output == "-" ? kind.container ?? .wav : kind.container
                _ = try SoundFileFormat(path: output, container: container, encoding: kind.encoding)
            } catch {
                throw Failure(error)
            }
            jobs.append(Job(input: input, output: output))
        }
        let outputs = jobs.map(\.output)
        let twice = outputs.first { output in outputs.filter { $0 == output }.count > 1 }
        try arguments.require(twice == nil, "two inputs would both become \(twice ?? ""): convert them one by one")
    }
}

/// The kind of file that `--format` and `--bits` ask for.
private struct Kind {
    let container: SoundFileFormat.Container?
    let encoding: SoundFileFormat.Encoding?
    private let fileExtension: String?

    init(_ arguments: Arguments) throws(Failure) {
        let codecs: [SoundFileFormat.Encoding] = [.opus]
        let containers = SoundFileFormat.Container.allCases.map(\.rawValue)
        let name = try arguments.choice("format", containers + codecs.map(\.rawValue))
        let codec = codecs.first { $0.rawValue == name }
        container = codec == nil ? name.flatMap { SoundFileFormat.Container(rawValue: $0) } : .ogg
        fileExtension = name
        let widths = ["8", "16", "24", "32"]
        let bits = try arguments.choice("bits", widths + ["float", "double", "alaw", "ulaw", "ima-adpcm", "gsm"])
        encoding = codec ?? bits.flatMap { .init(rawValue: widths.contains($0) ? "pcm\($0)" : $0) }
    }

    /// The path of the output in a folder.
    func place(_ input: String, in folder: String) throws(Failure) -> String {
        let name = input == "-" ? "standard-input" : (input as NSString).lastPathComponent
        let base = (name as NSString).deletingPathExtension
        let suffix = fileExtension ?? (name as NSString).pathExtension
        guard !suffix.isEmpty else {
            throw Failure(.usage, "\(shown(name)) has no extension that says what to make of it; add --format")
        }
        return (folder as NSString).appendingPathComponent("\(base).\(suffix)")
    }
}
