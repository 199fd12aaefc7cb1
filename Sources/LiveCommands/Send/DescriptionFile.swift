import AudioReports
import CommandSyntax
import Foundation

/// The file of `--sdp`, which is made before anything is sent, and written when it is known what is.
struct DescriptionFile {
    let path: String
    private let isNew: Bool
    private let file: FileHandle

    /// - Parameter replacing: whether one that is there may be written over.
    /// - Throws: `cannotCreate`.
    init(_ path: String, replacing: Bool) throws(Failure) {
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC
        var descriptor = unsafe open(path, flags | O_EXCL, 0o666)
        isNew = descriptor >= 0
        if descriptor < 0, errno == EEXIST {
            guard replacing else {
                throw Failure(
                    .cannotCreate, "cannot write \(shown(path)): it exists; choose another name, or add --force")
            }
            descriptor = unsafe open(path, flags, 0o666)
        }
        guard descriptor >= 0 else { throw Self.failure(path) }
        self.path = path
        file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    private static func failure(_ path: String) -> Failure {
        // SAFETY: the C library's messages are constants, or the thread's own.
        let reason = unsafe String(cString: strerror(errno))
        return Failure(.cannotCreate, "cannot write \(shown(path)): \(reason)")
    }

    func write(_ text: String) throws(Failure) {
        // A device has no length to be cut to.
        _ = ftruncate(file.fileDescriptor, 0)
        do {
            try file.write(contentsOf: Data(text.utf8))
        } catch {
            throw Self.failure(path)
        }
    }

    /// Nothing was sent: nothing is left behind.
    func abandon() { if isNew { unsafe unlink(path) } }
}
