import CommandTestSupport
import Foundation
import TestSupport
import Testing

@testable import LiveRuns

/// `iounit monitor --osc`, in front of liblo's own programs.
@Suite("iounit monitor --osc", .serialized, .ownServers) struct OSCTests {
    private func monitor(_ words: String...) throws -> (run: CommandRun, port: Int) {
        let run = try CommandRun(["monitor", "--dummy", "--osc", "0", "--source", "tone:1000", "--json"] + words)
        return (run, try run.portOfOSC())
    }

    private func end(_ run: CommandRun) throws -> [String: Any] {
        run.send(SIGINT)
        #expect(try run.end() == -SIGINT, "\(run.err)")
        return try object(run.out)
    }

    private func send(_ port: Int, _ words: String...) throws {
        #expect(try CommandRun(["localhost", "\(port)"] + words, program: "/usr/bin/oscsend").end() == 0)
    }

    private func ask(_ message: OSCMessage, of run: CommandRun) throws -> OSCMessage {
        try OSCSurface(run).ask(message)
    }

    @Test(arguments: [["monitor", "--osc", "192.0.2.1:9000"], ["serve", "--listen", "192.0.2.1"]])
    func `an address of another machine ends it with 69, whatever was to listen there`(words: [String]) throws {
        let run = try CommandRun(words + ["--dummy", "--seconds", "1"])
        #expect(try run.end() == 69 && run.err.contains("this machine has no such address"), "\(run.err)")
    }

    @Test func `oscsend changes the run, and who has subscribed is told of each change and of the levels`() throws {
        let (run, port) = try monitor("--gain", "-20")
        let server = try OSCSocket.peer(host: "127.0.0.1", port: port)
        let surface = try OSCSocket(to: server)
        var told: [OSCMessage] = []
        func wait(for what: OSCMessage, asking question: OSCMessage? = nil) throws {
            try run.wait(until: "\(what) comes") {
                if let question { surface.send(question, to: server) }
                // Time to answer before the question is sent again; `wait` has the deadline.
                usleep(20_000)
                while let (bytes, _) = surface.next() { told += OSCPacket(bytes).messages }
                return told.contains(what)
            }
        }
        try wait(
            for: OSCMessage("/iounit/gain", .float(-20)),
            asking: OSCMessage("/iounit/subscribe", .text("controls"), .integer(100), .integer(60)))
        try send(port, "/iounit/gain", "f", "-6")
        try send(port, "/iounit/shape", "s", "tanh")
        try send(port, "/iounit/eq/2/gain", "f", "3")
        try send(port, "/iounit/mute", "T")
        for message in [
            OSCMessage("/iounit/gain", .float(-6)), OSCMessage("/iounit/shape", .text("tanh")),
            OSCMessage("/iounit/eq/2/gain", .float(3)), OSCMessage("/iounit/mute", .integer(1)),
        ] {
            try wait(for: message)
        }
        told = []
        try send(port, "/iounit/undo")
        try wait(for: OSCMessage("/iounit/mute", .integer(0)))
        surface.send(OSCMessage("/iounit/subscribe", .text("meters"), .integer(20), .integer(60)), to: server)
        try run.wait(until: "the levels come") {
            while let (bytes, _) = surface.next() { told += OSCPacket(bytes).messages }
            return told.contains { $0.address == "/iounit/meters/out" && $0.arguments.count == 2 }
        }
        let report = try end(run)
        let unit = try #require(report["unit"] as? [String: Any])
        #expect(unit["gainDecibels"] as? Double == -6 && unit["shape"] as? String == "tanh")
        let osc = try #require(report["osc"] as? [String: Any])
        #expect(osc["malformed"] as? Int == 0 && osc["refusals"] as? Int == 0)
        #expect(try #require(osc["changes"] as? Int) >= 5)
    }

    @Test func `a query is answered to who asks, and an error with a sentence`() throws {
        let (run, _) = try monitor("--gain", "-12.5")
        #expect(try ask(OSCMessage("/iounit/gain"), of: run) == OSCMessage("/iounit/gain", .float(-12.5)))
        // Where the server stands still for half a second, it is interrupted meanwhile.
        try waitUntil("it runs") { try ask(OSCMessage("/iounit/state"), of: run).arguments == [.text("running")] }
        #expect(try ask(OSCMessage("/iounit/xruns"), of: run).arguments.count == 1)
        #expect(
            try ask(OSCMessage("/iounit/gain", .float(99)), of: run)
                == OSCMessage(
                    "/iounit/error", .text("/iounit/gain"), .text("gain takes a number from -120 to 60 dB")))
        _ = try end(run)
    }

    @Test func `a pause leaves no loudness of the moment, as it leaves no sound`() throws {
        let (run, _) = try monitor()
        let surface = try OSCSurface(run)
        func wait(until text: String, _ isRight: (Float) -> Bool) throws {
            try run.wait(until: text) {
                guard
                    case .float(let level)? = try? surface.ask(OSCMessage("/iounit/loudness/momentary")).arguments.first
                else { return false }
                return isRight(level)
            }
        }
        try wait(until: "the tone is heard") { $0 > -40 }
        try surface.set(OSCMessage("/iounit/pause", .integer(1)))
        try wait(until: "nothing is heard") { $0 < -190 }
        try surface.set(OSCMessage("/iounit/pause", .integer(0)))
        try wait(until: "the tone is heard again") { $0 > -40 }
        _ = try end(run)
    }

    @Test func `a pause outlasts what lets the sound go on where a server came back`() throws {
        let (run, _) = try monitor()
        let surface = try OSCSurface(run)
        try surface.set(OSCMessage("/iounit/pause", .integer(1)))
        run.send(SIGUSR1)
        // The first answer may come from the turn of the loop that has the signal still before it.
        for _ in 1...2 { #expect(try surface.ask(OSCMessage("/iounit/pause")).arguments == [.integer(1)]) }
        let refusal = try surface.ask(OSCMessage("/iounit/resume")).arguments.last?.text
        #expect(refusal?.contains("cannot resume: no server came back") == true, "\(refusal ?? "")")
        _ = try end(run)
    }

    @Test func `garbage is counted and ends nothing`() throws {
        let (run, port) = try monitor()
        let descriptor = socket(AF_INET, CInt(SOCK_DGRAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        var generator = SeededGenerator(seed: 3)
        for length in 0..<200 {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let size = socklen_t(MemoryLayout<sockaddr_in>.size)
            withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    _ = sendto(descriptor, bytes, bytes.count, 0, $0, size)
                }
            }
        }
        #expect(try ask(OSCMessage("/iounit/gain"), of: run).arguments == [.float(0)])
        let osc = try #require(try end(run)["osc"] as? [String: Any])
        #expect(try #require(osc["malformed"] as? Int) > 0)
        #expect(osc["changes"] as? Int == 0)
    }

    @Test func `a port that is taken is an error that says what to do`() throws {
        let taken = try OSCSocket(host: "127.0.0.1", port: 0)
        let run = try CommandRun.run("monitor", "--dummy", "--osc", taken.place)
        #expect(run.code == 73)
        #expect(run.err.contains("another program has that port; choose another one"), "\(run.err)")
    }

    @Test(arguments: ["", "here", "1.2.3.4", "9000:", "::1", "1:2:3", "70000", "host:-1"])
    func `what is no port is a wrong word`(_ word: String) throws {
        let run = try CommandRun.run("monitor", "--dummy", "--osc=\(word)")
        #expect(run.code == 64)
        #expect(run.err.contains("--osc takes a port, or ADDRESS:PORT"), "\(run.err)")
    }
}
