import AudioFigures
import AudioFiles
import AudioReports
import CommandSyntax
import Glibc
import Synchronization
import TerminalPages
import Threads

/// The files that are to be made, those that are being made, and those that were.
final class ConvertQueue: Sendable {
    /// Wakes who watches, as each file is done.
    let wakePipe: WakePipe
    private let options: ConvertOptions
    private let state: Mutex<State>
    /// What stands between the standard input and its reader; `nil` where nobody reads it, or it is no pipe.
    private let relay: PipeRelay?
    /// When it was interrupted; 0 before.
    private let stopNanoseconds = Atomic<UInt64>(0)
    /// A reader that takes nothing keeps an interrupted conversion no longer.
    private static let patienceNanoseconds: UInt64 = 1_000_000_000
    private static let standardOutput = "standard output"

    private struct State {
        var next = 0
        var files: [ConvertReport.File?]
        /// How much of each is done, 0…1; `nil` where nobody knows.
        var shares: [Double?]
        /// How much sound of each is done.
        var seconds: [Double]
        var failure: (job: Int, code: ExitCode)?
        var isAnyInterrupted = false
    }

    /// - Throws: where the process has too many files open.
    init(_ options: ConvertOptions) throws(ResourceError) {
        wakePipe = try WakePipe()
        let readsPipe = options.jobs.contains(where: \.readsStandardInput) && PipeRelay.isNeeded(for: STDIN_FILENO)
        relay = readsPipe ? try PipeRelay(STDIN_FILENO) : nil
        self.options = options
        let count = options.jobs.count
        state = Mutex(
            State(
                files: Array(repeating: nil, count: count), shares: Array(repeating: 0, count: count),
                seconds: Array(repeating: 0, count: count)))
    }

    deinit { relay?.close() }

    var isDone: Bool { state.withLock { state in state.files.allSatisfy { $0 != nil } } }
    var isInterrupted: Bool { state.withLock { $0.isAnyInterrupted } }
    /// Of the first job that failed.
    var firstFailure: ExitCode? { state.withLock { $0.failure?.code } }
    private var isStopping: Bool { stopNanoseconds.load(ordering: .relaxed) != 0 }

    func interrupt() {
        guard !isStopping else { return }
        stopNanoseconds.store(MonotonicClock.nanoseconds(), ordering: .relaxed)
        relay?.end()
    }

    var report: ConvertReport {
        var report = ConvertReport()
        report.files = state.withLock { $0.files.compactMap(\.self) }
        report.isComplete = report.files.allSatisfy(\.isComplete)
        return report
    }

    /// - Parameter seconds: since it began.
    func progress(seconds: Double) -> String {
        let (done, shares, sound) = state.withLock { state in
            (state.files.count { $0 != nil }, state.shares, state.seconds.reduce(0, +))
        }
        var parts: [String] = []
        if shares.count > 1 { parts.append("\(done) of \(shares.count) files") }
        let known = shares.compactMap(\.self)
        let share = known.reduce(0, +) / Double(max(1, known.count))
        parts.append(known.count == shares.count ? "\(Int((share * 100).rounded(.down))) %" : "\(clock(sound)) done")
        if seconds > 0 { parts.append("\(fixed(sound / seconds, sound < 10 * seconds ? 1 : 0)) times real time") }
        if known.count == shares.count, share > 0.01 { parts.append("\(clock(seconds / share * (1 - share))) left") }
        return parts.joined(separator: ", ")
    }

    /// Makes one file after the other until there are no more.
    func work() {
        while let index = take() {
            let file: ConvertReport.File
            do {
                file = try convert(index)
            } catch {
                let failure = Failure.from(error)
                var failed = ConvertReport.File(options.jobs[index])
                if !isStopping, isReaderGone(error) {
                    // With `| head` the reader has what it wanted.
                    note(.outputClosed, of: index)
                } else if !(isStopping && options.jobs[index].usesPipe) {
                    // An interruption ends the pipe's other side as well.
                    failed.error = failure.message
                    note(failure.code, of: index)
                }
                file = failed
            }
            state.withLock { state in
                state.files[index] = file
                state.shares[index] = 1
                if !file.isComplete && isStopping { state.isAnyInterrupted = true }
            }
            wakePipe.wake()
        }
    }

    private func isReaderGone(_ error: any Error) -> Bool {
        guard let error = error as? SoundFileError else { return false }
        return error.kind == .io && error.path == Self.standardOutput && StandardOutput.isUnread
    }

    private func take() -> Int? {
        state.withLock { state in
            guard state.next < options.jobs.count else { return nil }
            defer { state.next += 1 }
            return state.next
        }
    }

    private func note(_ code: ExitCode, of index: Int) {
        state.withLock { state in
            if let failure = state.failure, failure.job < index { return }
            state.failure = (index, code)
        }
    }

    private func convert(_ index: Int) throws -> ConvertReport.File {
        let job = options.jobs[index]
        guard !isStopping else { return ConvertReport.File(job) }
        let input = try SoundFileReader(operand: job.input, standardInput: relay?.descriptor ?? STDIN_FILENO)
        let progress: (FileConversion.Progress) -> Bool = { [self] progress in
            state.withLock { state in
                state.shares[index] = progress.share
                state.seconds[index] = progress.seconds
            }
            return !isStopping
        }
        var conversion = options.conversion
        // Of several files, each takes the settings that it has.
        conversion.encoder = conversion.encoder.applicable(to: job.formats[0])
        var outcome =
            try job.writesStandardOutput
            ? conversion.convert(
                input, toDescriptor: STDOUT_FILENO, name: Self.standardOutput, waits: waits, progress: progress)
            : conversion.convert(input, to: job.output, progress: progress, waits: waits)
        // What was ended here looks to the reader like an end.
        if job.readsStandardInput, relay != nil, isStopping { outcome.isComplete = false }
        if !outcome.flaws.isEmpty, outcome.isComplete { note(.badInput, of: index) }
        var file = ConvertReport.File(job, outcome)
        // Of several files, each takes what it has a use for.
        if options.isDithered, options.jobs.count == 1, outcome.outputFormat.sampleFormat.integerBits == nil {
            file.warnings.append("--dither has no effect: the file is \(outcome.outputFormat), without integers")
        }
        return file
    }

    /// Whether to go on waiting for a reader that takes nothing.
    private func waits() -> Bool {
        let stop = stopNanoseconds.load(ordering: .relaxed)
        return stop == 0 || MonotonicClock.nanoseconds() < stop + Self.patienceNanoseconds
    }
}

/// What `iounit convert` has done: the object of `--json`, and a line for each file.
struct ConvertReport: ReportDocument {
    var seconds = 0.0
    var isComplete = true
    var files: [File] = []

    static let kind = document("convert", 1)
    static let fields: [ReportField<Self>] = [
        .field("seconds", "how long all of it took", unit: .seconds, \.seconds),
        .field("isComplete", "whether all files were made, to their end", \.isComplete),
        .group("files", \.files),
    ]

    struct File: Reported {
        var input: String
        var output: String
        /// `nil` where nothing was made.
        var outcome: FileConversion.Outcome?
        var error: String?
        var warnings: [String]

        static let fields: [ReportField<Self>] =
            [
                .field("input", "as it was given; - is the standard input", \.input),
                .field("output", "the path of what was made", \.output),
                .field("isComplete", "whether all of the input is in it", \.isComplete),
                .field(
                    "error", "why it was not made, or not to its end; where it was not made the figures below are null",
                    \.error),
                .field(
                    "warnings",
                    "what is broken in the input, what of its description is left out, and a true peak beyond EBU R 128's",
                    \.warnings),
                .field("inputFormat", "in libsndfile's words", \.outcome?.inputFormat),
                .field("inputRate", "of the input", unit: .hertz, \.outcome?.inputRate),
                .field("inputChannels", "of the input", \.outcome?.inputChannels),
                .field("inputFrames", "how many were converted", unit: .frames, \.outcome?.inputFrames),
            ] + made

        private static let made: [ReportField<Self>] = [
            .field("outputFormat", "container and encoding: flac pcm24", \.outcome?.outputFormat.description),
            .field("outputRate", "of the output", unit: .hertz, \.outcome?.outputRate),
            .field("outputChannels", "of the output", \.outcome?.outputChannels),
            .field(
                "outputFrames",
                "how many were written; ima-adpcm and gsm fill their last block with silence behind them",
                unit: .frames, \.outcome?.outputFrames),
            .field(
                "gainDecibels", "what was applied, by --gain or for --normalise", unit: .decibels,
                \.outcome?.gainDecibels),
            .field(
                "measuredLUFS",
                "the loudness before --normalise lufs=…; null where none was asked for, or the sound has none",
                unit: .lufs,
                \.outcome?.measuredLUFS),
            .field(
                "truePeakDecibels",
                "of the output, before it is limited; null where no loudness was asked for, or the sound has none",
                unit: .decibels
            ) { ($0.outcome?.truePeakDecibels).flatMap(finite) },
            .plugins(\.plugins),
            .field("clippedSamples", "beyond full scale, and limited", \.outcome?.clippedSamples),
            .field("nonFiniteSamples", "no numbers, and silence in the output", \.outcome?.nonFiniteSamples),
        ]

        init(_ job: ConvertOptions.Job, _ outcome: FileConversion.Outcome? = nil) {
            (input, output, self.outcome) = (job.input, job.output, outcome)
            warnings = outcome?.warnings ?? []
        }

        var isComplete: Bool { outcome?.isComplete == true }
        private var plugins: [PluginReport] {
            outcome?.reports.compactMap { $0 as? [PluginReport] }.flatMap(\.self) ?? []
        }

        var line: String {
            let name = output == "-" ? "standard output" : shown(output)
            guard let outcome else { return "\(name): \(error == nil ? "interrupted" : "not made")" }
            let (rate, channels) = (outcome.outputRate, outcome.outputChannels)
            var text = "\(name): \(outcome.outputFormat), \(rate) Hz"
            if outcome.inputRate != rate { text += " (from \(outcome.inputRate))" }
            text += ", \(counted(channels, "channel"))"
            if outcome.inputChannels != channels { text += " (from \(outcome.inputChannels))" }
            text += ", \(clock(frames: outcome.outputFrames, rate))"
            if outcome.gainDecibels != 0 { text += ", gain \(fixed(outcome.gainDecibels, 1)) dB" }
            if let lufs = outcome.measuredLUFS { text += " from \(fixed(lufs, 1)) LUFS" }
            if outcome.clippedSamples > 0 { text += ", \(outcome.clippedSamples) samples clipped" }
            if outcome.nonFiniteSamples > 0 {
                text += ", \(outcome.nonFiniteSamples) samples not finite, now silence"
            }
            return text + (isComplete ? "" : ", interrupted")
        }
    }
}
