import AudioDSP
import TestSupport
import Testing

@Suite("However a signal is cut into blocks, the output is the same to the bit")
struct BlockSizeTests {
    /// `input` in blocks of these lengths, through a ramp that walks on from block to block.
    private func shaped(_ input: [Float], _ shape: Shape, gain: Ramp, blocks: [Int]) -> [Float] {
        var gain = gain
        return processed(input, inBlocks: blocks) { block, _ in
            block.applyShape(shape, gain: gain)
            gain.advance(by: block.count)
        }
    }

    @Test("through a shaper whose gain moves", arguments: Shape.allCases)
    func shapers(_ shape: Shape) {
        var generator = SeededGenerator(seed: 20 + UInt64(shape.rawValue))
        for length in edgeLengths {
            let input = generator.signal(count: length, magnitude: 2)
            // A way that ends within the signal, and one that does not.
            for frames in [length / 3, length * 2 + 1] {
                var gain = Ramp(0.3)
                gain.move(to: 2.1, over: frames)
                let whole = shaped(input, shape, gain: gain, blocks: [length])
                for _ in 0..<3 {
                    let cut = shaped(input, shape, gain: gain, blocks: generator.split(length))
                    #expect(cut.bits == whole.bits, "\(length) frames, ramp of \(frames)")
                }
            }
        }
    }

    @Test("through blocks of one length each", arguments: [1, 7, 8, 9, 63, 64])
    func evenBlocks(_ blockLength: Int) {
        var generator = SeededGenerator(seed: 30)
        let input = generator.signal(count: 1000, magnitude: 2)
        var gain = Ramp(3)
        gain.move(to: 0, over: 777)
        let blocks = [Int](repeating: blockLength, count: 1000 / blockLength) + [1000 % blockLength]
        for shape in Shape.allCases {
            let whole = shaped(input, shape, gain: gain, blocks: [1000])
            #expect(shaped(input, shape, gain: gain, blocks: blocks).bits == whole.bits)
        }
    }

    @Test("through a crossfade")
    func crossfades() {
        var generator = SeededGenerator(seed: 31)
        for length in edgeLengths where length > 0 {
            let input = generator.signal(count: length)
            var other = generator.signal(count: length)
            var mix = Ramp(0)
            mix.move(to: 1, over: length * 2 / 3)
            func faded(_ blocks: [Int]) -> [Float] {
                var mix = mix
                return processed(input, inBlocks: blocks) { block, start in
                    other.withUnsafeMutableBufferPointer { buffer in
                        guard let base = buffer.baseAddress else { return }
                        block.crossfade(to: Samples(base + start, count: block.count), along: mix)
                    }
                    mix.advance(by: block.count)
                }
            }
            let whole = faded([length])
            for _ in 0..<3 { #expect(faded(generator.split(length)).bits == whole.bits, "\(length) frames") }
        }
    }
}
