import AudioRealtime
import Glibc
import TestSupport
import Testing

@testable import AudioIO
@testable import Jack

@Suite("The connections of MIDI ports") struct MIDIRouteTests {
    private static let second: UInt64 = 1_000_000_000
    private let send = Link(source: "iounit:midi_out", target: "nano:in")
    private let hear = Link(source: "nano:out", target: "iounit:midi_in")

    private final class Rig {
        private var connections = MIDIConnections()

        init() { begin(.routes, "iounit") }

        func begin(_ wiring: Wiring, _ name: String) { connections.begin(wiring, output: "\(name):midi_out") }
        func note(_ notification: Notification) { connections.note(notification) }
        func take(_ link: Link) -> Bool { connections.take(link) }
        func putBack(_ link: Link) { connections.putBack(link) }
    }

    @Test func `are made once for as long as the port is there`() {
        let connections = Rig()
        #expect(connections.take(send) && connections.take(hear))
        #expect(!connections.take(send) && !connections.take(hear), "whoever removed them")
        connections.note(.portUnregistered(name: "nano:in"))
        #expect(connections.take(send) && !connections.take(hear))
        connections.putBack(send)
        #expect(connections.take(send), "it could not be made")
        connections.note(.portRenamed(from: "nano:out", to: "kontrol:out"))
        #expect(!connections.take(Link(source: "kontrol:out", target: "iounit:midi_in")))
    }

    @Test func `are made once though the unit's own port gets another name`() {
        let connections = Rig()
        #expect(connections.take(send))
        connections.note(.portRenamed(from: "iounit:midi_out", to: "iounit:keys"))
        #expect(!connections.take(Link(source: "iounit:keys", target: "nano:in")))
    }

    @Test func `that were removed by hand stay removed when the server comes back, under another name too`() {
        let connections = Rig()
        #expect(connections.take(send) && connections.take(hear))
        for wiring in [Wiring.asBefore, .afterSuspension] {
            connections.begin(wiring, "iounit-01")
            #expect(!connections.take(Link(source: "iounit-01:midi_out", target: "nano:in")))
            #expect(!connections.take(Link(source: "nano:out", target: "iounit-01:midi_in")))
        }
        connections.begin(.routes, "iounit")
        #expect(connections.take(send) && connections.take(hear))
    }

    @Test func `are searched for until a search has begun behind the time, however late`() {
        var window = SearchWindow()
        #expect(!window.isOpen)
        window.open(atNanoseconds: 5)
        window.noteSearch(begunAtNanoseconds: 100)
        #expect(window.isOpen)
        window.open(atNanoseconds: 200)
        window.noteSearch(begunAtNanoseconds: Self.second + 5)
        #expect(window.isOpen, "something changed meanwhile")
        window.noteSearch(begunAtNanoseconds: 60 * Self.second)
        #expect(!window.isOpen)
    }
}

extension OnServer {
    @Suite("MIDI ports") struct MIDIPortTests {
        private func configuration(on server: String, _ route: MIDIRoute) -> UnitConfiguration {
            var configuration = UnitConfiguration()
            configuration.serverName = server
            configuration.inputs = .none
            configuration.outputs = .none
            configuration.midi = route
            return configuration
        }

        /// What the unit's output leads to.
        private func targets(on server: Server) throws -> [String] {
            try Watcher(on: server).port("iounit:midi_out").connections
        }

        @Test func `of a unit without an engine are connected when it has started`() throws {
            let server = try Server(ServerConfiguration(sync: 256))
            defer { server.stop() }
            let controller = try Client(name: "controller", server: server.name)
            _ = try controller.register("in", .input, type: PortInfo.midiType)
            _ = try controller.register("out", .output, type: PortInfo.midiType)
            let process: ProcessCallback = { _, _ in 0 }
            try controller.setProcess(process, context: nil, keeping: server)
            let active = try controller.activate()
            let unit = try IOUnit(configuration(on: server.name, .matching("^controller:")))
            try unit.start()
            #expect(try targets(on: server) == ["controller:in"])
            #expect(try Watcher(on: server).port("iounit:midi_in").connections == ["controller:out"])
            unit.stop()
            try active.close()
        }

        @Test func `that were given other names are connected by those, and not to each other`() throws {
            let server = try Server(ServerConfiguration(sync: 256))
            defer { server.stop() }
            let unit = try Client(name: "iounit", server: server.name)
            let ports = try UnitPorts(inputs: 1, outputs: 1, hasMIDI: true, on: unit)
            guard let own = ports.midi else { throw DidNotHappen(description: "it has ports for MIDI") }
            try unit.rename(own.input, to: "lamps")
            try unit.rename(own.output, to: "keys")
            let controller = try Client(name: "controller", server: server.name)
            _ = try controller.register("in", .input, type: PortInfo.midiType)
            _ = try controller.register("out", .output, type: PortInfo.midiType)
            let links = try MIDIRoute.matching("^(iounit|controller):").links(on: unit, ports)
            #expect(
                links.map(\.description).sorted() == ["controller:out → iounit:lamps", "iounit:keys → controller:in"])
            try controller.close()
            try unit.close()
        }

        @Test func `are refused where the pattern is none`() throws {
            let server = try Server(ServerConfiguration(sync: 256))
            defer { server.stop() }
            let unit = try IOUnit(configuration(on: server.name, .matching("[")))
            let error = #expect(throws: UnitError.self) { try unit.start() }
            guard case .jack(let refusal) = error else { throw DidNotHappen(description: "\(error as Any)") }
            #expect(refusal.kind == .invalidRequest && !unit.isRunning)
            #expect(try !Watcher(on: server).hasPort("iounit:midi_in"), "nothing is left behind")
        }

        @Test func `that were connected by hand are connected again when the server comes back`() throws {
            let host = try Succession(ServerConfiguration(sync: 256))
            let unit = try IOUnit(configuration(on: host.name, .none))
            let engine = try Engine(unit, policy: ReconnectPolicy(.automatic))
            try engine.start()
            try Watcher(on: host.server).connect("iounit:midi_out", to: "iounit:midi_in")
            try waitUntil("it is noticed") { unit.links.count == 1 }
            try host.end(by: SIGKILL)
            try host.startAgain()
            try waitUntil("it has joined") { engine.resets == 1 }
            #expect(try targets(on: host.server) == ["iounit:midi_in"])
            engine.close()
        }

        /// With a buffer as jackd2 has it.
        @Test(.disabled(if: LibJack.isPipeWire, "its buffers are others"))
        func `send what does not fit into a port with the next cycle`() {
            let memory = UnsafeMutablePointer<UInt32>.allocate(capacity: 64)
            defer { memory.deallocate() }
            memory.initialize(repeating: 0, count: 64)
            // A sign that it is one, its bytes, and the frames of a cycle; then what it holds, three words for each message.
            (memory[0], memory[1], memory[2]) = (0x900d_f00d, UInt32(40 + 3 * 12), 64)
            let buffer = MIDIBuffer(UnsafeMutableRawPointer(memory))
            let controlEnd = MIDIControlEnd()
            for number in 0..<UInt8(7) { #expect(controlEnd.send(MIDIMessage(0xb0, 7, number))) }
            var sent: [UInt8] = []
            for _ in 0..<7 where !controlEnd.hasSentAll {
                buffer.clear()
                buffer.fill(from: &controlEnd.audioEnd.pointer.pointee)
                #expect((1...3).contains(buffer.count))
                sent += (0..<buffer.count).compactMap { buffer.message($0)?.bytes[2] }
            }
            #expect(sent == Array(0..<7))
            #expect(controlEnd.statistics.sent == 7 && controlEnd.statistics.unsent == 0)
        }
    }
}
