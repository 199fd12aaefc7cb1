import CJack
import Glibc

/// Wakes one thread of ours that waits for it, or for a file beside it: unlike a semaphore it can be polled.
package final class Bell: Sendable {
    private let reading: CInt
    private let writing: CInt

    /// - Throws: `resources` where the process has too many files open.
    package init() throws(JackError) {
        var reading: CInt = -1
        var writing: CInt = -1
        guard unsafe cjack_pipe(&reading, &writing) == 0 else {
            throw JackError(.resources, "make a pipe", DescriptorLimit.advice)
        }
        // A pipe that is full rings all the same, and one that is empty was heard.
        for end in [reading, writing] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        (self.reading, self.writing) = (reading, writing)
    }

    deinit {
        close(reading)
        close(writing)
    }

    /// Ends the present wait, or the next one. Thread: any but audio. Never waits.
    package func ring() {
        var byte: UInt8 = 1
        _ = unsafe write(writing, &byte, 1)
    }

    /// Waits until it rings, until a file can be read, or for a time. Thread: one, the waiting one's.
    ///
    /// - Parameters:
    ///   - milliseconds: how long at most; negative for ever.
    ///   - file: a descriptor; it is not read here.
    package func wait(milliseconds: Int, orFor file: CInt? = nil) {
        var files = [pollfd(fd: reading, events: Int16(POLLIN), revents: 0)]
        if let file { files.append(pollfd(fd: file, events: Int16(POLLIN), revents: 0)) }
        unsafe poll(&files, nfds_t(files.count), CInt(clamping: milliseconds))
        var bytes = [UInt8](repeating: 0, count: 64)
        while unsafe bytes.withUnsafeMutableBytes({ unsafe read(reading, $0.baseAddress, $0.count) }) > 0 {}
    }
}
