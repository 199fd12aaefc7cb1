import AudioIO
import Foundation
import LiveRuns
import TestSupport
import Testing

@testable import LiveCommands

@Suite("The file of an RTP stream's description") struct StreamRunTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private var text: String { (try? String(contentsOfFile: folder("a.sdp"), encoding: .utf8)) ?? "" }

    private func run() throws -> (stream: StreamRun, engine: Engine) {
        let options = try SendOptions(["rtp://127.0.0.1:5004", "--sdp", folder("a.sdp"), "--force"])
        let engine = try Engine(offline: 48_000, inputs: 2, outputs: 1)
        let stream = try StreamRun(options.stream, sampleRate: 48_000, channels: 2)
        try stream.start(engine.input, on: engine)
        return (stream, engine)
    }

    @Test func `replaces an older one when all else has begun, and not before`() throws {
        try "old".write(toFile: folder("a.sdp"), atomically: true, encoding: .utf8)
        var (stream, _) = try run()
        #expect(text == "old")
        // What has not begun leaves the old one.
        stream.abandon()
        #expect(text == "old" && folder.names == ["a.sdp"])
        (stream, _) = try run()
        try stream.publish()
        #expect(text.hasPrefix("v=0") && folder.names == ["a.sdp"])
        stream.finish(withoutServerUntil: nil)
    }

    @Test func `is removed where nothing is sent, and another program's is not`() throws {
        var (stream, _) = try run()
        try "another's".write(toFile: folder("a.sdp"), atomically: true, encoding: .utf8)
        stream.abandon()
        #expect(text == "another's" && folder.names == ["a.sdp"])
        try FileManager.default.removeItem(atPath: folder("a.sdp"))
        (stream, _) = try run()
        try stream.publish()
        stream.abandon()
        #expect(folder.names.isEmpty)
    }
}
