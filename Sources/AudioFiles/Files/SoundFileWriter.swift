import CSndFile
import Glibc

/// A sound file that is recorded.
@safe package final class SoundFileWriter {
    /// In hertz.
    package let sampleRate: Int
    package let channels: Int
    /// Frames that were written.
    package private(set) var position = 0
    private let file: OpaquePointer
    private let target: NewFile
    private let format: FileFormat
    private let maximumFrames: Int
    private var isClosed = false

    /// Creates a file and writes its header.
    ///
    /// - Throws: `unsupportedFormat`, `exists`, `cannotCreate`.
    package init(path: String, sampleRate: Int, channels: Int, force: Bool) throws(SoundFileError) {
        let format = try FileFormat(path: path)
        // Before any file is touched, so that none is emptied for a recording that cannot be.
        try Self.rehearse(format, path: path, sampleRate: sampleRate, channels: channels)
        let target = try NewFile(path: path, force: force)
        guard let file = unsafe Self.open(target.descriptor, format, sampleRate: sampleRate, channels: channels) else {
            let said = soundFileError(nil)
            target.remove()
            target.close()
            throw SoundFileError(
                .cannotCreate, "record to", path,
                "its header cannot be written (libsndfile: \(said)); is the disk full?")
        }
        unsafe self.file = file
        self.target = target
        self.format = format
        self.sampleRate = sampleRate
        self.channels = channels
        maximumFrames = format.maximumBytes / (channels * MemoryLayout<Float>.stride)
    }

    deinit {
        if !isClosed { _ = try? close() }
    }

    package var path: String { target.path }

    /// Appends frames, interleaved; returns how many of them were written, and why not all were.
    package func write(_ frames: Int, of block: [Float]) -> (written: Int, failure: SoundFileError?) {
        precondition(block.count >= frames * channels && !isClosed)
        guard position + frames <= maximumFrames else {
            return (0, failure("this kind of file cannot become larger; record to .wav, .w64 or .caf"))
        }
        let written = unsafe block.withUnsafeBufferPointer {
            // SAFETY: checked on the first line.
            unsafe Int(sf_writef_float(file, $0.baseAddress, Int64(frames)))
        }
        position += written
        // An encoder may take the frames and fail to get rid of its pages.
        guard written == frames, unsafe sf_error(file) == 0 else {
            return (written, failure("writing stopped (libsndfile: \(unsafe soundFileError(file))); is the disk full?"))
        }
        return (written, nil)
    }

    /// Finishes the header, appends the markers where this kind of file has such, and closes the file.
    /// Calling it again does nothing.
    package func close(marking markers: [Marker] = []) throws(SoundFileError) {
        guard !isClosed else { return }
        isClosed = true
        let result = unsafe sf_close(file)
        let isMarked = result == 0 && MarkedFile(descriptor: target.descriptor).append(markers, format: format)
        guard target.close(), result == 0 else {
            throw failure("its header could not be finished; is the disk full?")
        }
        guard isMarked else { throw failure("its markers could not be written; is the disk full?") }
    }

    /// Removes the file, in which nothing was recorded, and closes it.
    package func discard() {
        target.remove()
        _ = try? close()
    }

    private func failure(_ reason: String) -> SoundFileError {
        SoundFileError(.io, "record to", target.path, reason)
    }

    private static func open(
        _ descriptor: CInt, _ format: FileFormat, sampleRate: Int, channels: Int
    ) -> OpaquePointer? {
        var facts = format.facts(sampleRate: sampleRate, channels: channels)
        // libsndfile gets a descriptor of its own: it closes it, also where it does not open the file.
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard let file = unsafe sf_open_fd(copy, CInt(SFM_WRITE), &facts, 1) else { return nil }
        unsafe format.configure(file)
        return unsafe file
    }

    /// Whether a kind of file takes such sound. Touches no file.
    ///
    /// - Throws: `unsupportedFormat`.
    package static func check(path: String, sampleRate: Int, channels: Int) throws(SoundFileError) {
        try rehearse(try FileFormat(path: path), path: path, sampleRate: sampleRate, channels: channels)
    }

    /// Records a frame to nowhere: some encoders say only then what they do not take.
    private static func rehearse(
        _ format: FileFormat, path: String, sampleRate: Int, channels: Int
    ) throws(SoundFileError) {
        var void = VoidFile()
        var facts = format.facts(sampleRate: sampleRate, channels: channels)
        let silence = [Float](repeating: 0, count: max(1, channels))
        let said: String? = unsafe withUnsafeMutablePointer(to: &void) { void in
            guard let file = unsafe VoidFile.open(void, &facts) else { return soundFileError(nil) }
            defer { unsafe sf_close(file) }
            unsafe format.configure(file)
            // SAFETY: the array holds the one frame.
            let written = unsafe silence.withUnsafeBufferPointer { unsafe sf_writef_float(file, $0.baseAddress, 1) }
            return written == 1 ? nil : unsafe soundFileError(file)
        }
        guard let said else { return }
        throw SoundFileError(
            .unsupportedFormat, "record to", path,
            "no .\(format.fileExtension) file has \(channels) channels at \(sampleRate) hertz (libsndfile: \(said));"
                + " use .wav")
    }
}
