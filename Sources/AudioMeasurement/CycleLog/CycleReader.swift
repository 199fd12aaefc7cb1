import AudioRealtime
import Glibc
import Threads

/// Reads a log of cycles (`CycleFile`) piece by piece; memory stays the same however long it is.
public struct CycleReader: ~Copyable {
    /// The modes that the log has named so far. One that was measured after another may be named late.
    public private(set) var modes: [CycleFile.Mode] = []
    /// What the log says of its run beside them: the first of each name.
    public private(set) var facts: [String: String] = [:]

    /// The number of the last line, where that is not whole: the log was cut short, and nothing of this line is read. Known at the end
    /// of the log.
    public private(set) var cutLine: Int?

    /// Records that follow one another.
    public struct Batch: Sendable, Equatable {
        /// Index of their mode among `modes`.
        public var mode: Int
        /// In the order of the log.
        public var records: [CycleRecord]
    }

    private let path: String
    private let descriptor: CInt
    private var bytes = [UInt8](repeating: 0, count: 1 << 20)
    /// How many of the bytes were read, and how many of these belong to lines that are whole.
    private var filled = 0
    private var whole = 0
    /// Where the next line begins, and how many there were.
    private var position = 0
    private var lines = 0
    /// The beginnings of the lines of each mode; empty until the line that names the columns.
    private var beginnings: [[UInt8]] = []
    private var haveRate = true
    /// Whether the records tell `CycleRecord.restFrames`; known from the first batch on.
    private(set) var haveRest = true

    private static let noLog = "it is no log of cycles, which begins with \"\(CycleFile.format)\""
    private static let longestBatch = 4096
    /// A log from elsewhere may hold any number.
    private static let mostFacts = 64
    private static let mostModes = 64

    /// Of a named pipe it waits until somebody opens that to write, and so does `next` for what is written; however long that takes.
    /// Thread: any that may block.
    ///
    /// - Throws: `cannotRead`.
    public init(_ path: String) throws(FileError) {
        self.path = path
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .cannotRead(path: path, reason: FileError.reason) }
    }

    /// Reads what somebody else has opened and looked into, as a pipe cannot be opened twice.
    ///
    /// - Parameters:
    ///   - path: what it is called.
    ///   - descriptor: is closed with the reader.
    ///   - beginning: what was read of it.
    package init(_ path: String, descriptor: CInt, beginning: [UInt8]) {
        self.path = path
        self.descriptor = descriptor
        bytes.replaceSubrange(0..<beginning.count, with: beginning)
        filled = beginning.count
    }

    deinit { close(descriptor) }

    /// The next records, all of one mode; `nil` at the end of the log.
    ///
    /// - Throws: `cannotRead`, `readFailed`, `malformed`.
    public mutating func next() throws(FileError) -> Batch? {
        while true {
            if position == whole, !(try refill()) { break }
            if beginnings.isEmpty || bytes[position] == UInt8(ascii: "#") {
                try readHead()
            } else {
                return try readBatch()
            }
        }
        guard !beginnings.isEmpty else { throw malformed("the log ends before its first callback") }
        return nil
    }

    /// Returns whether there is another line.
    private mutating func refill() throws(FileError) -> Bool {
        bytes.replaceSubrange(0..<(filled - whole), with: Array(bytes[whole..<filled]))
        filled -= whole
        (whole, position) = (0, 0)
        while whole == 0 {
            guard filled < bytes.count else { throw malformed("it is too long") }
            // SAFETY: from what is filled to the end of the array.
            let count = unsafe bytes.withUnsafeMutableBytes { bytes in
                unsafe read(descriptor, bytes.baseAddress.map { unsafe $0 + filled }, bytes.count - filled)
            }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw .reading(path) }
            if count == 0 {
                guard filled > 0 else { return false }
                guard !beginnings.isEmpty else {
                    let head = String(decoding: bytes[..<min(filled, 4)], as: UTF8.self)
                    guard lines > 0 || head.hasPrefix("#") || head.hasPrefix("\u{feff}#") else {
                        throw malformed(Self.noLog)
                    }
                    throw malformed("it is not ended: the log was cut short")
                }
                cutLine = lines + 1
                return false
            }
            let new = filled..<(filled + count)
            filled += count
            whole = (bytes[new].lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1
        }
        return true
    }

    private mutating func readHead() throws(FileError) {
        let end = bytes[position..<whole].firstIndex(of: UInt8(ascii: "\n")) ?? whole
        var text = String(decoding: bytes[position..<end], as: UTF8.self)[...]
        if text.last == "\r" { text.removeLast() }
        // An editor or a spreadsheet has put its mark there.
        if lines == 0 && text.first == "\u{feff}" { text.removeFirst() }
        if lines == 0 && text != CycleFile.format && text != CycleFile.olderFormat {
            if text.hasPrefix("# iounit.cycles/") {
                throw malformed("it is a log of another version of iounit (\(text.dropFirst(2)))")
            }
            throw malformed(Self.noLog)
        }
        if text.hasPrefix("# mode ") {
            guard let mode = CycleFile.Mode(line: text) else {
                throw malformed("it does not tell of a mode what a log must tell")
            }
            // Each has histograms of its own, which are megabytes.
            guard modes.count < Self.mostModes else { throw malformed("a log has \(Self.mostModes) modes at the most") }
            // The callbacks of the second would be the first one's.
            guard !modes.contains(where: { $0.name == mode.name }) else {
                throw malformed("there is a mode \"\(mode.name)\" above")
            }
            modes.append(mode)
            if !beginnings.isEmpty { beginnings.append(Self.beginning(of: mode)) }
        } else if text.hasPrefix("# ") {
            noteFact(text.dropFirst(2))
        } else if !text.hasPrefix("#") {
            haveRest = text == CycleFile.columns
            haveRate = haveRest || text == CycleFile.columnsWithoutRest
            guard haveRate || text == CycleFile.columnsWithoutRate else {
                throw malformed("expected the columns \(CycleFile.columns)")
            }
            guard !modes.isEmpty else { throw malformed("no line above begins with \"# mode\"") }
            beginnings = modes.map(Self.beginning)
        }
        lines += 1
        position = end + 1
    }

    private mutating func noteFact(_ text: Substring) {
        let pair = text.split(separator: ": ", maxSplits: 1)
        guard pair.count == 2, facts.count < Self.mostFacts, facts[String(pair[0])] == nil else { return }
        facts[String(pair[0])] = String(pair[1])
    }

    private static func beginning(of mode: CycleFile.Mode) -> [UInt8] { Array(mode.name.utf8) + [UInt8(ascii: ",")] }

    private mutating func readBatch() throws(FileError) -> Batch {
        guard let mode = beginnings.firstIndex(where: { bytes[position..<whole].starts(with: $0) }) else {
            throw malformed("it does not begin with the name of a mode")
        }
        var records: [CycleRecord] = []
        records.reserveCapacity(Self.longestBatch)
        let lines = CycleLines(beginning: beginnings[mode], haveRate: haveRate, haveRest: haveRest)
        var next = position
        while records.count < Self.longestBatch && next < whole && lines.isNext(in: bytes.span, at: next) {
            var record = CycleRecord()
            if let column = lines.read(&record, from: bytes.span, at: &next) {
                throw malformed("\(column) is no whole number that it can be, or not followed by what should follow")
            }
            self.lines += 1
            records.append(record)
        }
        position = next
        return Batch(mode: mode, records: records)
    }

    /// Of the next line.
    private func malformed(_ reason: String) -> FileError {
        .malformed(path: path, line: lines + 1, reason: reason)
    }
}
