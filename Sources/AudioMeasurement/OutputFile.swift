import Glibc

/// A file that is there whole or not at all: it is written under a name of its own in the same folder, and gets its name
/// at the end. Of a link, what it leads to is replaced; a device or a pipe is written to as it is.
public final class OutputFile {
    public let path: String
    private let descriptor: CInt
    /// What to rename to what; `nil` for a device.
    private let names: (from: String, to: String)?
    private var isOpen = true

    /// Finds out whether the file can be written, by making it.
    ///
    /// - Throws: `cannotCreate`.
    public init(_ path: String) throws(FileError) {
        self.path = path
        let target = unsafe realpath(path, nil)
        defer { unsafe free(target) }
        let name = unsafe target.map { unsafe String(cString: $0) } ?? path
        let isReplaced = try Self.isReplaced(name, path)
        let opened = isReplaced ? "\(name).\(getpid())" : name
        let flags = isReplaced ? O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC : O_WRONLY | O_CLOEXEC
        let made = unsafe open(opened, flags, 0o666)
        guard made >= 0 else { throw .cannotCreate(path: path, reason: Self.reason) }
        descriptor = made
        names = isReplaced ? (opened, name) : nil
    }

    /// Whether a new file takes the place of what is there. What may not be written to is not replaced either.
    private static func isReplaced(_ name: String, _ path: String) throws(FileError) -> Bool {
        var facts = stat()
        guard unsafe stat(name, &facts) == 0 else { return true }
        let kind = facts.st_mode & S_IFMT
        if kind == S_IFDIR { throw .cannotCreate(path: path, reason: "it is a folder; name a file in it") }
        if unsafe access(name, W_OK) != 0 { throw .cannotCreate(path: path, reason: reason) }
        return kind == S_IFREG
    }

    deinit { discard() }

    /// Gives the file up: there is none, or the one that was there. After `finish` it does nothing.
    public func discard() {
        guard isOpen else { return }
        isOpen = false
        close(descriptor)
        if let names { unsafe unlink(names.from) }
    }

    /// - Throws: `cannotWrite`.
    public func write(_ bytes: [UInt8]) throws(FileError) {
        var written = 0
        while written < bytes.count {
            // SAFETY: from what is written to the end of the array.
            let count = unsafe bytes.withUnsafeBytes { bytes in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
                return unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw .cannotWrite(path: path, reason: Self.reason) }
            written += count
        }
    }

    /// Gives the file its name. Calling it again does nothing.
    ///
    /// - Throws: `cannotWrite`; there is no file then.
    public func finish() throws(FileError) {
        guard isOpen else { return }
        isOpen = false
        // Some file systems say only now that the disk is full.
        let isClosed = close(descriptor) == 0
        guard let names else { return }
        guard unsafe isClosed && rename(names.from, names.to) == 0 else {
            let reason = Self.reason
            unsafe unlink(names.from)
            throw .cannotWrite(path: path, reason: reason)
        }
    }

    /// Writes a text that is all of the file, and gives it its name.
    ///
    /// - Throws: `cannotWrite`; there is no file then.
    public func finish(with text: String) throws(FileError) {
        do {
            try write(Array(text.utf8))
        } catch {
            discard()
            throw error
        }
        try finish()
    }

    private static var reason: String { unsafe String(cString: strerror(errno)) }
}
