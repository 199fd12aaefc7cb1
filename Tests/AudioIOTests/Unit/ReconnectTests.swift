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

        @Test func `asks less often for what JACK refuses, and at once where a port has come`() throws {
            let server = try Server(ServerConfiguration(sync: 256))
            defer { server.stop() }
            // One that bears the name of a microphone that was there before, and is of another type.
            let other = try Client(name: "mic", server: server.name)
            _ = try other.register("1", .output, type: PortInfo.midiType)
            let process: ProcessCallback = { _, _ in 0 }
            try other.setProcess(process, context: nil, keeping: server)
            let keyboard = try other.activate()
            let client = try Client(name: "iounit", server: server.name)
            let ports = try UnitPorts(inputs: 1, outputs: 0, on: client)
            try client.setProcess(process, context: nil, keeping: server)
            let unit = try client.activate()
            let view = unit.view
            let (patchbay, link) = (Patchbay(), Link(source: "mic:1", target: "iounit:in_1"))
            patchbay.begin(.routes, ports.all)
            patchbay.connected(link)
            patchbay.note(.portUnregistered(name: "mic:1"))
            #expect(patchbay.missing == [link])
            try waitUntil("it is not asked for") {
                view.restore(patchbay)
                return patchbay.missing.isEmpty
            }
            patchbay.note(.portRegistered(name: "mic:1"))
            #expect(patchbay.missing == [link] && patchbay.made.isEmpty)
            try unit.close()
            try keyboard.close()
        }
    }
}
