import CSndFile

/// Why a sound file could not be read or written, in one sentence: what failed, why, and what to do.
public struct SoundFileError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What the caller can do about it.
    public enum Kind: Sendable, Equatable {
        /// There is no such file to read, or it may not be read: name another.
        case noInput
        /// What was named is no sound that can be read: repair it, convert it, or name something else.
        case badInput
        /// The file cannot be made where it was wanted: choose another place.
        case cannotCreate
        /// There is a file of that name already: choose another name, or ask to overwrite it.
        case exists
        /// The file worked and then no longer did: look at the disk.
        case io
        /// The kind of file cannot hold such sound, or not be read so: choose another rate, number of channels, encoding or
        /// container, or convert before.
        case unsupportedFormat
    }

    /// What the caller can do about it.
    public var kind: Kind
    /// What was being done to the file, as in "write".
    public var operation: String
    /// The file, or the word that stands for a source.
    public var path: String
    /// What is wrong and what to do about it.
    public var reason: String

    /// - Parameters:
    ///   - operation: what was being done, as in "write".
    ///   - reason: why it failed, and what to do.
    public init(_ kind: Kind, _ operation: String, _ path: String, _ reason: String) {
        self.kind = kind
        self.operation = operation
        self.path = path
        self.reason = reason
    }

    public var description: String { "cannot \(operation) \(path): \(reason)" }
}

/// What libsndfile last said about a file, or, for `nil`, about the last one that it did not open, on one line.
func soundFileError(_ file: OpaquePointer?) -> String {
    // SAFETY: libsndfile's messages are terminated, and stay until its next call.
    let text = unsafe sf_strerror(file).map { unsafe String(cString: $0) } ?? "it does not say why"
    let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
    // As in "System error : No space left on device."
    let words = line.hasPrefix(systemErrorMark) ? String(line.dropFirst(systemErrorMark.count)) : line
    return words.hasSuffix(".") ? String(words.dropLast()) : words
}

private let systemErrorMark = "System error : "

/// What libsndfile noted down while it read the header of an open file.
func soundFileLog(_ file: OpaquePointer) -> String {
    unsafe String(unsafeUninitializedCapacity: 16384) { text in
        // SAFETY: libsndfile writes no more than `text.count` bytes and returns their number, which is bounded below.
        let length = unsafe sf_command(file, CInt(SFC_GET_LOG_INFO), text.baseAddress, CInt(text.count))
        return min(max(0, Int(length)), text.count)
    }
}
