import Glibc

/// A file of a few lines, as the kernel and administrators write them.
package enum SmallFile {
    /// What it holds, or `nil` where it cannot be read. Never waits, whatever kind of file it is.
    ///
    /// - Parameter limit: no more is read once there are as many bytes.
    package static func text(_ path: String, limit: Int = 1 << 16) -> String? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else { return nil }
        defer { close(file) }
        return bytes(from: file, limit: limit).map { String(decoding: $0, as: UTF8.self) }
    }

    /// What a file holds, or what comes through a named pipe, whose writer is waited for. A signal ends the wait. Thread: any that may
    /// block.
    ///
    /// - Parameters:
    ///   - awaitsWriter: whether one may come later; if not, a pipe that nobody has opened is empty.
    ///   - seconds: so long may it take.
    /// - Throws: `cannotRead`, `readFailed`.
    package static func awaitedBytes(
        _ path: String, limit: Int, awaitsWriter: Bool = true, withinSeconds seconds: Double = 60
    ) throws(FileError) -> [UInt8] {
        // Else the opening itself waits for a writer, and hears no signal.
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else { throw .cannotRead(path: path, reason: FileError.reason) }
        defer { close(file) }
        let deadline = MonotonicClock.nanoseconds() + UInt64(seconds * 1e9)
        var bytes: [UInt8] = []
        // What there is no writer of is never ready, and its end is read at once.
        var waits = awaitsWriter
        while bytes.count < limit {
            guard !waits || InputWait.wait(for: [file], untilNanoseconds: deadline) else {
                let reason = FileError.reason
                let isLate = MonotonicClock.nanoseconds() >= deadline
                throw .cannotRead(path: path, reason: isLate ? "nobody has written all of it in time" : reason)
            }
            var piece = [UInt8](repeating: 0, count: min(16384, limit - bytes.count))
            // SAFETY: the array has room for as many.
            let count = unsafe piece.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
            waits = true
            if count < 0 && (errno == EAGAIN || errno == EINTR) { continue }
            guard count >= 0 else { throw .reading(path) }
            guard count > 0 else { break }
            bytes += piece.prefix(count)
        }
        return bytes
    }

    /// What is left of an open file, or of what a pipe's writers still write, up to a number of bytes. `nil` where it cannot be
    /// read; `errno` tells why.
    package static func bytes(from descriptor: CInt, limit: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: min(16384, limit))
        while bytes.count < limit {
            let wanted = min(piece.count, limit - bytes.count)
            // SAFETY: the array has room for as many.
            let count = unsafe piece.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, wanted) }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { return nil }
            guard count > 0 else { break }
            bytes += piece.prefix(count)
        }
        return bytes
    }
}
