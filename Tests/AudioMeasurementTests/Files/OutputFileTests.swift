import AudioMeasurement
import Foundation
import TestSupport
import Testing
import Threads

@Suite("A file of a report") struct OutputFileTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder("page.html")
    }

    private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    private func permissions(_ path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    @Test func `has the permissions that the umask leaves`() throws {
        let mask = umask(0)
        umask(mask)
        try OutputFile(path, replacing: true).finish(with: "whole")
        #expect(try permissions(path) == 0o666 & ~Int(mask))
    }

    @Test func `has no name while it is written, and does not get in another's way`() throws {
        let (first, second) = (try OutputFile(path, replacing: true), try OutputFile(path, replacing: true))
        #expect(folder.names.isEmpty)
        try first.finish(with: "first")
        try second.finish(with: "second")
        #expect(try text(path) == "second")
        #expect(folder.names == ["page.html"])
    }

    @Test func `is kept, and said at the start, unless it may be replaced`() throws {
        try Data("mine".utf8).write(to: URL(filePath: path))
        symlink("page.html", folder("link"))
        for name in ["page.html", "link"] {
            let error = #expect(throws: FileError.self) { try OutputFile(folder(name), replacing: false) }
            #expect("\(try #require(error))".contains("overwrite it with --force"))
        }
        #expect(try text(path) == "mine" && folder.names.sorted() == ["link", "page.html"])
        try OutputFile(folder("new"), replacing: false).finish(with: "whole")
        #expect(try text(folder("new")) == "whole")
    }

    @Test func `takes nothing once it is finished or given up, and nothing of that comes into another file`() throws {
        for isFinished in [true, false] {
            let file = try OutputFile(path, replacing: true)
            if isFinished { try file.finish(with: "whole") } else { file.discard() }
            let other = open(folder("other"), O_WRONLY | O_CREAT | O_TRUNC, 0o600)
            defer { close(other) }
            #expect(throws: FileError.cannotWrite(path: path, reason: "it is closed already")) {
                try file.write(Array("more".utf8))
            }
            #expect(throws: FileError.self) { try file.finish(with: "more") }
            #expect(try text(folder("other")) == "" && text(path) == "whole")
        }
    }

    @Test func `is made beside what a run that was killed has left behind`() throws {
        // As earlier versions named it, and this one.
        for name in ["page.html.\(getpid())", ".iounit-0"] {
            try Data("left".utf8).write(to: URL(filePath: folder(name)))
        }
        try OutputFile(path, replacing: true).finish(with: "whole")
        #expect(try text(path) == "whole")
        #expect(try text(folder(".iounit-0")) == "left")
    }

    /// Only who may read all has to become somebody else for it.
    @Test func `is made in a folder that may be written and not read`() async throws {
        try FileManager.default.createDirectory(atPath: folder("box"), withIntermediateDirectories: true)
        #expect(chmod(folder.path, 0o711) == 0 && chmod(folder("box"), 0o333) == 0)
        await #expect(processExitsWith: .success) { [path = folder("box/page.html") as String] in
            if geteuid() == 0 { try #require(seteuid(65534) == 0) }
            try #require(opendir(FilePath(path).folder) == nil)
            try OutputFile(path, replacing: true).finish(with: "whole")
        }
        #expect(chmod(folder("box"), 0o700) == 0)
        #expect(try text(folder("box/page.html")) == "whole")
    }

    @Test func `may have the longest name that there is`() throws {
        let path = folder(String(repeating: "a", count: 255))
        try OutputFile(path, replacing: true).finish(with: "whole")
        #expect(try text(path) == "whole")
    }

    /// A link as somebody else has planted it. That takes two users, so only the superuser can do it.
    private func plant(_ name: String, leadingTo target: String, permissions: Int) throws {
        let shared = folder("shared")
        try FileManager.default.createDirectory(atPath: shared, withIntermediateDirectories: true)
        #expect(chmod(shared, mode_t(permissions)) == 0)
        #expect(symlink(target, "\(shared)/\(name)") == 0)
        #expect(lchown("\(shared)/\(name)", 1234, 1234) == 0)
    }

    @Test(.enabled(if: geteuid() == 0)) func `is not written through a link that another user may have planted`() throws
    {
        try Data("mine".utf8).write(to: URL(filePath: folder("precious")))
        for (name, target) in [("there", folder("precious")), ("none", folder("new"))] {
            try plant(name, leadingTo: target, permissions: 0o1777)
            let error = #expect(throws: FileError.self) { try OutputFile(folder("shared/\(name)"), replacing: true) }
            #expect("\(try #require(error))".contains("another user's link"))
        }
        // Of a chain each link counts.
        symlink(folder("shared/there"), folder("chain"))
        #expect(throws: FileError.self) { try OutputFile(folder("chain"), replacing: true) }
        #expect(try text(folder("precious")) == "mine")
        #expect(folder.names.sorted() == ["chain", "precious", "shared"])
    }

    @Test(.enabled(if: geteuid() == 0)) func `is written through anybody's link where only its owner can write`() throws
    {
        try plant("link", leadingTo: folder("page.html"), permissions: 0o755)
        try OutputFile(folder("shared/link"), replacing: true).finish(with: "whole")
        #expect(try text(path) == "whole")
    }

    @Test func `is written through a link of ours, also where there is nothing at its end`() throws {
        symlink("page.html", folder("link"))
        try OutputFile(folder("link"), replacing: true).finish(with: "whole")
        #expect(try text(path) == "whole")
        #expect(folder.names.sorted() == ["link", "page.html"])
    }

    @Test func `is refused where links lead in a circle`() throws {
        symlink("b", folder("a"))
        symlink("a", folder("b"))
        #expect(throws: FileError.cannotCreate(path: folder("a"), reason: "Too many levels of symbolic links")) {
            try OutputFile(folder("a"), replacing: true)
        }
    }

    @Test func `that is a pipe which nobody reads is refused rather than waited for`() throws {
        mkfifo(path, 0o600)
        #expect(throws: FileError.cannotCreate(path: path, reason: "nobody reads from it; start its reader first")) {
            try OutputFile(path, replacing: true)
        }
    }

    @Test func `that is a pipe goes to its reader`() throws {
        mkfifo(path, 0o600)
        let reader = open(path, O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        let file = try OutputFile(path, replacing: true)
        try file.finish(with: "whole")
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = read(reader, &bytes, bytes.count)
        #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == "whole")
        #expect(folder.names == ["page.html"])
    }

    @Test func `goes to whoever is behind a descriptor of ours`() throws {
        var ends: [CInt] = [0, 0]
        #expect(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        try OutputFile("/dev/fd/\(ends[1])", replacing: true).finish(with: "whole")
        var bytes = [UInt8](repeating: 0, count: 16)
        #expect(read(ends[0], &bytes, bytes.count) == 5)
        // What the reader takes slowly is waited for: our own descriptor waits as before.
        #expect(fcntl(ends[1], F_GETFL) & O_NONBLOCK == 0)
    }
}
