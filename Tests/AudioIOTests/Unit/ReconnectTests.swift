import Jack
import TestSupport
import Testing
import Threads

@testable import AudioIO

extension OnServer {
    @Suite("Whoever looks after a unit's connections") struct ReconnectTests {
        @Test func `does not wait while something else is asked of the server`() throws {
            let server = try Server()
            defer { server.stop() }
            let unit = try IOUnit(UnitConfiguration(alone: server))
            try unit.start()
            defer { unit.stop() }
            let looked = unit.client.withWaitingView { _ in
                Result {
                    let worker = try Worker("reconnect") { _ = unit.client.reconnect() }
                    try waitUntil("it has looked") { worker.isFinished }
                }
            }
            try #require(looked).get()
        }
    }
}
