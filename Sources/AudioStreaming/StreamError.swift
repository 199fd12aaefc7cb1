import Glibc
import Threads

/// Why a stream cannot be sent or received, in one sentence: what failed, why, and what to do.
public struct StreamError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What the caller can do about it.
    public enum Kind: Sendable, Equatable {
        /// The codec has no such rate, number of channels, length of packets or bit rate: choose another.
        case unsupported
        /// What came is no such packet or message, or is damaged: the sender is another program, or the way loses bytes.
        case badData
        /// What came is of a later version of the form: one of the two programs is older.
        case otherVersion
        /// The codec's library refused, as without memory.
        case codec
        /// The name of a host stands for no address: check it.
        case unresolved
        /// The way to the receiver is closed, or was closed by it. A sender tries again by itself.
        case network
        /// The server wants a token or password, or another one.
        case denied
        /// The server's certificate is not accepted: it may be another than it says.
        case untrusted
        /// The server is none of that kind, or does not answer as one.
        case protocolError
        /// The file or pipe cannot be made or written: choose another.
        case file
        /// A file with certificates, or with their key, is not there or may not be read: name another.
        case unreadable
        /// Another program listens at the port: choose another.
        case occupied
        /// This user may not do that, or the token is wrong.
        case permission
        /// A library that it takes is not installed.
        case missing
        /// The machine has no more threads or files to give.
        case resources
    }

    /// What the caller can do about it.
    public var kind: Kind
    /// What was being done, as in "encode FLAC".
    public var operation: String
    /// What is wrong and what to do about it.
    public var reason: String

    /// An error of a kind: what was being done, and what is wrong with it.
    public init(_ kind: Kind, _ operation: String, _ reason: String) {
        self.kind = kind
        self.operation = operation
        self.reason = reason
    }

    /// - Throws: `unreadable` where it is.
    static func check(readable path: String, _ operation: String) throws(StreamError) {
        guard unsafe access(path, R_OK) == 0 else {
            throw StreamError(.unreadable, operation, "\(path) cannot be read: \(FileError.reason)")
        }
    }

    init(_ missing: MissingLibrary, _ operation: String) { self.init(.missing, operation, missing.description) }

    /// One sentence without its full stop.
    public var description: String { "cannot \(operation): \(reason)" }
}
