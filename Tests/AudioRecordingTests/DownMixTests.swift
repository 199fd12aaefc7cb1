import AudioRecording
import TestSupport
import Testing

@Suite("A source of more channels than inputs") struct DownMixTests {
    @Test(arguments: [(1, 1), (1, 2), (2, 2), (2, 4), (6, 6)])
    func `is mixed only where a channel has no input of its own`(_ channels: Int, _ inputs: Int) throws {
        let folder = try TemporaryFolder()
        try Sound(channels: channels, samples: [Float](repeating: 0.5, count: channels)).write(to: folder("a.wav"))
        #expect(try Source(.file(path: folder("a.wav")), sampleRate: 48000, channels: inputs).downMix == nil)
    }

    @Test(arguments: [3, 4, 5, 6, 8])
    func `is heard as the law has it, and as loud as full scale at the most`(_ channels: Int) throws {
        let folder = try TemporaryFolder()
        // Each channel alone for a while, and at last all of them, at full scale.
        let parts = (0...channels).map { part in
            (0..<100).flatMap { _ in (0..<channels).map { $0 == part || part == channels ? Float(1) : 0 } }
        }
        try Sound(channels: channels, samples: parts.flatMap(\.self)).write(to: folder("a.wav"))
        let source = try Source(.file(path: folder("a.wav")), sampleRate: 48000, channels: 2)
        let mix = try #require(source.downMix)
        #expect(source.channels == channels && source.ports == 2)
        var signal = try source.open(sampleRate: 48000, channels: 2)
        #expect(signal.channels == 2)
        var heard: [Float] = []
        var block = [Float](repeating: 0, count: 2 * 64)
        while case let count = try signal.read(64, into: &block), count > 0 { heard += block.prefix(2 * count) }
        #expect(heard.count == 2 * 100 * (channels + 1))
        for part in 0..<channels {
            for input in 0..<2 { #expect(heard[200 * part + input] == Float(mix.weights[input][part])) }
        }
        #expect(heard.suffix(200).allSatisfy { $0 <= 1 } && heard.suffix(200).contains { $0 > 0.9999 })
    }
}
