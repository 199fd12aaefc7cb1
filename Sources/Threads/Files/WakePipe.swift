import Glibc

/// Wakes one thread of ours that waits for it, or for a file beside it: unlike a semaphore it can be polled.
package final class WakePipe: Sendable {
    private let pipe: PipeEnds

    /// - Throws: where the process has too many files open.
    package init() throws(ResourceError) {
        guard let pipe = PipeEnds() else { throw ResourceError("make a pipe", DescriptorLimit.advice) }
        // Writing to a full pipe wakes all the same, and from an empty one there is nothing to read.
        for end in [pipe.reading, pipe.writing] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        self.pipe = pipe
    }

    deinit { pipe.close() }

    /// Ends the present wait, or the next one. Thread: any but audio. Never waits.
    package func wake() {
        var byte: UInt8 = 1
        _ = unsafe write(pipe.writing, &byte, 1)
    }

    /// Waits until `wake`, until a file can be read, or for a time. Thread: one, the waiting one's.
    ///
    /// - Parameters:
    ///   - milliseconds: how long at most; negative to wait without end.
    ///   - file: a descriptor; it is not read here.
    /// - Returns: whether the file can be read, or has ended. Not where a signal has ended the wait.
    @discardableResult
    package func wait(milliseconds: Int, orFor file: CInt? = nil) -> Bool {
        var files = [pollfd(fd: pipe.reading, events: Int16(POLLIN), revents: 0)]
        if let file { files.append(pollfd(fd: file, events: Int16(POLLIN), revents: 0)) }
        let count = unsafe poll(&files, nfds_t(files.count), CInt(clamping: milliseconds))
        var bytes = [UInt8](repeating: 0, count: 64)
        while unsafe bytes.withUnsafeMutableBytes({ unsafe read(pipe.reading, $0.baseAddress, $0.count) }) > 0 {}
        return count > 0 && files.dropFirst().contains { $0.revents != 0 }
    }
}
