import Glibc
import Threads

/// A descriptor to read a sound file from. It becomes libsndfile's, which closes it.
struct SoundFileInput {
    let descriptor: CInt
    let isPipe: Bool

    /// A regular file that is not empty.
    init(path: String, operation: String) throws(SoundFileError) {
        func missing(_ reason: String) -> SoundFileError { SoundFileError(.noInput, operation, path, reason) }
        // Without O_NONBLOCK the open of a named pipe waits for its writer.
        let opened = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard opened >= 0 else {
            switch errno {
            case ENOENT, ENOTDIR: throw missing("there is no such file; check the path")
            case EACCES, EPERM: throw missing("it may not be read by this user; change its permissions")
            case let code: throw missing("it cannot be opened (\(FileError.words(code)))")
            }
        }
        descriptor = opened
        isPipe = false
        try requireSound(path, operation, pipes: false)
    }

    /// A regular file, a pipe or a socket.
    init(copyOf original: CInt, name: String, operation: String) throws(SoundFileError) {
        let copy = fcntl(original, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else {
            throw SoundFileError(.noInput, operation, name, "it cannot be opened (\(FileError.reason))")
        }
        descriptor = copy
        isPipe = PipeRelay.isNeeded(for: copy)
        if !isPipe { try requireSound(name, operation, pipes: true) }
    }

    /// The same file under another descriptor, with an offset of its own; `nil` where that is not possible.
    static func reopened(_ descriptor: CInt) -> CInt? {
        let again = unsafe open("/proc/self/fd/\(descriptor)", O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        return again < 0 ? nil : again
    }

    /// Looks at the bytes of the same file from the first one on, whatever the offset of the descriptor is and whether it is
    /// open for reading or for writing; `nil` where that is not possible.
    static func reading<Found>(_ descriptor: CInt, _ look: (RegularBytes) -> Found?) -> Found? {
        guard let reader = reopened(descriptor) else { return nil }
        defer { close(reader) }
        return RegularBytes(reader).flatMap(look)
    }

    /// The same through a relay, which must be closed behind it; itself, without one, where that is not needed.
    ///
    /// libsndfile and libFLAC wait for all that they open a file with, and take it for the end that nothing is there yet in a pipe
    /// in which no call waits. That flag is not ours to clear: other programs have it too.
    ///
    /// - Parameters:
    ///   - opens: whether they wait for more than has come, and then for how long.
    ///   - outline: takes what comes.
    func relayed(
        opens: Bool, _ path: String, _ operation: String, _ openingNanoseconds: UInt64, outline: PipedOutline?
    ) throws(SoundFileError) -> (SoundFileInput, PipeRelay?) {
        guard isPipe, opens || fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0 else { return (self, nil) }
        defer { close(descriptor) }
        let relay: PipeRelay
        do throws(ResourceError) {
            relay = try PipeRelay(
                descriptor, openingNanoseconds: opens ? openingNanoseconds : nil, watch: outline?.take)
        } catch {
            throw SoundFileError(.noInput, operation, path, "\(error)")
        }
        do throws(SoundFileError) {
            return (try SoundFileInput(copyOf: relay.descriptor, name: path, operation: operation), relay)
        } catch {
            relay.close()
            throw error
        }
    }

    private func requireSound(_ path: String, _ operation: String, pipes: Bool) throws(SoundFileError) {
        var facts = stat()
        let isKnown = unsafe fstat(descriptor, &facts) == 0
        let kind = facts.st_mode & S_IFMT
        guard isKnown, kind == S_IFREG else {
            close(descriptor)
            let reason =
                pipes
                ? "it is closed, or no regular file and no pipe; name a file, or send sound through a pipe"
                : "it is no regular file; copy what it holds into one"
            throw SoundFileError(
                .noInput, operation, path, kind == S_IFDIR ? "it is a directory; name a file in it" : reason)
        }
        guard facts.st_size > 0 else {
            close(descriptor)
            throw SoundFileError(.badInput, operation, path, "it is empty")
        }
    }
}
