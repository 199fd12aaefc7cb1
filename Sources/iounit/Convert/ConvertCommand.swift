import AudioFiles
import AudioReports
import Foundation
import Synchronization
import Threads

/// `iounit convert`: files of files, as many at a time as there are processors.
struct ConvertCommand {
    private let options: ConvertOptions

    init(_ options: ConvertOptions) { self.options = options }

    func run() throws -> ExitCode {
        if let folder = options.folder, !FileManager.default.fileExists(atPath: folder) {
            throw Failure(.cannotCreate, "cannot write \(shown(folder)): there is no such folder; create it first")
        }
        let signals = try Signals()
        let queue = try ConvertQueue(options)
        let start = MonotonicClock.nanoseconds()
        let workers = try (0..<min(options.workers, options.jobs.count)).map { _ in
            try Worker.start("iounit-convert") { queue.work() }
        }
        watch(queue, signals, since: start)
        for worker in workers { worker.join() }
        signals.release()
        var report = queue.report
        report.seconds = Double(MonotonicClock.nanoseconds() - start) / 1e9
        for file in report.files {
            for warning in file.warnings { Command.complain("\(shown(file.input)): \(warning)") }
            if let error = file.error.value { Command.complain(error) }
        }
        let code = queue.isInterrupted ? .interrupted : queue.firstFailure ?? .done
        // Of one file that could not be made there is no more to say.
        if report.files.count == 1, queue.firstFailure != nil { return code }
        try Command.print(options.isJSON ? encodeJSON(report) : report.files.map(\.line).joined(separator: "\n"))
        return code
    }

    /// Shows how far it has come until all is done, or until somebody ends it.
    private func watch(_ queue: ConvertQueue, _ signals: Signals, since start: UInt64) {
        var line = ProgressLine()
        defer { line.clear() }
        while !queue.isDone {
            queue.wakePipe.wait(milliseconds: 100, orFor: signals.descriptor)
            for number in signals.take() {
                if Signals.ends(number) { queue.interrupt() }
                if number == SIGTSTP { raise(SIGSTOP) }
            }
            let seconds = Double(MonotonicClock.nanoseconds() - start) / 1e9
            if seconds > 0.5 { line.show(queue.progress(seconds: seconds), seconds: seconds) }
        }
    }
}

/// The files that are to be made, those that are being made, and those that were.
private final class ConvertQueue: Sendable {
    /// Wakes who watches, as each file is done.
    let wakePipe: WakePipe
    private let options: ConvertOptions
    private let state: Mutex<State>
    private let isStopping = Atomic<Bool>(false)

    private struct State {
        var next = 0
        var files: [ConvertReport.File?]
        /// How much of each is done, 0…1.
        var shares: [Double]
        var failure: (job: Int, code: ExitCode)?
        var isAnyInterrupted = false
    }

    /// - Throws: where the process has too many files open.
    init(_ options: ConvertOptions) throws(ResourceError) {
        wakePipe = try WakePipe()
        self.options = options
        let count = options.jobs.count
        state = Mutex(State(files: Array(repeating: nil, count: count), shares: Array(repeating: 0, count: count)))
    }

    var isDone: Bool { state.withLock { state in state.files.allSatisfy { $0 != nil } } }
    var isInterrupted: Bool { state.withLock { $0.isAnyInterrupted } }
    /// Of the first job that failed.
    var firstFailure: ExitCode? { state.withLock { $0.failure?.code } }
    func interrupt() { isStopping.store(true, ordering: .relaxed) }

    var report: ConvertReport {
        var report = ConvertReport()
        report.files = state.withLock { $0.files.compactMap(\.self) }
        report.isComplete = report.files.allSatisfy(\.isComplete)
        return report
    }

    func progress(seconds: Double) -> String {
        let (done, share) = state.withLock { state in
            (state.files.count { $0 != nil }, state.shares.reduce(0, +) / Double(state.shares.count))
        }
        var text = "\(done) of \(options.jobs.count) files, \(Int((share * 100).rounded(.down))) %"
        if share > 0.01 { text += ", \(clock(seconds / share * (1 - share))) left" }
        return text
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
                failed.error.value = failure.message
                file = failed
                note(failure.code, of: index)
            }
            state.withLock { state in
                state.files[index] = file
                state.shares[index] = 1
                if !file.isComplete && isStopping.load(ordering: .relaxed) { state.isAnyInterrupted = true }
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
        guard !isStopping.load(ordering: .relaxed) else { return ConvertReport.File(job) }
        let input =
            try job.input == "-"
            ? SoundFileReader(descriptor: STDIN_FILENO, name: "standard input", accepting: .readablePart)
            : SoundFileReader(path: job.input, accepting: .readablePart)
        let outcome = try options.conversion.convert(input, to: job.output) { share in
            if let share { state.withLock { $0.shares[index] = share } }
            return !isStopping.load(ordering: .relaxed)
        }
        return ConvertReport.File(job, outcome)
    }
}
