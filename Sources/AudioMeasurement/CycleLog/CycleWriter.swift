import AudioRealtime
import Synchronization
import Threads

/// Writes a log of cycles (`CycleFile`) while the run goes on. May be fed from any threads but the audio thread.
///
/// There is no file, not even half of one, until `finish`. Where the program is killed, what it has written stays in a hidden file
/// beside it, `.iounit-log-…`, which can be read.
public final class CycleWriter: Sendable {
    private let draft: Mutex<Draft>

    private struct Draft: ~Copyable {
        let file: OutputFile
        var modes: [[UInt8]] = []
        var bytes: [UInt8] = []
        var failure: FileError?
        var hasColumns = false
        var isFinished = false

        init(_ file: sending OutputFile) { self.file = file }

        /// Ends the head, in which whatever is known before the first callback comes first.
        mutating func addColumns() {
            if !hasColumns { bytes += CycleWriter.line(CycleFile.columns) }
            hasColumns = true
        }

        mutating func flush() throws(FileError) {
            try file.write(bytes)
            bytes.removeAll(keepingCapacity: true)
        }
    }

    private static let capacity = 1 << 18
    private static let longestLine = 9 * 21

    /// Makes the file and begins its head.
    ///
    /// - Parameter replacing: whether a regular file of that name may be replaced, by `finish`.
    /// - Throws: `cannotCreate`, `cannotWrite`.
    public init(path: String, replacing: Bool = false) throws(FileError) {
        var draft = Draft(try OutputFile(path, replacing: replacing, mark: "iounit-log", staysBehind: true))
        draft.bytes.reserveCapacity(Self.capacity + Self.longestLine)
        draft.bytes += Self.line(CycleFile.format)
        // A full disk is known now rather than at the end.
        try draft.flush()
        self.draft = Mutex(draft)
    }

    /// Notes a fact of the run.
    public func note(_ name: String, _ text: String) {
        draft.withLock { $0.bytes += Self.line("# \(name): \(text)".filter { !$0.isNewline }) }
    }

    /// Announces a mode whose callbacks will come.
    ///
    /// - Returns: its number, for `write`.
    public func add(_ mode: CycleFile.Mode) -> Int {
        draft.withLock { draft in
            draft.modes.append(Array(mode.name.utf8))
            draft.bytes += Self.line(mode.line)
            return draft.modes.count - 1
        }
    }

    /// Writes a line for each record. What goes wrong is said by `failure` and `finish`, also that there is no such mode.
    ///
    /// - Parameter mode: its number.
    public func write(_ records: [CycleRecord], mode: Int) {
        draft.withLock { draft in
            guard draft.failure == nil, !draft.isFinished else { return }
            guard draft.modes.indices.contains(mode) else {
                draft.failure = .cannotWrite(path: draft.file.path, reason: "no mode has the number \(mode)")
                return
            }
            draft.addColumns()
            let name = draft.modes[mode]
            do throws(FileError) {
                for record in records {
                    Self.append(record, name, to: &draft.bytes)
                    if draft.bytes.count >= Self.capacity { try draft.flush() }
                }
            } catch {
                draft.failure = error
            }
        }
    }

    /// Why what was written last did not arrive.
    public var failure: FileError? { draft.withLock { $0.failure } }

    /// Writes what is left and gives the file its name. Cycles written afterwards are not in it. A writer that is let
    /// go without this leaves no file.
    ///
    /// - Throws: `cannotWrite`; there is no file then.
    public func finish() throws(FileError) {
        try draft.withLock { draft throws(FileError) in
            if let failure = draft.failure { throw failure }
            guard !draft.isFinished else { return }
            draft.isFinished = true
            draft.addColumns()
            try draft.flush()
            try draft.file.finish()
        }
    }

    fileprivate static func line(_ text: String) -> [UInt8] { Array(text.utf8) + [UInt8(ascii: "\n")] }

    private static func append(_ record: CycleRecord, _ name: [UInt8], to bytes: inout [UInt8]) {
        bytes += name
        append(record.entryNanoseconds, to: &bytes)
        append(record.exitNanoseconds, to: &bytes)
        append(UInt64(record.frameTime), to: &bytes)
        append(UInt64(record.frames), to: &bytes)
        append(record.position, to: &bytes)
        append(record.lostRecords, to: &bytes)
        append(UInt64(record.sampleRate), to: &bytes)
        append(UInt64(record.restFrames), to: &bytes)
        bytes.append(UInt8(ascii: "\n"))
    }

    /// A comma and the digits.
    private static func append(_ value: UInt64, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: ","))
        let first = bytes.count
        var rest = value
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        } while rest > 0
        bytes[first...].reverse()
    }
}
