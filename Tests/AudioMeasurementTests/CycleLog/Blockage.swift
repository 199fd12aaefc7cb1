import AudioMeasurement
import Glibc
import Synchronization
import TestSupport
import Testing
import Threads

/// A log of cycles that is written to a pipe which nobody reads, until a test wants it read: as a disk that stands
/// still holds up who writes to it.
final class Blockage {
    let writer: CycleWriter
    private let folder: TemporaryFolder
    private let descriptor: CInt
    private let isOver = Flag()
    private var reader: Worker?

    private final class Flag: Sendable {
        let isSet = Atomic(false)
    }

    init() throws {
        folder = try TemporaryFolder()
        let path = folder("pipe")
        try #require(mkfifo(path, 0o600) == 0)
        // Both ends, so that the writer finds a reader, and the reader never an end.
        descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        try #require(descriptor >= 0)
        writer = try CycleWriter(path: path)
    }

    deinit {
        clear()
        isOver.isSet.store(true, ordering: .relaxed)
        reader?.join()
        close(descriptor)
    }

    /// From now on whoever logs a cycle waits: more is to be written first than the pipe has room for.
    func begin() { writer.note("filler", String(repeating: "x", count: 1 << 18)) }

    /// Lets what was written go on, and all that comes after it.
    func clear() {
        guard reader == nil else { return }
        reader = try? Worker("test-pipe") { [descriptor, isOver] in
            var bytes = [UInt8](repeating: 0, count: 1 << 16)
            while !isOver.isSet.load(ordering: .relaxed) {
                if read(descriptor, &bytes, bytes.count) <= 0 { MonotonicClock.sleep(milliseconds: 1) }
            }
        }
    }
}
