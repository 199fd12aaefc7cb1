import AudioDSP
import TestSupport
import Testing

@Suite("The copy that lets only finite samples through")
struct FiniteTests {
    private static let broken: [Float] = [
        .nan, .signalingNaN, -.nan, .infinity, -.infinity, 1e16, -1e16, Float(1e13).nextUp, .greatestFiniteMagnitude,
    ]
    private static let sound: [Float] = [
        0, -0.0, 1, -1, 1e13, -1e13, .leastNonzeroMagnitude, -.leastNonzeroMagnitude, .leastNormalMagnitude,
        Float(bitPattern: 12_345),
    ]

    private func copied(_ source: [Float]) -> (output: [Float], replaced: Int) {
        var source = source
        var replaced = 0
        // What was there before must not show through.
        let output = processed([Float](repeating: 77, count: source.count)) { target in
            source.withUnsafeMutableBufferPointer { buffer in
                guard let base = buffer.baseAddress else { return }
                replaced = target.copyFinite(from: Samples(base, count: target.count))
            }
        }
        return (output, replaced)
    }

    @Test("keeps finite samples bit for bit, denormal ones and −0 too, and counts none")
    func soundSamplesStay() {
        var generator = SeededGenerator(seed: 50)
        for length in edgeLengths {
            var input = generator.signal(count: length)
            for index in input.indices where index % 3 == 0 {
                input[index] = Self.sound[index / 3 % Self.sound.count]
            }
            let (output, replaced) = copied(input)
            #expect(output.bits == input.bits)
            #expect(replaced == 0)
        }
    }

    @Test("replaces a broken sample wherever it stands, in a whole vector or in the rest")
    func brokenSampleIsReplacedAnywhere() {
        for value in Self.broken {
            for place in 0..<21 {
                var input = [Float](repeating: 0.5, count: 21)
                input[place] = value
                let (output, replaced) = copied(input)
                input[place] = 0
                #expect(output.bits == input.bits, "\(value) at \(place)")
                #expect(replaced == 1, "\(value) at \(place)")
            }
        }
    }

    @Test("counts each broken sample once")
    func countIsRight() {
        var generator = SeededGenerator(seed: 51)
        for length in edgeLengths {
            var input = generator.signal(count: length)
            var wanted = 0
            for index in input.indices where Int.random(in: 0..<4, using: &generator) == 0 {
                input[index] = Self.broken.randomElement(using: &generator) ?? .nan
                wanted += 1
            }
            let (output, replaced) = copied(input)
            #expect(replaced == wanted, "\(length) frames")
            #expect(output.bits == input.map { abs($0) <= 1e13 ? $0.bitPattern : 0 })
        }
    }

    @Test("leaves nothing standing of a run that is broken from end to end")
    func allBroken() {
        for length in edgeLengths {
            let (output, replaced) = copied([Float](repeating: .nan, count: length))
            #expect(replaced == length)
            #expect(output.allSatisfy { $0 == 0 })
        }
    }

    @Test("does the same in place")
    func inPlaceIsTheSame() {
        var generator = SeededGenerator(seed: 52)
        for length in edgeLengths {
            for share in [0, 0.1, 1] {
                var input = generator.signal(count: length)
                for index in input.indices where Double.random(in: 0..<1, using: &generator) < share {
                    input[index] = Self.broken[index % Self.broken.count]
                }
                var replaced = 0
                let output = processed(input) { replaced = $0.silenceNotFinite() }
                let expected = copied(input)
                #expect(output.bits == expected.output.bits)
                #expect(replaced == expected.replaced)
            }
        }
    }
}
