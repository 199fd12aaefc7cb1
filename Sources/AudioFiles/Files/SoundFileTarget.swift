import CSndFile
import Glibc
import Threads

/// Where a writer's bytes go.
protocol SoundFileTarget: AnyObject {
    /// Opens a sound file upon it, which must be closed while this is there.
    func open(_ trial: EncoderTrial, sampleRate: Int, channels: Int) -> OpaquePointer?
    /// Why nothing more is taken, where that is known.
    var failure: String? { get }
    /// How many bytes it has taken.
    var bytes: Int { get }
    func maximumFrames(_ format: SoundFileFormat, bytesPerFrame: Int) -> Int
    /// Before the first sample: see `NewFile.claim`.
    ///
    /// - Throws: `io`.
    func claim() throws(SoundFileError)
    /// Before libsndfile writes what ends the file.
    func beginClosing()
    /// Of a pipe nothing can be taken back.
    func remove()
    /// Returns whether all that was written has arrived.
    @discardableResult func close() -> Bool
}

extension NewFile: SoundFileTarget {
    func open(_ trial: EncoderTrial, sampleRate: Int, channels: Int) -> OpaquePointer? {
        var facts = SF_INFO(sampleRate: sampleRate, channels: channels, code: trial.format.code)
        // libsndfile gets a descriptor of its own: it closes it, also where it does not open the file.
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard let file = unsafe sf_open_fd(copy, CInt(SFM_WRITE), &facts, 1) else { return nil }
        // The trial has shown that it takes these settings.
        _ = unsafe trial.format.configure(file, trial.encoder)
        unsafe trial.metadata.write(to: file)
        return unsafe file
    }

    var failure: String? { nil }
    var bytes: Int { fileSize(descriptor) ?? 0 }
    /// No encoding is larger than its exact format.
    func maximumFrames(_ format: SoundFileFormat, bytesPerFrame: Int) -> Int { format.maximumBytes / bytesPerFrame }
    func beginClosing() {}
}

extension SoundStream: SoundFileTarget {
    /// A named pipe, where somebody reads from it.
    ///
    /// - Throws: `cannotCreate`, `unsupportedFormat`.
    convenience init(
        path: String, format: SoundFileFormat, operation: String, waits: @escaping () -> Bool
    ) throws(SoundFileError) {
        let descriptor = unsafe Glibc.open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            throw SoundFileError(
                .cannotCreate, operation, path,
                errno == ENXIO ? "nobody reads from it; start its reader first" : FileError.reason)
        }
        defer { Glibc.close(descriptor) }
        try self.init(copyOf: descriptor, name: path, format: format, operation: operation, waits: waits)
    }

    func maximumFrames(_ format: SoundFileFormat, bytesPerFrame: Int) -> Int { .max }
    func claim() {}
    func remove() {}
}
