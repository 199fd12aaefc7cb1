import AudioRealtime
import Glibc
import Synchronization

/// Writes a log of cycles (`CycleFile`) while the run goes on.
///
/// The log is under a name of its own in the same folder until `finish` gives it its name, so that there is never half a
/// log; a device or a pipe is written to as it is. May be fed from any threads but the audio thread.
public final class CycleWriter: Sendable {
    private let path: String
    private let modes: [CycleFile.Mode]
    private let draft: Mutex<Draft>

    private struct Draft: ~Copyable {
        let descriptor: CInt
        /// What to rename to what; `nil` for a device.
        let names: (from: String, to: String)?
        var isOpen = true
        var bytes: [UInt8] = []
        var failure: CycleFileError?

        deinit {
            guard isOpen else { return }
            close(descriptor)
            if let names { unsafe unlink(names.from) }
        }
    }

    private static let capacity = 1 << 18
    private static let longestLine = 7 * 21

    /// Makes the file and writes its head.
    ///
    /// - Parameters:
    ///   - modes: those whose callbacks will come.
    ///   - facts: of the run, for people to read: pairs of a name and a text.
    /// - Throws: `cannotCreate`, `cannotWrite`.
    public init(
        path: String, modes: [CycleFile.Mode], facts: [(name: String, text: String)] = []
    ) throws(CycleFileError) {
        self.path = path
        self.modes = modes
        var draft = try Self.open(path)
        let lines =
            [CycleFile.format] + facts.map { "# \($0.name): \($0.text)".filter { !$0.isNewline } }
            + modes.map(\.line) + [CycleFile.columns]
        for line in lines { draft.bytes += Array(line.utf8) + [UInt8(ascii: "\n")] }
        draft.bytes.reserveCapacity(Self.capacity + Self.longestLine)
        try Self.flush(&draft, path)
        self.draft = Mutex(draft)
    }

    /// Writes a line for each record. What goes wrong is said by `failure` and `finish`.
    ///
    /// - Parameter mode: its index among `modes`.
    public func write(_ records: [CycleRecord], mode: Int) {
        draft.withLock { draft in
            guard draft.isOpen, draft.failure == nil else { return }
            let name = Array(modes[mode].name.utf8)
            do throws(CycleFileError) {
                for record in records {
                    Self.append(record, name, to: &draft.bytes)
                    if draft.bytes.count >= Self.capacity { try Self.flush(&draft, path) }
                }
            } catch {
                draft.failure = error
            }
        }
    }

    /// Why what was written last did not arrive.
    public var failure: CycleFileError? { draft.withLock { $0.failure } }

    /// Writes what is left and gives the file its name. What is written afterwards is not in it. A writer that is let
    /// go without this leaves no file.
    ///
    /// - Throws: `cannotWrite`; there is no file then.
    public func finish() throws(CycleFileError) {
        try draft.withLock { draft throws(CycleFileError) in
            if let failure = draft.failure { throw failure }
            guard draft.isOpen else { return }
            try Self.flush(&draft, path)
            draft.isOpen = false
            guard close(draft.descriptor) == 0 else {
                let reason = Self.reason
                if let names = draft.names { unsafe unlink(names.from) }
                throw .cannotWrite(path: path, reason: reason)
            }
            guard let names = draft.names, unsafe rename(names.from, names.to) != 0 else { return }
            let reason = Self.reason
            unsafe unlink(names.from)
            throw .cannotWrite(path: path, reason: reason)
        }
    }

    private static func open(_ path: String) throws(CycleFileError) -> Draft {
        var facts = stat()
        // Of a link, what it leads to is replaced.
        let target = unsafe realpath(path, nil)
        defer { unsafe free(target) }
        let name = unsafe target.map { unsafe String(cString: $0) } ?? path
        let exists = unsafe stat(name, &facts) == 0
        let isReplaced = !exists || facts.st_mode & S_IFMT == S_IFREG
        // What may not be written to is not replaced either.
        guard unsafe !exists || access(name, W_OK) == 0 else { throw .cannotCreate(path: path, reason: reason) }
        let opened = isReplaced ? "\(name).\(getpid())" : name
        let flags = isReplaced ? O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC : O_WRONLY | O_CLOEXEC
        let descriptor = unsafe Glibc.open(opened, flags, 0o666)
        guard descriptor >= 0 else { throw .cannotCreate(path: path, reason: reason) }
        return Draft(descriptor: descriptor, names: isReplaced ? (opened, name) : nil)
    }

    private static func flush(_ draft: inout Draft, _ path: String) throws(CycleFileError) {
        var written = 0
        while written < draft.bytes.count {
            // SAFETY: from what is written to the end of the array.
            let count = unsafe draft.bytes.withUnsafeBytes { bytes in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
                return unsafe Glibc.write(draft.descriptor, rest.baseAddress, rest.count)
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw .cannotWrite(path: path, reason: reason) }
            written += count
        }
        draft.bytes.removeAll(keepingCapacity: true)
    }

    private static var reason: String { unsafe String(cString: strerror(errno)) }

    private static func append(_ record: CycleRecord, _ name: [UInt8], to bytes: inout [UInt8]) {
        bytes += name
        append(record.entryNanoseconds, to: &bytes)
        append(record.exitNanoseconds, to: &bytes)
        append(UInt64(record.frameTime), to: &bytes)
        append(UInt64(record.frames), to: &bytes)
        append(record.position, to: &bytes)
        append(record.lostRecords, to: &bytes)
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
