import AudioFigures
import AudioMeasurement
import AudioReports
import CommandSyntax
import Glibc
import TerminalPages
import Threads

/// A file that tells of a measurement: a log of cycles (`--csv`) or a report (`--json`). It may be a pipe, which is read once.
final class RunFile {
    /// A longer file is no report: that of a mode has a few thousand bytes. Of small values as many take ten seconds and 200 MB.
    private static let mostBytes = 4 << 20

    private let path: String
    private let descriptor: CInt
    private let beginning: [UInt8]

    /// - Parameter path: `-` for the standard input.
    /// - Throws: `cannotRead`, `readFailed`.
    private init(_ path: String) throws(FileError) {
        self.path = Self.name(path)
        descriptor = Self.open(path)
        guard descriptor >= 0 else { throw .cannotRead(path: self.path, reason: Self.reason) }
        guard let beginning = SmallFile.bytes(from: descriptor, limit: 4) else {
            let isFolder = errno == EISDIR
            let failure = FileError.reading(self.path)
            close(descriptor)
            throw isFolder ? .cannotRead(path: self.path, reason: "it is a folder") : failure
        }
        self.beginning = beginning
    }

    /// What people call it.
    static func name(_ path: String) -> String { path == standardInput ? "the standard input" : path }

    static let standardInput = "-"

    deinit { close(descriptor) }

    /// Why it cannot be read, by `errno`.
    static var reason: String {
        switch errno {
        case ENOENT: "there is no such file"
        case EACCES: "it may not be read"
        default: FileError.reason
        }
    }

    /// Opens a file, a pipe whose writer may come later, or with `-` the standard input. It is waited for without a deadline, which
    /// is said after two seconds: no signal is handled here, so that any of them ends that.
    ///
    /// - Returns: negative where it cannot be opened; `errno` tells why.
    static func open(_ path: String) -> CInt {
        // Else the opening itself waits for a writer, and nothing can be said meanwhile.
        let descriptor =
            path == standardInput
            ? ownInput()
            : unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { return descriptor }
        // Of a pipe that was opened a second time, `poll` does not tell that the writer has closed it.
        let watched = path == standardInput ? STDIN_FILENO : descriptor
        if !InputWait.wait(for: [watched], untilNanoseconds: MonotonicClock.nanoseconds() + 2_000_000_000) {
            StandardError.complain("waiting for \(name(path)), which nobody writes to yet")
            var file = pollfd(fd: watched, events: Int16(POLLIN), revents: 0)
            while unsafe poll(&file, 1, -1) < 0 && errno == EINTR {}
        }
        // Its writer may be slow.
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
        return descriptor
    }

    /// Of a pipe a description of our own, whose flags nobody else has.
    private static func ownInput() -> CInt {
        var facts = stat()
        if unsafe fstat(STDIN_FILENO, &facts) == 0, facts.st_mode & S_IFMT == S_IFIFO {
            let own = unsafe Glibc.open("/dev/stdin", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            if own >= 0 { return own }
        }
        return fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
    }

    /// Behind the byte order mark of an editor too.
    private var isLog: Bool { beginning.first { ![0xef, 0xbb, 0xbf].contains($0) } == UInt8(ascii: "#") }

    /// - Throws: a sentence, where the file cannot be read or is neither.
    static func read(_ path: String) throws -> MeasuredRun {
        let file = try RunFile(path)
        return try file.isLog ? file.log() : file.report()
    }

    /// A report that `--json` has printed.
    static func report(_ path: String) throws -> MeasuredRun {
        let file = try RunFile(path)
        guard !file.isLog else {
            throw Failure(
                .badInput, "\(shown(path)) is no report (--json); of a log, iounit jitter --from FILE --json makes one")
        }
        return try file.report()
    }

    private func report() throws -> MeasuredRun {
        guard !beginning.isEmpty else { throw Failure(.badInput, "\(shown(path)) is empty") }
        guard let rest = SmallFile.bytes(from: descriptor, limit: Self.mostBytes) else {
            throw FileError.reading(path)
        }
        let bytes = beginning + rest
        guard bytes.count <= Self.mostBytes else {
            throw Failure(.badInput, "\(shown(path)) is larger than 4 MiB, as no report (--json) is")
        }
        guard let value: ReportValue = decodeJSON(bytes) else {
            throw Failure(.badInput, "\(shown(path)) is neither a log of cycles (--csv) nor a report (--json)")
        }
        guard !MeasuredRun.isOfOtherSchema(value) else {
            throw Failure(
                .badInput,
                "\(shown(path)) is a report of another version of iounit (\(shown(value.text("schema") ?? ""))), which names "
                    + "figures otherwise; measure again, or compare logs of cycles (--csv)")
        }
        let modes = value.list("modes")?.count ?? 0
        guard modes <= MeasuredRun.mostModes else {
            throw Failure(
                .badInput, "\(shown(path)) has \(modes) modes; a report has \(MeasuredRun.mostModes) at the most")
        }
        guard let run = MeasuredRun(name: path, report: value) else {
            throw Failure(.badInput, "\(shown(path)) is no report of iounit jitter, compare or latency")
        }
        try check(value)
        return run
    }

    /// - Throws: a sentence where it has a figure that cannot be.
    private func check(_ value: ReportValue) throws(Failure) {
        guard let figure = MeasuredRun.impossibleFigure(in: value) else { return }
        throw Failure(.badInput, "\(shown(path)) is no report of a measurement, or was edited: \(figure)")
    }

    /// A log, analysed again: its report is read as any other.
    private func log() throws -> MeasuredRun {
        let own = dup(descriptor)
        guard own >= 0 else { throw FileError.cannotRead(path: path, reason: "too many files are open") }
        let log = try CycleFile.contents(
            of: CycleReader(path, descriptor: own, beginning: beginning), keepsSamples: true)
        let report = LoggedReport.report(of: log, path, schema: "iounit.\(MeasuredRun.log)")
        let value: ReportValue? = decodeJSON(try encodeJSON(report))
        guard report.modes.contains(where: { $0.cycles > 0 }), let value,
            var run = MeasuredRun(
                name: path, report: value, isLog: true, tellsPlugins: LoggedReport.tellsPlugins(log))
        else {
            throw Failure(.badInput, "\(shown(path)) is a log without a callback")
        }
        try check(value)
        for index in run.parts.indices {
            guard let mode = report.modes.firstIndex(where: { $0.name == run.parts[index].name }) else { continue }
            run.parts[index].samples = log.analyses[mode].samples
            run.parts[index].curve = report.modes[mode].deviationCurve
        }
        return run
    }
}
