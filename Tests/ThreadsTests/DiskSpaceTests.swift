import Testing
import Threads

@Suite("The room of a disk") struct DiskSpaceTests {
    @Test func `is told of what is there`() throws {
        let root = try #require(DiskSpace(at: "/"))
        #expect(root.total > 0 && root.free >= 0 && root.free <= root.total)
        #expect(DiskSpace(at: "/no/such/folder") == nil)
    }

    @Test func `is as much as can be counted, whatever a file system says`() {
        #expect(DiskSpace.bytes(3, of: 512) == 1536)
        #expect(DiskSpace.bytes(.max, of: 1) == .max)
        #expect(DiskSpace.bytes(.max, of: 4096) == .max)
        // Of which the lower 64 bits are 0.
        #expect(DiskSpace.bytes(1 << 62, of: 8) == .max)
    }
}
