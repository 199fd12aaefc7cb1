import AudioFiles
import AudioReports
import CommandSyntax
import Glibc
import TerminalPages
import Threads

/// `iounit convert`: files of files, as many at a time as there are processors.
struct ConvertCommand {
    let options: ConvertOptions

    func run() throws -> ExitCode {
        var options = options
        if let path = options.shapeTablePath {
            options.conversion.shaping?.table = try ShapeTableFile(path).table
        }
        options.conversion.effect = try options.search?()
        if let folder = options.folder, unsafe access(folder, F_OK) != 0 {
            throw Failure(.cannotCreate, "cannot write \(shown(folder)): there is no such folder; create it first")
        }
        let signals = try Signals()
        let queue = try ConvertQueue(options)
        let start = MonotonicClock.nanoseconds()
        let workers = try (0..<min(options.workers, options.jobs.count)).map { _ in
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
        // Of one file that could not be made there is no more to say.
        if report.files.count == 1, report.files[0].error != nil { return code }
        if options.jobs.contains(where: \.writesStandardOutput) {
            // There is sound on the standard output.
            for file in report.files { StandardError.complain(file.line) }
        } else {
            try StandardOutput.print(
                options.isJSON ? reportJSON(report) : report.files.map(\.line).joined(separator: "\n"))
        }
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
