import Foundation

/// A file that is there whole or not at all: written under another name in the same folder, and renamed at the end.
/// Whether that can be done is found out when the value is made.
final class OutputFile {
    let path: String
    private let target: String
    /// `nil` where the target is no file to be replaced but a device or a pipe, which is written to as it is.
    private let draft: String?
    private let handle: FileHandle
    private var isDone = false

    init(_ path: String) throws(Failure) {
        self.path = path
        func failure(_ reason: String) -> Failure {
            Failure(.cannotCreate, "cannot create \(shown(path)): \(reason)")
        }
        guard !path.isEmpty, !path.contains("\0") else { throw failure("it has no name") }
        // A link stays one: what it leads to is replaced.
        target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        var facts = stat()
        let exists = unsafe stat(target, &facts) == 0
        let isFolder = exists && facts.st_mode & S_IFMT == S_IFDIR
        guard !isFolder, !path.hasSuffix("/") else { throw failure("it is a folder; name a file in it") }
        let isReplaced = !exists || facts.st_mode & S_IFMT == S_IFREG
        // A file that may not be written to is not replaced either.
        let isWritable = unsafe access(target, W_OK) == 0
        guard !exists || isWritable else { throw failure(Self.reason) }
        let name = isReplaced ? "\(target).\(getpid())" : target
        let flags = isReplaced ? O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC : O_WRONLY | O_CLOEXEC
        let descriptor = unsafe open(name, flags, 0o666)
        guard descriptor >= 0 else { throw failure(Self.reason) }
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        draft = isReplaced ? name : nil
    }

    private static var reason: String { unsafe String(cString: strerror(errno)) }

    /// Writes all of it and puts it in its place.
    func write(_ text: String) throws(Failure) {
        do {
            try handle.write(contentsOf: Data(text.utf8))
            try handle.close()
        } catch {
            let code = ((error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError)?.code ?? Int(EIO)
            throw Failure(.inputOutput, "cannot write \(shown(path)): \(unsafe String(cString: strerror(CInt(code))))")
        }
        if let draft {
            guard unsafe rename(draft, target) == 0 else {
                throw Failure(.inputOutput, "cannot write \(shown(path)): \(Self.reason)")
            }
        }
        isDone = true
    }

    deinit {
        if let draft, !isDone { unsafe unlink(draft) }
    }
}
