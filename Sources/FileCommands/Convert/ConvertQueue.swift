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
                // An interruption ends the pipe's other side as well.
                if !(isStopping && options.jobs[index].usesPipe) {
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
                input, toDescriptor: STDOUT_FILENO, name: "standard output", waits: waits, progress: progress)
            : conversion.convert(input, to: job.output, progress: progress)
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
