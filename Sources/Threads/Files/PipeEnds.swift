import CThreads
import Glibc

/// The two ends of a pipe that no other program inherits, not even one that another thread starts at this moment.
package struct PipeEnds: Sendable {
    package let reading: CInt
    package let writing: CInt

    /// `nil` where the process has too many files open.
    package init?() {
        var (reading, writing): (CInt, CInt) = (-1, -1)
        guard unsafe cthreads_pipe(&reading, &writing) == 0 else { return nil }
        (self.reading, self.writing) = (reading, writing)
    }

    package func close() {
        Glibc.close(reading)
        Glibc.close(writing)
    }
}
