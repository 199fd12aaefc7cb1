import AudioFiles
import AudioIO
import AudioStreaming
import Foundation
import TestSupport
import Testing

@Suite("What a node renders") struct NodeStreamTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private func samples(_ path: String, frames: Int) throws -> [Float] {
        let reader = try SoundFileReader(path: path)
        var samples = [Float](repeating: 0, count: (frames + 1) * reader.channels)
        let count = try reader.read(frames + 1, into: &samples)
        return Array(samples.prefix(count * reader.channels))
    }

    @Test func `is sent to the bit, with the time of a pause, and ends with the engine`() throws {
        let engine = try Engine(offline: 48_000, inputs: 1, outputs: 1, rampMilliseconds: 0)
        let (receiver, target) = try Receiver.listening(folder: folder)
        let file = try StreamTarget("file:\(folder("b.wav"))")
        let stream = try engine.send(engine.input, to: [target, file], CodecSettings(.float), queueSeconds: 60)
        let sound = steppedNoise(frames: 30_000, channels: 1, bits: 24)
        try engine.start()
        for start in stride(from: 0, to: 20_000, by: 1000) {
            _ = try engine.render(1000, input: [Array(sound[start..<(start + 1000)])])
        }
        try engine.pause()
        _ = try engine.render(4800, input: [sound])
        try engine.resume()
        _ = try engine.render(10_000, input: [Array(sound[20_000...])])
        engine.close()
        #expect(stream.failure == nil && stream.droppedFrames == 0)
        #expect(stream.sender.figures.map(\.state) == [.ended, .ended])
        #expect(stream.sender.figures.map(\.lostPackets) == [0, 0])
        let due = sound[..<20_000] + [Float](repeating: 0, count: 4800) + sound[20_000...]
        try receiver.heard().write(to: URL(fileURLWithPath: folder("a.wav")))
        for name in ["a.wav", "b.wav"] { #expect(try samples(folder(name), frames: due.count) == Array(due)) }
    }

    @Test func `that has ended is kept by nobody while the engine goes on`() throws {
        let engine = try Engine(offline: 48_000, inputs: 1, outputs: 1)
        let server = try PageServer(PageConfiguration(PageAddress(port: 0)))
        try engine.start()
        weak var stream: NodeStream?
        weak var served: ServedNode?
        do {
            let target = try StreamTarget("file:\(folder("a.wav"))")
            let (sent, shown) = (
                try engine.send(engine.input, to: [target], CodecSettings(.float)),
                try engine.serve(engine.input, on: server)
            )
            _ = try engine.render(1000, input: [[Float](repeating: 0.5, count: 1000)])
            sent.finish()
            shown.finish()
            (stream, served) = (sent, shown)
        }
        #expect(stream == nil && served == nil)
        server.stop(within: 0)
        engine.close()
    }

    @Test func `needs a node of the engine, and a codec that has its channels`() throws {
        let engine = try Engine(offline: 48_000, inputs: 9, outputs: 1)
        let targets = [try StreamTarget("file:\(folder("a.flac"))")]
        #expect(throws: StreamError.self) { try engine.send(engine.input, to: targets, CodecSettings(.flac)) }
        #expect(throws: NodeError.self) { try engine.send(Gain(linear: 0.5), to: targets, CodecSettings(.float)) }
        engine.close()
        #expect(folder.names == [])
    }
}
