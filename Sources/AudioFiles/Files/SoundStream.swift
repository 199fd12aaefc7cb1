import CSndFile
import Glibc
import Threads

/// A sound file that leaves through a descriptor as it is made: a pipe, a socket, or a file that a shell has opened.
///
/// An encoder may go back to a header only where the descriptor belongs to a regular file. In a pipe what it would change
/// there is dropped, and the header says from the beginning that nobody knows the length.
///
/// Thread: one at a time, any that may block.
@safe final class SoundStream: VirtualFile {
    /// Kinds of file that readers understand although nobody went back to their header. CAF has a word for a length that
    /// nobody knows, but libsndfile and sox refuse it.
    static let containers: [SoundFileFormat.Container] = [.wav, .au, .flac, .ogg, .mp3, .raw]

    /// What leaves where nothing is said.
    static let usualFormat = SoundFileFormat(known: .wav, .float)

    private let descriptor: CInt
    private let format: SoundFileFormat
    /// Asked ten times a second while the reader takes nothing: whether to go on waiting.
    private let waits: () -> Bool
    /// Where a regular file begins that can be gone back to.
    private let base: off_t?
    /// The header, until it is complete.
    private var head: [UInt8]? = []
    /// How many bytes were made, and how many of them did not go out.
    private var (madeBytes, unsentBytes) = (0, 0)
    /// How many went out, or wait for that.
    var bytes: Int { madeBytes - unsentBytes }
    private var isClosing = false
    /// Why writing stopped. Nothing is written from then on.
    private(set) var failure: String?

    /// - Parameter descriptor: open for writing; stays the caller's.
    /// - Throws: `cannotCreate`, `unsupportedFormat`.
    init(
        copyOf descriptor: CInt, name: String, format: SoundFileFormat, operation: String,
        waits: @escaping () -> Bool
    ) throws(SoundFileError) {
        try Self.check(format, name: name, operation: operation)
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        let flags = fcntl(copy, F_GETFL)
        guard copy >= 0, flags & O_ACCMODE != O_RDONLY, isatty(copy) == 0 else {
            let reason =
                copy < 0 || isatty(copy) == 0
                ? "it is not open for writing; give it a pipe or a file"
                : "it is a terminal, and sound is no text; send it to a file or a pipe"
            if copy >= 0 { Glibc.close(copy) }
            throw SoundFileError(.cannotCreate, operation, name, reason)
        }
        var facts = stat()
        let isRegular = unsafe fstat(copy, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
        base = isRegular && flags & O_APPEND == 0 ? lseek(copy, 0, SEEK_CUR) : nil
        self.descriptor = copy
        self.format = format
        self.waits = waits
    }

    deinit { Glibc.close(descriptor) }

    /// - Throws: `unsupportedFormat`.
    static func check(_ format: SoundFileFormat, name: String, operation: String) throws(SoundFileError) {
        guard containers.contains(format.container) else {
            let kinds = containers.map(\.rawValue).joined(separator: ", ")
            throw SoundFileError(
                .unsupportedFormat, operation, name,
                "\(format.container.rawValue) has its length at its beginning, which a pipe does not know; "
                    + "use one of \(kinds)")
        }
    }

    /// Opens a sound file upon it, which must be closed while this is there.
    func open(_ trial: EncoderTrial, sampleRate: Int, channels: Int) -> OpaquePointer? {
        // Not WAV that can become RF64: a pipe has no room for the larger header.
        let code = format.container.code(of: format.encoding) ?? 0
        var facts = SF_INFO(sampleRate: sampleRate, channels: channels, code: code)
        guard let file = unsafe openVirtual(SFM_WRITE, &facts) else { return nil }
        _ = unsafe format.configure(file, trial.encoder)
        // The header has left by the time that it could change.
        unsafe sf_command(file, CInt(SFC_SET_UPDATE_HEADER_AUTO), nil, 0)
        unsafe trial.metadata.write(to: file)
        if format.updatesHeader { unsafe sf_command(file, CInt(SFC_UPDATE_HEADER_NOW), nil, 0) }
        release()
        guard failure == nil else {
            unsafe sf_close(file)
            return nil
        }
        return unsafe file
    }

    /// From here on comes only what ends the file.
    func beginClosing() { isClosing = true }

    /// Some file systems say only at a close whether all has arrived. Calling it again does nothing else.
    func close() -> Bool {
        if failure == nil, !WholeWrite.hasArrived(at: descriptor) { failure = words(errno) }
        return failure == nil
    }

    override var end: Int { madeBytes }

    /// Returns how many bytes it took: all or, after a failure, none.
    @unsafe override func write(_ made: UnsafeRawBufferPointer) -> Int {
        guard failure == nil, unsafe !made.isEmpty else { return 0 }
        if head != nil {
            unsafe keep(made)
        } else if position == end {
            if unsafe isSuperfluous(made) { unsentBytes += made.count } else { unsafe send(made) }
        } else if isClosing, let base, end <= format.largestStreamSize {
            // SAFETY: as many bytes as there are.
            let count = unsafe pwrite(descriptor, made.baseAddress, made.count, base + off_t(position))
            if count != made.count { failure = "the header of the file could not be finished; is the disk full?" }
        }
        guard failure == nil else { return 0 }
        madeBytes = max(madeBytes, position + made.count)
        return made.count
    }

    @unsafe private func keep(_ bytes: UnsafeRawBufferPointer) {
        var kept = head ?? []
        head = nil
        kept.replaceSubrange(position..<min(kept.count, position + bytes.count), with: unsafe Array(bytes))
        head = kept
    }

    /// The header is complete: it goes out, and all that follows behind it.
    private func release() {
        guard var bytes = head?.prefix(position) else { return }
        head = nil
        format.makeEndless(&bytes)
        madeBytes = position
        unsafe bytes.withUnsafeBytes { unsafe send($0) }
    }

    /// What only helps a reader who could go back, and is sound to one who cannot.
    @unsafe private func isSuperfluous(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard base == nil else { return false }
        switch format.container {
        // The byte that makes a chunk of samples even.
        case .wav: return isClosing && bytes.count == 1
        // The frame without sound whose place is for the number of frames.
        case .mp3: return unsafe bytes.count > 4 && bytes[0] == 0xff && bytes.dropFirst(4).allSatisfy { $0 == 0 }
        default: return false
        }
    }
}

// What goes out.
extension SoundStream {
    /// What a pipe takes at once or not at all, where it is writable.
    private static let piece = 4096

    @unsafe private func send(_ bytes: UnsafeRawBufferPointer) {
        // A reader that has gone away must not end the program that uses this library.
        let mask = SignalMask([SIGPIPE])
        mask.hold {
            var sent = 0
            while sent < bytes.count, failure == nil, isWritable() {
                let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[sent...].prefix(piece))
                // SAFETY: as many bytes as there are.
                let count = unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
                if count > 0 {
                    sent += count
                } else if ![EINTR, EAGAIN].contains(errno) {
                    let code = errno
                    if code == EPIPE { mask.drop() }
                    failure = words(code)
                }
            }
        }
    }

    /// A regular file needs no small pieces.
    private var piece: Int { base == nil ? Self.piece : Int.max }

    /// Waits until the descriptor takes something; `false` where that was given up.
    private func isWritable() -> Bool {
        guard base == nil else { return true }
        var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        while unsafe poll(&wait, 1, 100) <= 0 {
            guard waits() else {
                failure = "its reader took nothing any more, and it was interrupted"
                return false
            }
        }
        return true
    }

    private var isSocket: Bool {
        var facts = stat()
        return unsafe fstat(descriptor, &facts) == 0 && facts.st_mode & S_IFMT == S_IFSOCK
    }

    private func words(_ code: CInt) -> String {
        switch code {
        case EPIPE where isSocket, ECONNRESET where isSocket: "the other end closed the connection"
        case EPIPE, ECONNRESET: "nobody reads the pipe any more; was its reader stopped?"
        case ENOSPC, EDQUOT, EFBIG: "the disk is full; free some space"
        default: "writing stopped (\(FileError.words(code)))"
        }
    }
}

extension SoundFileFormat {
    /// The largest file whose size its header holds.
    fileprivate var largestStreamSize: Int { [.wav, .au].contains(container) ? 0xffff_fffe : Int.max }

    /// Puts the sizes into a header that programs put there who do not know the length.
    fileprivate func makeEndless(_ head: inout ArraySlice<UInt8>) {
        func fill(_ range: Range<Int>) {
            guard range.upperBound <= head.count else { return }
            for index in range { head[index] = 0xff }
        }
        switch container {
        case .wav:
            fill(4..<8)
            if let place = Self.dataChunk(head) { fill(place..<(place + 4)) }
        case .au: fill(8..<12)
        default: break
        }
    }

    /// Where the size of WAV's chunk of samples is.
    private static func dataChunk(_ head: ArraySlice<UInt8>) -> Int? {
        var place = 12
        while place + 8 <= head.count {
            if head[place...].starts(with: "data".utf8) { return place + 4 }
            let length = head.littleEndian(place - head.startIndex + 4, 4)
            place += 8 + length + length % 2
        }
        return nil
    }
}
