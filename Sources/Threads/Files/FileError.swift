import Glibc

/// Why a file of a report could not be written, or a log not be read, in one sentence.
public enum FileError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The file cannot be made where it was wanted.
    case cannotCreate(path: String, reason: String)
    /// The file was made and then no longer took what was written: look at the disk.
    case cannotWrite(path: String, reason: String)
    /// There is no such file, or it may not be read.
    case cannotRead(path: String, reason: String)
    /// The file was opened and then could not be read: look at the disk.
    case readFailed(path: String, reason: String)
    /// What was read is no log of cycles. Lines begin with 1.
    case malformed(path: String, line: Int, reason: String)

    public var description: String {
        switch self {
        case .cannotCreate(let path, let reason): "cannot create \(path): \(reason)"
        case .cannotWrite(let path, let reason): "cannot write \(path): \(reason)"
        case .cannotRead(let path, let reason), .readFailed(let path, let reason): "cannot read \(path): \(reason)"
        case .malformed(let path, let line, let reason): "cannot read \(path): line \(line): \(reason)"
        }
    }

    /// Why an open file could not be read, by `errno`. A folder can be opened as well.
    package static func reading(_ path: String) -> FileError {
        errno == EISDIR ? .cannotRead(path: path, reason: reason) : .readFailed(path: path, reason: reason)
    }

    /// Why a file could not be made, by its `errno`, and what to do about it.
    package static func creation(_ code: CInt = errno) -> String {
        switch code {
        case ENOENT: "its folder does not exist; create it first"
        case ENOTDIR: "what should be its folder is a file; check the path"
        case EACCES, EPERM: "this user may not write there; choose another folder"
        case EROFS: "the file system is read-only; choose another folder"
        case ENOSPC, EDQUOT, EFBIG: "the disk is full; free some space"
        case EISDIR: "it is a folder; name a file in it"
        case ENAMETOOLONG: "the name is too long; choose a shorter one"
        default: words(code)
        }
    }

    /// The C library's words for what went wrong last.
    package static var reason: String { words(errno) }

    /// The same for an error number.
    package static func words(_ code: CInt) -> String {
        // SAFETY: the text is terminated, and ours until the next call on this thread.
        unsafe String(cString: strerror(code))
    }
}
