import AudioIO
import Foundation
import Jack
import TestSupport
import Testing

extension OnServer {
    /// jackd throws out a client whose connection to it breaks. It does not for being slow: it waits for it, five
    /// seconds for each word that it has for it (jackd 1.9.21).
    @Suite("An engine that its server throws out") struct EvictionTests {
        @Test func `joins it again, with its connections`() throws {
            let server = try Server(ServerConfiguration(sync: 64))
            defer { server.stop() }
            var configuration = UnitConfiguration()
            configuration.serverName = server.name
            let unit = try IOUnit(configuration)
            let engine = try Engine(unit, policy: ReconnectPolicy(.automatic))
            let before = Set(sockets)
            try engine.start()
            try waitUntil("it renders") { unit.statistics.cycles > 100 }
            for socket in Set(sockets).subtracting(before) { shutdown(socket, CInt(SHUT_RDWR)) }
            try waitUntil("it has joined again") { engine.resets == 1 && engine.state == .running }
            #expect(server.isRunning)
            let cycles = unit.statistics.cycles
            try waitUntil("it renders again") { unit.statistics.cycles > cycles + 100 }
            let name = try #require(unit.connection).clientName
            let ports = try Watcher(on: server).ports("^\(name):")
            #expect(
                ports.flatMap(\.connections).sorted() == [
                    "system:capture_1", "system:capture_2", "system:playback_1", "system:playback_2",
                ])
            engine.close()
        }

        /// Descriptors of this process that are sockets.
        private var sockets: [CInt] {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
            return names.compactMap { CInt($0) }.filter { descriptor in
                var kind = stat()
                return fstat(descriptor, &kind) == 0 && kind.st_mode & S_IFMT == S_IFSOCK
            }
        }
    }
}
