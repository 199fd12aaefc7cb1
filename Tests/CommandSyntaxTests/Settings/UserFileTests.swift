import Foundation
import TestSupport
import Testing
import Threads

@testable import CommandSyntax

@Suite("A file of the user's") struct UserFileTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    @Test func `is whole, and leaves no draft, where the program is interrupted while it is written`() async throws {
        let path = folder("config")
        await #expect(processExitsWith: .signal(SIGINT)) { [path = path as String] in
            signal(SIGINT, SIG_DFL)
            // A test's thread may hold all of them back.
            var interruption = sigset_t()
            sigemptyset(&interruption)
            sigaddset(&interruption, SIGINT)
            pthread_sigmask(SIG_UNBLOCK, &interruption, nil)
            try UserFile(path, of: "the settings").replace {
                raise(SIGINT)
                return "a = 1\n"
            }
        }
        #expect(folder.names == ["config"])
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "a = 1\n")
    }

    @Test func `leaves nothing where the program is killed while it is written`() async throws {
        let path = folder("config")
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let draft = try OutputFile(path, replacing: true, mark: UserFile.draftMark)
            try draft.write(Array("half a li".utf8))
            raise(SIGKILL)
        }
        #expect(folder.names.isEmpty, "\(folder.names)")
    }

    @Test func `leaves no draft of a program that was killed beside it, and whatever else is there`() throws {
        let path = folder("config")
        // As on a file system without files that have no name.
        try Data("half a li".utf8).write(to: URL(fileURLWithPath: folder(".\(UserFile.draftMark)-1")))
        // Of an output that somebody else is writing there.
        let other = try OutputFile(folder("other"), replacing: true)
        try UserFile(path, of: "the settings").replace { "a = 1\n" }
        try other.finish(with: "b\n")
        #expect(Set(folder.names) == ["config", "other"])
    }

    @Test func `that any user may write to is not read as settings, and one of the user's group is`() throws {
        let place = try #require(SettingsPlace(environment: ["XDG_CONFIG_HOME": folder.path]))
        try place.update { _ in "a = 1\n" }
        #expect(chmod(place.path, 0o664) == 0)
        #expect(try place.read() == "a = 1\n")
        #expect(chmod(place.path, 0o646) == 0)
        let failure = #expect(throws: Failure.self) { try place.read() }
        #expect(failure?.code == .configuration)
        #expect(failure?.message.contains("any user may write to it") == true)
        // A session's file lies where the session is.
        #expect(try SettingsPlace(path: place.path).read() == "a = 1\n")
    }
}
