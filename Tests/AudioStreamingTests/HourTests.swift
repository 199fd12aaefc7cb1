import AudioStreaming
import Foundation
import TestSupport
import Testing

/// Runs that take long, for a figure of their own: `IOUNIT_LONG=1`, with `--filter HourTests`.
@Suite("A stream for an hour", .enabled(if: ProcessInfo.processInfo.environment["IOUNIT_LONG"] != nil))
struct HourTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    /// In MiB, what is resident now.
    private func residentMegabytes() throws -> Int {
        let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")[1]
        return ((Int(pages) ?? 0) * Int(sysconf(CInt(_SC_PAGESIZE)))) >> 20
    }

    @Test func `FLAC by WebSocket comes to the bit, none is lost, and memory stays`() throws {
        let server = try WebServer(["--digest"], folder: folder)
        let sender = try StreamSender(
            to: [StreamTarget("\(server.address("/stream"))")], CodecSettings(.flac), sampleRate: 48000, channels: 2)
        try waitUntil("it is reached") { sender.figures[0].state == .connected }
        let sound = steppedNoise(frames: 480_000, channels: 2, bits: 24)
        // 360 times the same ten seconds, each with another end of the encoder's blocks.
        var memory: [Int] = []
        for tens in 0..<360 {
            for start in stride(from: 0, to: sound.count, by: 48000) {
                try waitUntil("there is room") { sender.figures[0].waitingPackets < 12 }
                try sender.send(Array(sound[start..<(start + 48000)]), channels: 2)
            }
            if tens % 60 == 59 { memory.append(try residentMegabytes()) }
        }
        sender.finish(within: 60)
        let figures = sender.figures[0]
        let heard = try #require(try server.connections().first)
        let expected = folder("ten")
        let bytes = sound.flatMap { sample in
            let integer = Int32(sample * 8_388_608)
            return (0..<3).map { UInt8(truncatingIfNeeded: integer >> (8 * $0)) }
        }
        try Data(bytes).write(to: URL(fileURLWithPath: expected))
        let script =
            "import hashlib,sys; d=open(sys.argv[1],'rb').read(); h=hashlib.sha256(); [h.update(d) for _ in range(360)]; print(h.hexdigest(), end='')"
        let digest = try #require(try Program.output(of: "/usr/bin/python3", ["-c", script, expected]))
        #expect(heard["digest"] as? String == String(decoding: digest, as: UTF8.self))
        #expect(figures.lostPackets == 0 && figures.unconfirmedPackets == 0)
        #expect(memory[0] > 0)
        #expect(try #require(memory.last) - memory[0] <= 8, "\(memory) MiB")
        print("packets \(figures.sentPackets), resident \(memory) MiB, \(figures.sentBytes) bytes")
    }
}
