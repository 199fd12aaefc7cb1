import AudioDSP
import AudioStreaming
import CommandSyntax
import CommandTestSupport
import Foundation
import TestSupport
import Testing

@testable import LiveRuns

@Suite("The server of OSC")
struct OSCServerTests {
    private final class Run { var gain = 0.0 }

    private let run = Run()
    private let controls: ControlTable
    private let server: OSCServer
    private let address: OSCSocket.Peer
    private let client: OSCSocket

    init() throws {
        let run = run
        controls = ControlTable([
            Control(.number("gain", "gain", -120...60, unit: "dB")) {
                .number(run.gain)
            } set: {
                if let number = $0.number { run.gain = number }
            }
        ])
        server = try OSCServer(PageAddress(host: "127.0.0.1", port: 0), inputs: 1, outputs: 1)
        server.start(controls, [OSCFigure("state", "state") { [.text("running")] }])
        let place = try PageAddress(server.place)
        address = try OSCSocket.peer(host: place.host, port: place.port)
        client = try OSCSocket(to: address)
    }

    private func serve(until what: String, _ holds: () -> Bool) throws {
        try waitUntil(what) {
            server.work()
            return holds()
        }
    }

    private func bundle(_ messages: [OSCMessage]) -> [UInt8] {
        messages.reduce(Array("#bundle\0".utf8) + [0, 0, 0, 0, 0, 0, 0, 1]) { bytes, message in
            let part = message.bytes
            return bytes + (0..<4).map { UInt8(truncatingIfNeeded: part.count >> (24 - 8 * $0)) } + part
        }
    }

    @Test func `a bundle that asks for more than one turn can do is done in several, and wholly`() throws {
        let bytes = bundle([OSCMessage](repeating: OSCMessage("/iounit/list"), count: 2500))
        #expect(client.send(bytes, to: address))
        try serve(until: "the first messages are answered") { server.messages > 0 }
        #expect(server.messages < 2500 && server.pauseSeconds == 0)
        try serve(until: "all are answered") { server.messages == 2500 }
        // An address that may be false is not sent all that is asked for in its name.
        #expect(server.unsent > 0)
        try serve(until: "the rest of a list is sent") { server.pauseSeconds == .infinity }
        #expect(server.messages == 2500 && server.malformed == 0)
    }

    @Test func `a list that is longer than what may be sent at once comes to its end`() throws {
        let summary = String(repeating: "x", count: 1000)
        let server = try OSCServer(PageAddress(host: "127.0.0.1", port: 0), inputs: 1, outputs: 1)
        server.start(controls, (0..<100).map { OSCFigure("figure\($0)", summary) { [.integer(0)] } })
        let place = try PageAddress(server.place)
        let address = try OSCSocket.peer(host: place.host, port: place.port)
        let client = try OSCSocket(to: address)
        client.send(OSCMessage("/iounit/list"), to: address)
        var told: [OSCMessage] = []
        try waitUntil("the end of the list comes") {
            server.work()
            while let (bytes, _) = client.next() { told += OSCPacket(bytes).messages }
            return told.last?.address == "/iounit/list/end"
        }
        // The end tells how many came before it.
        #expect(told.count > 100 && told.last?.arguments == [.integer(Int32(told.count - 1))])
        #expect(server.unsent == 0 && server.pauseSeconds == .infinity)
    }

    @Test func `the run does not become its own subscriber, and its errors are not answered`() throws {
        let own = OSCMessage.Argument.integer(Int32(address.port))
        client.send(OSCMessage("/iounit/subscribe", .text("figures"), .integer(10), .integer(60), own), to: address)
        try serve(until: "it is refused") { server.refusals == 1 }
        #expect(server.pauseSeconds == .infinity)
        client.send(OSCMessage("/iounit/error", .text("/iounit/state"), .text("no")), to: address)
        client.send(OSCMessage("/iounit/gain", .float(-6)), to: address)
        try serve(until: "the gain is set") { run.gain == -6 }
        #expect(server.messages == 3 && server.refusals == 1)
    }

    @Test func `its own addresses are those of this machine, with its port`() throws {
        let everywhere = try OSCSocket(host: "0.0.0.0", port: 0)
        let port = try PageAddress(everywhere.place).port
        #expect(try everywhere.isOwn(OSCSocket.peer(host: "127.0.0.1", port: port)))
        #expect(try !everywhere.isOwn(OSCSocket.peer(host: "127.0.0.1", port: port == 1024 ? 1025 : port - 1)))
        // An address that RFC 5737 keeps for examples.
        #expect(try !everywhere.isOwn(OSCSocket.peer(host: "192.0.2.1", port: port)))
    }

    @Test func `a name that stands for no address is an error that says so`() {
        let failure = #expect(throws: Failure.self) { try OSCSocket.peer(host: "no.such.host.invalid", port: 9) }
        #expect(failure?.code == .noHost)
        #expect(
            failure?.message.contains("the name no.such.host.invalid cannot be resolved") == true, "\(failure as Any)")
    }

    @Test func `of what changes more than once between two turns, the last value is sent`() throws {
        client.send(OSCMessage("/iounit/subscribe", .text("controls")), to: address)
        try serve(until: "it has subscribed") { server.messages == 1 }
        while client.next() != nil {}
        for gain in 1...1000 { try controls.set("gain", .number(Double(gain) / 100), by: .key) }
        server.work()
        var told: [OSCMessage] = []
        try waitUntil("the news come") {
            while let (bytes, _) = client.next() { told += OSCPacket(bytes).messages }
            return !told.isEmpty
        }
        #expect(told == [OSCMessage("/iounit/gain", .float(10))])
    }

    @Test func `news go to all who listen but to the sender of the very same message`() {
        var news = OSCNews<String>()
        let (loud, soft) = (OSCMessage("/iounit/gain", .float(6)), OSCMessage("/iounit/gain", .float(-6)))
        news.add(loud, causedBy: nil)
        news.add(soft, causedBy: (soft, "a"))
        let shape = OSCMessage("/iounit/shape", .text("tanh"))
        news.add(shape, causedBy: (OSCMessage("/iounit/shape", .integer(3)), "a"))
        let sent = news.take(for: ["a", "b"])
        #expect(sent.map(\.peer) == ["b", "a", "b"] && sent.map(\.message) == [soft, shape, shape])
        #expect(news.take(for: ["a"]).isEmpty)
    }
}
