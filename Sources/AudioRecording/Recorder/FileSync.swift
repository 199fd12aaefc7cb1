import AudioFiles
import Glibc
import Synchronization
import Threads

/// Has the kernel write finished files to the disk, and their names, so that a loss of power does not take them. On a
/// thread of its own: the recording goes on meanwhile, and a disk may take seconds.
final class FileSync: Sendable {
    private struct Item {
        let descriptor: CInt
        let path: String
    }

    private struct State {
        var waiting: [Item] = []
        var worker: Worker?
        var isRunning = false
        var failure: SoundFileError?
    }

    private let state = Mutex(State())
    private let sync: @Sendable (CInt) -> CInt

    /// - Parameter sync: as `fsync`; another one for tests.
    init(_ sync: @escaping @Sendable (CInt) -> CInt = { fsync($0) }) { self.sync = sync }

    deinit { for item in state.withLock({ $0.waiting }) { close(item.descriptor) } }

    /// Takes a file that is finished.
    ///
    /// - Parameter descriptor: of the file, which is closed then; `nil` where there is none.
    func add(_ descriptor: CInt?, path: String) {
        guard let descriptor else { return }
        let isIdle = state.withLock { state in
            state.waiting.append(Item(descriptor: descriptor, path: path))
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard isIdle else { return }
        do throws(ResourceError) {
            let worker = try Worker("iounit-sync") { [self] in run() }
            state.withLock { $0.worker = worker }
        } catch {
            run()
        }
    }

    /// Waits for all of them.
    ///
    /// - Throws: `io`, the first failure.
    func finish() throws(SoundFileError) {
        state.withLock { $0.worker }?.join()
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    private func run() {
        while let item = next() {
            // A file system that has none says so by EINVAL.
            if sync(item.descriptor) != 0, errno != EINVAL, errno != ENOTSUP {
                let reason = "it could not be brought onto the disk (\(systemError(errno))); copy it to another"
                state.withLock { state in
                    state.failure = state.failure ?? SoundFileError(.io, RecordingFile.operation, item.path, reason)
                }
            }
            close(item.descriptor)
            syncFolder(of: item.path)
        }
    }

    private func next() -> Item? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isRunning = false
                return nil
            }
            return state.waiting.removeFirst()
        }
    }

    /// Where the name of a new file is.
    private func syncFolder(of path: String) {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        _ = sync(descriptor)
        close(descriptor)
    }
}
