import CSndFile
import Glibc

/// A sound file that is played.
@safe package final class SoundFileReader {
    package let path: String
    /// In hertz.
    package let sampleRate: Int
    package let channels: Int
    /// What the header promises. `nil` where it does not know (a FLAC file that was written to a pipe, or whose
    /// recorder was killed) or only estimates (MP3).
    package let promisedFrames: Int?

    private let file: OpaquePointer
    private let loops: Bool
    private var position = 0

    /// Opens a file and makes sure that it holds what its header promises.
    ///
    /// - Throws: `noInput`, `badInput`.
    package init(path: String, loops: Bool) throws(SoundFileError) {
        let descriptor = try Self.open(path)
        var facts = SF_INFO()
        // The descriptor is libsndfile's from here on: where it does not open the file, it closes it all the same.
        guard let file = unsafe sf_open_fd(descriptor, CInt(SFM_READ), &facts, 1) else {
            let said = soundFileError(nil)
            throw SoundFileError(
                .badInput, "play", path,
                "it is no sound file that can be read (libsndfile: \(said)); convert it to WAV or FLAC")
        }
        self.path = path
        self.loops = loops
        unsafe self.file = file
        sampleRate = Int(facts.samplerate)
        channels = Int(facts.channels)
        let isEstimate = Int(facts.format) & SF_FORMAT_TYPEMASK == SF_FORMAT_MPEG
        promisedFrames = isEstimate || facts.frames == Int64.max ? nil : Int(facts.frames)
        try check()
    }

    deinit {
        // SAFETY: nobody else has the file.
        unsafe sf_close(file)
    }

    package func read(_ frames: Int, into target: inout [Float]) throws(SoundFileError) -> Int {
        precondition(target.count >= frames * channels)
        while true {
            let count = unsafe target.withUnsafeMutableBufferPointer {
                // SAFETY: checked on the first line.
                unsafe Int(sf_readf_float(file, $0.baseAddress, Int64(frames)))
            }
            if count > 0 {
                position += count
                return count
            }
            try checkEnd()
            guard loops, position > 0 else { return 0 }
            try rewind(orThrow: .io)
        }
    }

    /// Leaves out frames from the beginning, before anything is read.
    package func skip(_ frames: Int) throws(SoundFileError) {
        guard frames > 0 else { return }
        if let promisedFrames {
            let target = loops ? frames % promisedFrames : min(frames, promisedFrames)
            if unsafe sf_seek(file, Int64(target), CInt(SEEK_SET)) == Int64(target) { return position = target }
        }
        // Not every file takes a seek.
        var rest = frames
        var block = [Float](repeating: 0, count: 4096 * channels)
        while rest > 0 {
            let count = try read(min(rest, 4096), into: &block)
            guard count > 0 else { return }
            rest -= count
        }
    }

    /// That reading stopped is right where the promise is kept. Where there was none, a last block that is broken is
    /// how a killed recorder ends.
    private func checkEnd() throws(SoundFileError) {
        let error = unsafe sf_error(file)
        let isBroken = error == SF_ERR_SYSTEM || (promisedFrames != nil && error != 0)
        guard isBroken || position < promisedFrames ?? 0 else { return }
        let end = promisedFrames.map { "frame \(position) of \($0)" } ?? "frame \(position)"
        let said = error == 0 ? "" : " (libsndfile: \(unsafe soundFileError(file)))"
        throw SoundFileError(
            .io, "play", path, "reading stopped at \(end)\(said); was it changed, or is the disk broken?")
    }

    private func rewind(orThrow kind: SoundFileError.Kind) throws(SoundFileError) {
        guard unsafe sf_seek(file, 0, CInt(SEEK_SET)) == 0 else {
            throw SoundFileError(
                kind, "play", path,
                "it cannot be rewound (libsndfile: \(unsafe soundFileError(file))); convert it to WAV")
        }
        position = 0
    }

    private func check() throws(SoundFileError) {
        func bad(_ reason: String) -> SoundFileError { SoundFileError(.badInput, "play", path, reason) }
        guard promisedFrames != 0 else {
            throw bad(
                "its header says that it holds no frames; if it was never finished, repair it with another program")
        }
        if let promise = BrokenPromise(log: unsafe soundFileLog(file)) {
            throw bad(
                "it is cut off: its header promises \(promise.promisedBytes) bytes and \(promise.presentBytes) are"
                    + " there; get the whole file")
        }
        var frame = [Float](repeating: 0, count: channels)
        func canRead(at position: Int) -> Bool {
            unsafe frame.withUnsafeMutableBufferPointer {
                // SAFETY: there is room for the one frame.
                unsafe sf_seek(file, Int64(position), CInt(SEEK_SET)) == Int64(position)
                    && sf_readf_float(file, $0.baseAddress, 1) == 1
            }
        }
        // Without a seek: a FLAC file that does not know its length takes none but to its beginning.
        guard unsafe (frame.withUnsafeMutableBufferPointer { unsafe sf_readf_float(file, $0.baseAddress, 1) }) == 1
        else { throw bad("no frame of it can be read; is it cut off?") }
        if let promisedFrames, !canRead(at: promisedFrames - 1) {
            throw bad(
                "it is cut off: its header promises \(promisedFrames) frames and not all are there; get the whole file")
        }
        try rewind(orThrow: .badInput)
    }

    /// A descriptor of a regular file that is not empty.
    private static func open(_ path: String) throws(SoundFileError) -> CInt {
        func missing(_ reason: String) -> SoundFileError { SoundFileError(.noInput, "play", path, reason) }
        // Without O_NONBLOCK the open of a named pipe waits for its writer.
        let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT, ENOTDIR: throw missing("there is no such file; check the path")
            case EACCES, EPERM: throw missing("it may not be read by this user; change its permissions")
            case let code: throw missing("it cannot be opened (\(systemError(code)))")
            }
        }
        var facts = stat()
        guard unsafe fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw missing(
                facts.st_mode & S_IFMT == S_IFDIR
                    ? "it is a directory; name a file in it" : "it is no regular file; copy what it holds into one")
        }
        guard facts.st_size > 0 else {
            close(descriptor)
            throw SoundFileError(.badInput, "play", path, "it is empty")
        }
        return descriptor
    }
}

/// The words of the C library for an error number.
package func systemError(_ code: CInt) -> String {
    // SAFETY: the text is terminated, and ours until the next call on this thread.
    unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
}
