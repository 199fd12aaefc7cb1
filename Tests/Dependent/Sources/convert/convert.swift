import AudioFiles

// A stream of one's own at another rate, on a machine that has no JACK: pulled as it comes, with its tail at the end.
@main
struct Convert {
    static func main() throws {
        let input = StreamFormat(sampleRate: 48_000, channels: 2)
        let output = StreamFormat(sampleRate: 16_000, channels: 1, sampleFormat: .int16)
        var converter = try StreamConverter(
            from: input, to: output, ConverterSettings(quality: .medium, dither: .triangular))

        var block = PCMBuffer(output, capacityFrames: 256)
        var loudest: Int16 = 0
        var blocks = 0
        while true {
            let status = converter.convert(into: &block) {
                blocks += 1
                return blocks > 10 ? .endOfStream : .data(PCMBuffer(input, [Float](repeating: 0.5, count: 2 * 480)))
            }
            if status == .endOfStream { break }
            block.withSamples(of: Int16.self) { samples in
                for index in samples.indices { loudest = max(loudest, samples[index]) }
            }
        }
        print(
            "\(converter.takenFrames) frames in, \(converter.madeFrames) out, held \(converter.latencyFrames),",
            "\(loudest > 16_000 ? "heard" : "silent")")
    }
}
