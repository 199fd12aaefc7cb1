import Glibc
import Threads

/// A file that is added to, as the summary of a job is, which every step writes a part of.
package struct AppendedFile: ~Copyable {
    private let path: String
    private let descriptor: CInt

    /// Finds out whether the file can be written, by opening it.
    ///
    /// - Throws: `cannotCreate`.
    package init(_ path: String) throws(FileError) {
        self.path = path
        // A pipe that nobody reads would never be open.
        descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0o666)
        guard descriptor >= 0 else { throw .cannotCreate(path: path, reason: FileError.reason) }
        _ = fcntl(descriptor, F_SETFL, O_APPEND)
    }

    deinit { close(descriptor) }

    /// - Throws: `cannotWrite`.
    package consuming func finish(with text: String) throws(FileError) {
        guard WholeWrite.write(Array(text.utf8), to: descriptor) else {
            throw .cannotWrite(path: path, reason: FileError.reason)
        }
    }
}
