import CommandTestSupport
import Foundation
import Jack
import TestSupport
import Testing

@Suite("With clients made with JACK-Client", .serialized, .privateServer(.forForeignClients))
struct ForeignClientTests {
    @Test func `each frame is recorded, and comes back, while one of them has the server freewheel`() throws {
        let server = PrivateServer.name
        let folder = try TemporaryFolder()
        let client = try ForeignProgram("feeder.py", [server, folder("heard")])
        let monitor = try RecordingRun(
            on: server, ["--bypass", "--input", "^feeder:", "--output", "^listener:"], source: nil)
        let wired = [
            "iounit:in_1 feeder:out_1", "iounit:in_2 feeder:out_2", "iounit:out_1 listener:in_1",
            "iounit:out_2 listener:in_2",
        ]
        try waitUntil("it is connected") { try connections("iounit", on: server) == wired }
        _ = try client.tell("play 12000")
        _ = try client.tell("freewheel 240000")
        _ = try client.tell("play 12000")
        let fed = try #require(Int(client.tell("rest 4800")))
        let report = try monitor.end(by: SIGINT)
        try client.end()

        let samples = try Data(contentsOf: URL(fileURLWithPath: folder("heard"))).withUnsafeBytes {
            Array($0.bindMemory(to: Float.self))
        }
        let heard = SoundFile(
            sampleRate: 48000,
            channels: (0...1).map { channel in
                stride(from: channel, to: samples.count, by: 2).map { samples[$0] }
            })
        for file in [try SoundFile(reading: monitor.path), heard] {
            let frames = NumberedFrames(in: file)
            #expect(frames.halves == 0 && frames.strays == 0)
            #expect(frames.numbers.first == 1 && frames.skips == 0)
            #expect(frames.numbers.count == fed)
        }

        let recorded = try #require(report["recorded"] as? [String: Any])
        let freewheeled = try #require(recorded["freewheeledFrames"] as? Int)
        #expect(freewheeled >= 240_000 - 4800 && freewheeled < fed)
        let spans = try #require(try monitor.sidecar["freewheels"] as? [[String: Any]])
        #expect(spans.count == 1)
        #expect(spans.first?["frames"] as? Int == freewheeled)
        #expect(try #require(spans.first?["frame"] as? Int) > 0)
    }
}

extension ServerConfiguration {
    /// In sync mode no cycle of a client is left out, however late it is, as one in Python may be; where the server is
    /// not patient, some are after a tenth of a second.
    fileprivate static var forForeignClients: ServerConfiguration {
        var configuration = ServerConfiguration()
        configuration.isSync = true
        configuration.isPatient = true
        configuration.periodFrames = 256
        return configuration
    }
}
