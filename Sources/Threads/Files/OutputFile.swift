import Glibc

/// A file that is there whole or not at all: it gets its name at the end (`DraftFile`). Of a link, what it leads to is written;
/// a device or a pipe is written to as it is.
public final class OutputFile {
    /// Where it is.
    public let path: String
    private let descriptor: CInt
    private let place: OutputPlace
    /// `nil` for a device or a pipe.
    private var draft: DraftFile?
    private var isOpen = true

    /// How long to wait for the reader of a pipe to come.
    private static let patienceToOpen: UInt64 = 1_000_000_000

    /// Finds out whether the file can be written, by making it.
    ///
    /// - Parameters:
    ///   - path: of the file, or of a link to it.
    ///   - replacing: whether a regular file that is there may be replaced.
    ///   - permissions: of a new file, as of `chmod`; the user's umask takes away from them.
    ///   - mark: what a name begins with, behind a dot, that it has until it is whole.
    ///   - staysBehind: whether what was written stays under that name where the program is killed.
    /// - Throws: `cannotCreate`.
    public init(
        _ path: String, replacing: Bool, permissions: UInt32 = 0o666, mark: String = "iounit",
        staysBehind: Bool = false
    ) throws(FileError) {
        self.path = path
        let place = try OutputPlace(path)
        self.place = place
        if place.kind == S_IFDIR { throw .cannotCreate(path: path, reason: "it is a folder; name a file in it") }
        guard replacing || place.kind != S_IFREG else {
            throw .cannotCreate(
                path: path, reason: "there is a file of that name; choose another, or overwrite it with --force")
        }
        // What may not be written to is not replaced either.
        guard unsafe place.kind == nil || faccessat(place.folder, place.name, W_OK, 0) == 0 else {
            throw .cannotCreate(path: path, reason: FileError.creation())
        }
        if place.kind == nil || place.kind == S_IFREG {
            draft = DraftFile(in: place.folder, permissions: permissions, mark: mark, staysBehind: staysBehind)
            descriptor = draft?.descriptor ?? -1
        } else {
            descriptor = Self.open(place)
        }
        guard descriptor >= 0 else {
            throw .cannotCreate(
                path: path,
                reason: errno == ENXIO ? "nobody reads from it; start its reader first" : FileError.creation())
        }
    }

    /// Opens a device or a pipe, and never waits for ever: in there no signal would be heard.
    private static func open(_ place: OutputPlace) -> CInt {
        let deadline = MonotonicClock.nanoseconds() + patienceToOpen
        while true {
            let opened = unsafe openat(place.folder, place.name, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
            if opened >= 0 || errno != ENXIO || MonotonicClock.nanoseconds() > deadline { return opened }
            MonotonicClock.sleep(milliseconds: 10)
            errno = ENXIO
        }
    }

    deinit { discard() }

    /// Gives the file up: there is none, or the one that was there. After `finish` it does nothing.
    public func discard() {
        guard isOpen else { return }
        isOpen = false
        close(descriptor)
        draft?.remove()
    }

    /// Where a pipe's reader takes nothing, it waits ten seconds, or until a signal asks the program to end.
    ///
    /// - Throws: `cannotWrite`; also after `finish` and `discard`.
    public func write(_ bytes: [UInt8]) throws(FileError) {
        // Its descriptor's number may be another file's by now.
        guard isOpen else { throw .cannotWrite(path: path, reason: "it is closed already") }
        try WholeWrite.write(bytes, to: descriptor, path: path)
    }

    /// Gives the file its name. Calling it again does nothing.
    ///
    /// - Throws: `cannotWrite`; there is no file then.
    public func finish() throws(FileError) {
        guard isOpen else { return }
        guard WholeWrite.hasArrived(at: descriptor), draft?.claim(place.name) ?? true else {
            let reason = FileError.reason
            discard()
            throw .cannotWrite(path: path, reason: reason)
        }
        isOpen = false
        close(descriptor)
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
}
