import AudioIO
import Glibc
import TestSupport
import Testing

extension OnServer {
    @Suite("A paused engine") struct PauseTests {
        @Test func `that has failed is not silent when it is started again`() throws {
            let host = try Succession()
            var configuration = UnitConfiguration()
            configuration.serverName = host.name
            let unit = try IOUnit(configuration)
            let engine = try Engine(unit)
            try engine.start()
            try engine.pause()
            try host.end(by: SIGKILL)
            try waitUntil("it has failed") { engine.state.name == "failed" }
            try host.startAgain()
            try engine.start()
            #expect(engine.state == .running && !unit.isPaused)
            engine.close()
        }
    }
}
