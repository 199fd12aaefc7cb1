import Glibc

/// A file that is there whole or not at all: it is written under a name of its own in the same folder, and gets its name
/// at the end. Of a link, what it leads to is written; a device or a pipe is written to as it is.
public final class OutputFile {
    /// Where it is.
    public let path: String
    private let descriptor: CInt
    private let place: OutputPlace
    /// What it is called until it is whole; `nil` for a device or a pipe.
    private let draftName: String?
    private var isOpen = true

    /// How long to wait for the reader of a pipe to come.
    private static let patienceToOpen: UInt64 = 1_000_000_000

    /// Finds out whether the file can be written, by making it.
    ///
    /// - Parameters:
    ///   - path: of the file, or of a link to it.
    ///   - replacing: whether a regular file that is there may be replaced.
    ///   - permissions: of a new file, as of `chmod`; the user's umask takes away from them.
    ///   - mark: what the name that it has until it is whole begins with, behind a dot.
    /// - Throws: `cannotCreate`.
    public init(
        _ path: String, replacing: Bool, permissions: UInt32 = 0o666, mark: String = "iounit"
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
        draftName = place.kind == nil || place.kind == S_IFREG ? Self.randomName(mark) : nil
        descriptor = draftName.map { Self.make($0, permissions, in: place) } ?? Self.open(place)
        guard descriptor >= 0 else {
            throw .cannotCreate(
                path: path,
                reason: errno == ENXIO ? "nobody reads from it; start its reader first" : FileError.creation())
        }
    }

    /// That nobody can foresee: else it could be taken beforehand, also by ourselves, who were killed in an earlier life.
    private static func randomName(_ mark: String) -> String {
        ".\(mark)-" + String(UInt64.random(in: .min ... .max), radix: 16)
    }

    private static func make(_ name: String, _ permissions: UInt32, in place: OutputPlace) -> CInt {
        unsafe openat(place.folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, permissions)
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
        removeDraft()
    }

    private func removeDraft() {
        if let draftName { unsafe unlinkat(place.folder, draftName, 0) }
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
        isOpen = false
        // Some file systems say only now that the disk is full.
        var isThere = close(descriptor) == 0
        if isThere, let draftName {
            isThere = unsafe renameat(place.folder, draftName, place.folder, place.name) == 0
        }
        guard isThere else {
            let reason = FileError.reason
            removeDraft()
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
}
