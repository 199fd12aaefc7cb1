import Foundation
import Testing
import Threads

@Suite("A file's path") struct FilePathTests {
    private static let paths = [
        "/", "a", "a/", "/a", "/a/b.wav", "a/b.c.wav", "a//b.wav//", ".hidden", "a/.hidden.wav", "a.", "Mr. Bean",
        "a.b c",
        "take 1.wav",
        "/a.d/b", "../a.wav", "é/ü.flac",
    ]

    @Test(arguments: paths) func `has the parts that Foundation finds`(text: String) {
        let (path, reference) = (FilePath(text), text as NSString)
        #expect(path.name == reference.lastPathComponent)
        // Foundation of Swift 6.3 traps on a name alone.
        if text.contains("/"), text == "/" || !text.hasSuffix("/") {
            #expect(path.folder == reference.deletingLastPathComponent)
        }
        #expect(path.fileExtension == reference.pathExtension)
        // Which leaves out slashes that say nothing.
        #expect(path.withoutExtension.replacing("//", with: "/") == reference.deletingPathExtension)
        let appended = [path.appending("x.wav"), reference.appendingPathComponent("x.wav")]
        #expect(Set(appended.map { $0.replacing("//", with: "/") }).count == 1, "\(appended)")
    }

    @Test(arguments: ["take.wav", "./take.wav", "a/../take.wav", "a/./b//take.wav"])
    func `from the root has no dots in it`(text: String) {
        #expect(FilePath(text).absolute == URL(fileURLWithPath: text).standardizedFileURL.path)
    }

    /// A file from elsewhere may hold any text as a path.
    @Test func `of any length has its parts, and leads to itself`() {
        let slashes = FilePath("a" + String(repeating: "/", count: 1_000_000))
        #expect(slashes.name == "a" && slashes.folder.isEmpty)
        let deep = "/" + Array(repeating: "no-such-folder", count: 200_000).joined(separator: "/")
        #expect(FilePath(deep).resolved == deep)
    }

    @Test func `leads where its links lead, whether or not something is there`() throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("path-\(UUID())").path
        try FileManager.default.createDirectory(atPath: "\(root)/real", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: root) }
        try FileManager.default.createSymbolicLink(atPath: "\(root)/folder", withDestinationPath: "real")
        try FileManager.default.createSymbolicLink(atPath: "\(root)/dangling", withDestinationPath: "real/new.wav")
        try FileManager.default.createSymbolicLink(atPath: "\(root)/loop", withDestinationPath: "loop")
        let place = FilePath("\(root)/real/new.wav").resolved
        #expect(place.hasSuffix("/real/new.wav"))
        for other in ["folder/new.wav", "dangling", "folder/../real/./new.wav", "real//new.wav"] {
            #expect(FilePath("\(root)/\(other)").resolved == place, "\(other)")
        }
        #expect(FilePath("\(root)/real/other.wav").resolved != place)
        #expect(FilePath("\(root)/loop").resolved.hasSuffix("/loop"))
        #expect(FilePath("/").resolved == "/")
    }
}

@Suite("Folders") struct FolderTests {
    @Test func `are made with those that they are in, for whom it is said, and listed`() throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("folder-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: root) }
        #expect(Folder.make("\(root)/a/b/", permissions: 0o700) && Folder.make("\(root)/a/b"))
        var facts = stat()
        for path in [root, "\(root)/a", "\(root)/a/b"] {
            #expect(unsafe stat(path, &facts) == 0 && facts.st_mode & 0o777 == 0o700, "\(path)")
        }
        try Data().write(to: URL(fileURLWithPath: "\(root)/a/file"))
        #expect(Folder.names(in: "\(root)/a")?.sorted() == ["b", "file"])
        #expect(Folder.exists("\(root)/a") && !Folder.exists("\(root)/a/file") && !Folder.exists("\(root)/none"))
        #expect(!Folder.make("\(root)/a/file/c"))
        #expect(errno == EEXIST, "what is in the way is a file")
        #expect(Folder.names(in: "\(root)/none") == nil)
        #expect(Folder.current == FileManager.default.currentDirectoryPath)
    }
}

@Suite("The environment") struct EnvironmentTests {
    @Test func `is what the process was started with`() {
        #expect(Environment.all == ProcessInfo.processInfo.environment)
        #expect(Environment["PATH"] == ProcessInfo.processInfo.environment["PATH"])
        #expect(Environment["IOUNIT_NO_SUCH_VARIABLE"] == nil)
    }

    @Test func `has as many processors as the process may run on`() {
        #expect(Processors.permitted == ProcessInfo.processInfo.activeProcessorCount)
    }
}

@Suite("A small file") struct SmallFileTests {
    @Test func `is read to its end or to a limit, and what is behind that stays`() throws {
        let ends = try #require(PipeEnds())
        defer { ends.close() }
        let text = Array("a line that is read in two parts".utf8)
        #expect(WholeWrite.write(text, to: ends.writing))
        #expect(SmallFile.bytes(from: ends.reading, limit: 1) == Array(text.prefix(1)))
        #expect(SmallFile.bytes(from: ends.reading, limit: text.count - 1) == Array(text.dropFirst()))
        #expect(SmallFile.bytes(from: -1, limit: 1) == nil)
        #expect(errno == EBADF)
    }
}
