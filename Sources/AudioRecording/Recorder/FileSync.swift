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
        /// The first is being done, as long as it runs.
        var waiting: [Item] = []
        var worker: Worker?
        var isRunning = false
        var failure: SoundFileError?
        var displacedPath: String?
    }

    /// A disk that finishes no file for so long does not answer. One that is only slow has less to write than that: the kernel
    /// begins to write what is recorded half a minute after it came.
    static let patienceSeconds = 60.0

    private let state = Mutex(State())
    private let isOneDone = Semaphore()
    private let sync: @Sendable (CInt) -> CInt

    /// - Parameter sync: as `fsync`; another one for tests.
    init(_ sync: @escaping @Sendable (CInt) -> CInt = { fsync($0) }) { self.sync = sync }

    /// The first path that named another file, or none, when its file was finished.
    var displacedPath: String? { state.withLock { $0.displacedPath } }

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

    /// Waits for all of them, as long as the disk answers: a network's may be gone for good, and the kernel lets nobody out of
    /// a call to it.
    ///
    /// - Parameter seconds: how long each file may take.
    /// - Throws: `io`, the first failure, or that the disk does not answer.
    func finish(patienceSeconds seconds: Double = FileSync.patienceSeconds) throws(SoundFileError) {
        var (left, deadline) = (0, UInt64(0))
        while let (count, path) = state.withLock({ state in state.waiting.first.map { (state.waiting.count, $0.path) } }
        ) {
            if count != left {
                (left, deadline) = (count, MonotonicClock.nanoseconds() + UInt64(seconds * 1e9))
            }
            guard MonotonicClock.nanoseconds() < deadline else { throw silence(path, afterSeconds: seconds) }
            isOneDone.wait(untilNanoseconds: deadline)
        }
        state.withLock { $0.worker }?.join()
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    private func silence(_ path: String, afterSeconds seconds: Double) -> SoundFileError {
        state.withLock { $0.failure }
            ?? SoundFileError(
                .io, RecordingFile.operation, path,
                "the disk has not answered for \(Int(seconds)) s; the kernel has all of the file and goes on trying, so see to the "
                    + "disk or its network before the machine is switched off")
    }

    private func run() {
        while let item = next() {
            // A file system that has none says so by EINVAL.
            if sync(item.descriptor) != 0, errno != EINVAL, errno != ENOTSUP {
                let reason = "it could not be brought onto the disk (\(FileError.reason)); copy it to another"
                state.withLock { state in
                    state.failure = state.failure ?? SoundFileError(.io, RecordingFile.operation, item.path, reason)
                }
            }
            if !Self.leads(item.path, to: item.descriptor) {
                state.withLock { $0.displacedPath = $0.displacedPath ?? item.path }
            }
            close(item.descriptor)
            syncFolder(of: item.path)
            _ = state.withLock { $0.waiting.removeFirst() }
            isOneDone.handle.post()
        }
    }

    private static func leads(_ path: String, to descriptor: CInt) -> Bool {
        var (named, own) = (stat(), stat())
        guard unsafe fstat(descriptor, &own) == 0 else { return true }
        return unsafe stat(path, &named) == 0 && named.st_ino == own.st_ino && named.st_dev == own.st_dev
    }

    private func next() -> Item? {
        state.withLock { state in
            if state.waiting.isEmpty { state.isRunning = false }
            return state.waiting.first
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
