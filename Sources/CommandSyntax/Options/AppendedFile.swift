import Glibc
import Threads

/// A file that is added to, as the summary of a job is, which every step writes a part of.
package final class AppendedFile {
    private let path: String
    private let descriptor: CInt

    /// Finds out whether the file can be written, by opening it.
    ///
    /// - Throws: `cannotCreate`.
    package init(_ path: String) throws(FileError) {
        self.path = path
        // A pipe that nobody reads would never be open, and one whose reader takes nothing would keep the program.
        descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0o666)
        guard descriptor >= 0 else { throw .cannotCreate(path: path, reason: FileError.reason) }
    }

    deinit { close(descriptor) }

    /// Where a pipe's reader takes nothing, it is waited for as long as `WholeWrite` has it.
    ///
    /// - Throws: `cannotWrite`.
    package func finish(
        with text: String, patienceMilliseconds: CInt = WholeWrite.patienceMilliseconds
    ) throws(FileError) {
        try WholeWrite.write(
            Array(text.utf8), to: descriptor, path: path, patienceMilliseconds: patienceMilliseconds)
        guard WholeWrite.hasArrived(at: descriptor) else {
            throw .cannotWrite(path: path, reason: FileError.reason)
        }
    }
}
