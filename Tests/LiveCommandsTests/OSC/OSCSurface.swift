import CommandTestSupport
import Foundation
import TestSupport
import Testing

@testable import LiveRuns

/// A surface that controls a run by OSC, and asks again where no answer comes: datagrams may be lost.
struct OSCSurface {
    let port: Int
    private let run: CommandRun
    private let server: OSCSocket.Peer
    private let socket: OSCSocket

    init(_ run: CommandRun) throws {
        self.run = run
        port = try run.portOfOSC()
        server = try OSCSocket.peer(host: "127.0.0.1", port: port)
        socket = try OSCSocket(to: server)
    }

    func send(_ message: OSCMessage) { socket.send(message, to: server) }

    /// - Returns: the first answer, or that it was refused. A late one to an earlier question, which was asked twice, is neither.
    func ask(_ message: OSCMessage) throws -> OSCMessage {
        var reply: OSCMessage?
        try run.wait(until: "\(message.address) is answered") {
            reply = answers(to: message).first {
                $0.address.hasPrefix(message.address) || $0.address == "/iounit/error"
            }
            return reply != nil
        }
        return try #require(reply)
    }

    /// Asks until the answer is this one.
    func wait(for answer: OSCMessage) throws {
        try run.wait(until: "\(answer) is the answer") { answers(to: OSCMessage(answer.address)).contains(answer) }
    }

    /// Sets a control, and waits until it is.
    func set(_ message: OSCMessage) throws {
        send(message)
        try wait(for: message)
    }

    private func answers(to message: OSCMessage) -> [OSCMessage] {
        send(message)
        // Time to answer before the question is sent again; the caller has the deadline.
        usleep(20_000)
        var answers: [OSCMessage] = []
        while let (bytes, _) = socket.next() { answers += OSCPacket(bytes).messages }
        return answers
    }
}
