import CommandTestSupport
import Foundation
import TestSupport
import Testing

/// A foreign server of WebSockets that takes a stream, and what it read of it.
final class WebListener {
    let port: Int
    let run: CommandRun

    var target: String { "ws://127.0.0.1:\(port)/stream" }

    init(_ arguments: [String] = [], in folder: TemporaryFolder) throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../AudioStreamingTests/Receivers/stream.py").path
        let portFile = folder("port-\(UUID().uuidString)")
        run = try CommandRun([script, "--port-file", portFile] + arguments, program: "/usr/bin/python3")
        try run.wait(until: "it listens") { FileManager.default.fileExists(atPath: portFile) }
        port = try #require(Int(String(contentsOfFile: portFile, encoding: .utf8)))
    }

    func kill() { run.send(SIGKILL) }

    /// The only connection, when it has ended: its packets, and the samples of 24 bits.
    func heard() throws -> (packets: [[String: Any]], samples: [Float]) {
        #expect(try run.end() == 0, "\(run.err)")
        let all = try JSONSerialization.jsonObject(with: Data(run.out.utf8)) as? [[String: Any]]
        let connection = try #require(all?.first)
        let sound = [UInt8](try #require((connection["sound"] as? String).flatMap { Data(base64Encoded: $0) }))
        let samples: [Float] = (0..<sound.count / 3).map { index in
            let bits = sound[(3 * index)..<(3 * index + 3)].reversed().reduce(Int32(0)) { $0 << 8 | Int32($1) }
            return Float(bits << 8) / 2_147_483_648
        }
        return (try #require(connection["packets"] as? [[String: Any]]), samples)
    }
}
