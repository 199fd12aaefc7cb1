import Foundation
import TestSupport
import Testing

@testable import Jack

@Suite("Whether a socket is heard")
struct KnockTests {
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    /// A socket that is bound in the folder.
    private func bound(_ name: String) throws -> CInt {
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: folder(name).utf8) }
        let code = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(code == 0)
        return descriptor
    }

    @Test func `tells a listener from what it has left behind`() throws {
        let listener = try bound("a")
        #expect(Knock.isHeard(at: folder("a")) == false, "it does not listen yet")
        try #require(listen(listener, 0) == 0)
        // It accepts nobody, as a server that is stopped: its queue is full after the first.
        for _ in 0..<3 { #expect(Knock.isHeard(at: folder("a")) == true) }
        close(listener)
        #expect(Knock.isHeard(at: folder("a")) == false, "the file is still there")
        #expect(Knock.isHeard(at: folder("none")) == false)
        #expect(Knock.isHeard(at: folder(String(repeating: "x", count: 200))) == nil)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
    func `knows nothing of one that lets this user not in`() async throws {
        let listener = try bound("a")
        try #require(listen(listener, 1) == 0)
        try #require(unsafe chmod(folder("a"), 0o700) == 0 && chmod(folder.path, 0o755) == 0)
        let path = folder("a")
        await #expect(processExitsWith: .success) { [path = path as String] in
            setuid(65534)
            #expect(Knock.isHeard(at: path) == nil)
        }
        close(listener)
    }
}
