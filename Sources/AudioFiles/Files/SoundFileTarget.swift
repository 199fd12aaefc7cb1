import CSndFile
import Glibc

/// Where a writer's bytes go.
enum SoundFileTarget {
    case file(NewFile)
    case stream(SoundStream)

    /// A new file, which may replace another; or a named pipe, where somebody reads from it.
    ///
    /// - Throws: `exists`, `cannotCreate`; of a pipe, `unsupportedFormat`.
    init(
        path: String, replacing: Bool, format: SoundFileFormat, operation: String, waits: @escaping () -> Bool
    ) throws(SoundFileError) {
        guard Self.isPipe(path) else {
            self = .file(try NewFile(path: path, force: replacing, operation: operation))
            return
        }
        let descriptor = unsafe Glibc.open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            throw SoundFileError(
                .cannotCreate, operation, path,
                errno == ENXIO ? "nobody reads from it; start its reader first" : systemError(errno))
        }
        defer { Glibc.close(descriptor) }
        self = .stream(
            try SoundStream(copyOf: descriptor, name: path, format: format, operation: operation, waits: waits))
    }

    /// Through links: a shell names a pipe by one, as /dev/fd/63.
    static func isPipe(_ path: String) -> Bool {
        var facts = stat()
        return unsafe stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFIFO
    }

    func open(_ trial: EncoderTrial, sampleRate: Int, channels: Int) -> OpaquePointer? {
        switch self {
        case .stream(let stream): return unsafe stream.open(trial, sampleRate: sampleRate, channels: channels)
        case .file(let target):
            var facts = SF_INFO(sampleRate: sampleRate, channels: channels, code: trial.format.code)
            // libsndfile gets a descriptor of its own: it closes it, also where it does not open the file.
            let copy = fcntl(target.descriptor, F_DUPFD_CLOEXEC, 0)
            guard let file = unsafe sf_open_fd(copy, CInt(SFM_WRITE), &facts, 1) else { return nil }
            // The trial has shown that it takes these settings.
            _ = unsafe trial.format.configure(file, trial.encoder)
            unsafe trial.metadata.write(to: file)
            return unsafe file
        }
    }

    /// Why nothing more is taken, where that is known.
    var failure: String? {
        if case .stream(let stream) = self { stream.failure } else { nil }
    }

    /// No encoding is larger than its exact format.
    func maximumFrames(_ format: SoundFileFormat, bytesPerFrame: Int) -> Int {
        if case .stream = self { Int.max } else { format.maximumBytes / bytesPerFrame }
    }

    /// How many bytes it has taken.
    var bytes: Int {
        switch self {
        case .stream(let stream): stream.bytes
        case .file(let file): fileSize(file.descriptor) ?? 0
        }
    }

    /// Whether it can be gone back to.
    var isFile: Bool { if case .file = self { true } else { false } }

    /// Before the first sample: see `NewFile.claim`.
    ///
    /// - Throws: `io`.
    func claim() throws(SoundFileError) {
        if case .file(let file) = self { try file.claim() }
    }

    /// Before libsndfile writes what ends the file.
    func beginClosing() {
        if case .stream(let stream) = self { stream.beginClosing() }
    }

    /// Of a pipe nothing can be taken back.
    func remove() {
        if case .file(let file) = self { file.remove() }
    }

    /// Returns whether all that was written has arrived.
    @discardableResult
    func close() -> Bool {
        switch self {
        case .file(let file): return file.close()
        case .stream(let stream):
            stream.finish()
            return stream.failure == nil
        }
    }
}
