import TestSupport
import Testing
import Threads

@testable import LiveCommands

@Suite("How long the disks last") struct DiskRoomTests {
    private let root = DiskSpace(at: "/")

    /// Two seconds after the last look, when `written` more bytes were recorded, until the disks have answered.
    private func look(_ room: inout DiskRoom, _ paths: [String?], written: Int, from start: Int) throws {
        var second = start
        try waitUntil("the disks answer") {
            second += 2
            room.update(
                paths.map { ($0, second / 2 * written) }, atNanoseconds: UInt64(second) * 1_000_000_000)
            return room.freeBytes != nil
        }
    }

    @Test func `is what is free by what two files on one disk write`() throws {
        let root = try #require(root)
        var room = DiskRoom { _ in root }
        try look(&room, ["a.wav", "b.wav", nil], written: 3000, from: 0)
        #expect(room.freeBytes == root.free)
        let seconds = try #require(room.secondsLeft)
        #expect(abs(seconds * 3000 / Double(root.free) - 1) < 1e-9)
    }

    @Test func `is not known of a disk that does not answer, and nobody waits for it`() throws {
        let (turnstile, root) = (Semaphore(), try #require(root))
        var room = DiskRoom { _ in
            turnstile.wait()
            turnstile.handle.post()
            return root
        }
        for second in [0, 2, 4] as [UInt64] {
            room.update([("a.wav", Int(second) * 500)], atNanoseconds: second * 1_000_000_000)
            #expect(room.freeBytes == nil && room.secondsLeft == nil)
        }
        turnstile.handle.post()
        try look(&room, ["a.wav"], written: 1000, from: 4)
        #expect(room.secondsLeft != nil)
        // One that answers no more, either: the first of these asks it, if no other does.
        turnstile.wait()
        for second in [100_000, 100_002] as [UInt64] {
            room.update([("a.wav", Int(second) * 500)], atNanoseconds: second * 1_000_000_000)
        }
        #expect(room.freeBytes == nil && room.secondsLeft == nil)
        turnstile.handle.post()
    }
}
