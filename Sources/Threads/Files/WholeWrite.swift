import Glibc

/// Writes all of some bytes, however often the kernel takes only a part of them.
package enum WholeWrite {
    /// As below; what takes nothing at present is given up.
    package static func write(_ bytes: [UInt8], to descriptor: CInt, at place: Int? = nil) -> Bool {
        write(bytes, to: descriptor, at: place) { false }
    }

    /// How long a pipe's reader may take nothing.
    package static let patienceMilliseconds: CInt = 10_000

    /// Of a reader that has taken nothing for so long an interruption is heard; one that is slow gets all.
    private static let lookMilliseconds: UInt64 = 250

    /// As below; where a pipe's reader takes nothing, it is waited for, or until a signal asks the program to end.
    ///
    /// - Parameter path: for the error.
    /// - Throws: `cannotWrite`.
    package static func write(
        _ bytes: [UInt8], to descriptor: CInt, path: String, patienceMilliseconds: CInt = Self.patienceMilliseconds
    ) throws(FileError) {
        let asked = StopSignals.number
        var deadline: UInt64?
        let isWritten = try write(bytes, to: descriptor) { () throws(FileError) in
            let now = MonotonicClock.nanoseconds()
            let end = deadline ?? now + UInt64(patienceMilliseconds) * 1_000_000
            var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            let rest = min(Self.lookMilliseconds, (max(end, now) - now + 999_999) / 1_000_000)
            let count = unsafe poll(&wait, 1, CInt(rest))
            deadline = count > 0 ? nil : end
            if count > 0 { return true }
            // Where a signal has ended the look, whatever it was, the reader has another.
            if count == 0, StopSignals.number != asked {
                throw .cannotWrite(path: path, reason: "interrupted while its reader took nothing")
            }
            if MonotonicClock.nanoseconds() >= end {
                throw .cannotWrite(path: path, reason: "its reader takes nothing")
            }
            return true
        }
        guard isWritten else { throw .cannotWrite(path: path, reason: FileError.reason) }
    }

    /// Returns whether all that was written has arrived; if not, `errno` tells why. Some file systems, as those of a network, say
    /// only at a close that the disk is full. Thread: any that may block.
    package static func hasArrived(at descriptor: CInt) -> Bool {
        // The close of a copy tells it as well, and the descriptor stays open.
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        return copy < 0 || close(copy) == 0
    }

    /// Returns whether all were written; if not, `errno` tells why. Thread: any that may block.
    ///
    /// - Parameters:
    ///   - place: where in the file, in bytes; `nil` for behind what was written last.
    ///   - waits: called where the descriptor takes nothing at present; returns whether to try again.
    package static func write<Failure: Error>(
        _ bytes: [UInt8], to descriptor: CInt, at place: Int? = nil,
        waits: () throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        var written = 0
        while written < bytes.count {
            // SAFETY: from what is written to the end of the array.
            let count = unsafe bytes.withUnsafeBytes { bytes in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
                guard let place else { return unsafe Glibc.write(descriptor, rest.baseAddress, rest.count) }
                return unsafe pwrite(descriptor, rest.baseAddress, rest.count, off_t(place + written))
            }
            if count < 0 && errno == EINTR { continue }
            if count < 0 && errno == EAGAIN, try waits() { continue }
            guard count > 0 else { return false }
            written += count
        }
        return true
    }
}
