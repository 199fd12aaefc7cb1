import AudioFiles
import Foundation
import Synchronization
import TestSupport
import Testing
import Threads

@testable import AudioRecording

@Suite("What brings finished files onto the disk") struct FileSyncTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private func descriptor(_ name: String) throws -> CInt {
        let descriptor = open(folder(name), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        return try #require(descriptor >= 0 ? descriptor : nil)
    }

    @Test func `does each of them and its folder, and closes it`() throws {
        let done = Mutex<[CInt]>([])
        let sync = FileSync { descriptor in
            done.withLock { $0.append(descriptor) }
            return fsync(descriptor)
        }
        let descriptors = try (0..<5).map { try descriptor("\($0).wav") }
        for (number, descriptor) in descriptors.enumerated() { sync.add(descriptor, path: folder("\(number).wav")) }
        try sync.finish()
        #expect(done.withLock { $0.count } == 10)
        #expect(descriptors.allSatisfy { done.withLock { $0 }.contains($0) })
    }

    @Test func `tells the first that it could not do, and goes on`() throws {
        let count = Mutex(0)
        let sync = FileSync { _ in
            count.withLock { $0 += 1 }
            errno = EIO
            return -1
        }
        for name in ["a.wav", "b.wav"] { sync.add(try descriptor(name), path: folder(name)) }
        let error = #expect(throws: SoundFileError.self) { try sync.finish() }
        #expect(error?.kind == .io && error?.path == folder("a.wav"))
        #expect(count.withLock { $0 } == 4)
    }

    @Test func `gives a disk up that does not answer, and still does the file when it does`() throws {
        let (isAnswering, isDone) = (Semaphore(), Semaphore())
        let sync = FileSync { descriptor in
            isAnswering.wait()
            defer { isDone.handle.post() }
            return fsync(descriptor)
        }
        sync.add(try descriptor("a.wav"), path: folder("a.wav"))
        let error = #expect(throws: SoundFileError.self) { try sync.finish(patienceSeconds: 0.02) }
        #expect(error?.kind == .io && error?.path == folder("a.wav"))
        #expect(error?.reason.contains("the disk has not answered") == true)
        // The file and its folder.
        for _ in 0..<2 {
            isAnswering.handle.post()
            isDone.wait()
        }
        try sync.finish()
    }
}
