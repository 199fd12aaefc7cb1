import AudioStreaming
import Foundation
import TestSupport
import Testing

@testable import LiveRuns

@Suite("The file with the page's token") struct TokenFileTests {
    @Test func `of a program that was killed is removed by the next one, and none that is in use`() async throws {
        let folder = try TemporaryFolder()
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.path as String] in
            let file = try TokenFile(AccessToken(), in: path)
            withExtendedLifetime(file) { _ = raise(SIGKILL) }
        }
        #expect(folder.names.count == 1 && folder.names.first?.hasPrefix("iounit-page-token-") == true)
        // Of an earlier release, whose program may run.
        try Data().write(to: URL(fileURLWithPath: folder("iounit-token-1")))
        let token = try AccessToken("a-word-of-ours")
        let (first, second) = (try TokenFile(token, in: folder.path), try TokenFile(token, in: folder.path))
        #expect(Set(folder.names.map { folder($0) }) == [first.path, second.path, folder("iounit-token-1")])
        #expect(try String(contentsOfFile: first.path, encoding: .utf8) == "a-word-of-ours\n")
        first.remove()
        #expect(Set(folder.names.map { folder($0) }) == [second.path, folder("iounit-token-1")])
        second.remove()
        #expect(folder.names == ["iounit-token-1"])
    }
}
