import Glibc

/// Bytes as a file that has a path and is on no disk.
struct InputFile {
    /// Begins at the first byte, for those who read no path.
    let descriptor: CInt
    var path: String { "/proc/self/fd/\(descriptor)" }

    /// Glibc's O_TMPFILE, which is too much of a macro for Swift.
    private static let nameless = 0o20000000 | O_DIRECTORY

    /// Thread: any. The file is there during the call.
    static func with(_ bytes: [UInt8], _ body: (InputFile) throws -> Void) rethrows {
        let descriptor = unsafe Glibc.open("/dev/shm", O_RDWR | nameless | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        // SAFETY: from the beginning of the bytes to their end.
        let count = unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
        require(descriptor >= 0 && count == bytes.count, "the input could not be written")
        lseek(descriptor, 0, SEEK_SET)
        try body(InputFile(descriptor: descriptor))
    }
}
