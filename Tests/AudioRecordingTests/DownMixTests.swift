import AudioRecording
import TestSupport
import Testing

@Suite("A source of more channels than inputs") struct DownMixTests {
    private func rounded(_ mix: DownMix?) -> [[Int]]? {
        mix?.weights.map { $0.map { Int(($0 * 10_000).rounded()) } }
    }

    @Test(arguments: [(1, 1), (1, 2), (2, 2), (2, 4), (6, 6)])
    func `is mixed only where a channel has no input of its own`(_ channels: Int, _ inputs: Int) {
        #expect(DownMix(channels: channels, inputs: inputs) == nil)
    }

    @Test func `comes down to stereo as BS.775 has it, and stays within full scale`() {
        // 1 / (1 + 1/√2) and 1 / (1 + 2/√2), and 1/√2 of these.
        let (front, rear, first, other) = (5858, 4142, 4142, 2929)
        #expect(rounded(DownMix(channels: 3, inputs: 2)) == [[front, 0, rear], [0, front, rear]])
        #expect(rounded(DownMix(channels: 4, inputs: 2)) == [[front, 0, rear, 0], [0, front, 0, rear]])
        #expect(
            rounded(DownMix(channels: 5, inputs: 2)) == [[first, 0, other, other, 0], [0, first, other, 0, other]])
        #expect(
            rounded(DownMix(channels: 6, inputs: 2)) == [
                [first, 0, other, 0, other, 0], [0, first, other, 0, 0, other],
            ])
        #expect(DownMix(channels: 6, inputs: 2)?.law == .bs775)
    }

    @Test func `comes down to mono as the mean of what stereo would be`() {
        #expect(rounded(DownMix(channels: 2, inputs: 1)) == [[5000, 5000]])
        #expect(rounded(DownMix(channels: 3, inputs: 1)) == [[2929, 2929, 4142]])
        #expect(rounded(DownMix(channels: 6, inputs: 1)) == [[2071, 2071, 2929, 0, 1464, 1464]])
        #expect(DownMix(channels: 2, inputs: 1)?.law == .mean)
    }

    @Test func `of channels that nobody knows has the mean on each input, none louder than another`() {
        #expect(rounded(DownMix(channels: 7, inputs: 1)) == [[Int](repeating: 1429, count: 7)])
        #expect(rounded(DownMix(channels: 4, inputs: 3)) == [[5000, 0, 0, 5000], [0, 5000, 0, 0], [0, 0, 5000, 0]])
        #expect(DownMix(channels: 7, inputs: 2)?.law == .mean)
    }

    @Test func `never exceeds full scale, whatever its channels do`() throws {
        for channels in 2...64 {
            for inputs in 1..<min(channels, 9) {
                let mix = try #require(DownMix(channels: channels, inputs: inputs))
                let sums = mix.weights.map { $0.reduce(0, +) }
                #expect(sums.allSatisfy { $0 <= 1 + 1e-12 } && sums.contains { $0 > 1 - 1e-12 })
                #expect(mix.weights.count == inputs && mix.weights.allSatisfy { $0.count == channels })
            }
        }
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

    @Test func `is told in words`() {
        #expect(
            DownMix(channels: 3, inputs: 2)?.description
                == "3 channels are mixed down to 2 inputs (ITU-R BS.775): in_1 = 0.59 · ch 1 + 0.41 · ch 3, "
                + "in_2 = 0.59 · ch 2 + 0.41 · ch 3")
        #expect(
            DownMix(channels: 2, inputs: 1)?.description
                == "2 channels are mixed down to 1 input (the mean of those that share one): "
                + "in_1 = 0.50 · ch 1 + 0.50 · ch 2")
    }
}
