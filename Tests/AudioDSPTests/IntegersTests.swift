import AudioDSP
import TestSupport
import Testing

@Suite("Samples of 16 bits")
struct IntegersTests {
    private func rounded(_ source: [Float]) -> [Int16] {
        var source = source
        var target = [Int16](repeating: 77, count: source.count + 1)
        source.withUnsafeMutableBufferPointer { source in
            target.withUnsafeMutableBufferPointer { target in
                guard let from = source.baseAddress, let to = target.baseAddress else { return }
                Integers(to, count: source.count).round(from: Samples(from, count: source.count))
            }
        }
        #expect(target.last == 77, "the kernel wrote behind its run")
        return target.dropLast()
    }

    private func floats(_ source: [Int16]) -> [Float] {
        var source = source
        return processed([Float](repeating: 77, count: source.count)) { target in
            source.withUnsafeMutableBufferPointer { source in
                guard let base = source.baseAddress else { return }
                target.copy(from: Integers(base, count: source.count))
            }
        }
    }

    @Test("become floats and are the same again, all of them")
    func identity() {
        let all = Array(Int16.min...Int16.max)
        let floats = floats(all)
        #expect(floats.first == -1)
        #expect(floats[32_768 + 16_384] == 0.5)
        #expect(rounded(floats) == all)
    }

    @Test("are the nearest ones, to the even of two, and none is beyond full scale")
    func rounding() {
        var generator = SeededGenerator(seed: 320)
        for length in edgeLengths {
            let source = generator.signal(count: length, magnitude: 1.2)
            let wanted = source.map { sample in
                Int16(max(-32_768, min(32_767, (Double(sample) * 32_768).rounded(.toNearestOrEven))))
            }
            #expect(rounded(source) == wanted)
        }
        let half: Float = 0.5 / 32_768
        #expect(rounded([half, 3 * half, -half, -3 * half, half.nextUp]) == [0, 2, 0, -2, 1])
        #expect(rounded([1, 2, 1e13, .infinity, 32_767.5 / 32_768]) == [32_767, 32_767, 32_767, 32_767, 32_767])
        #expect(rounded([-1, -2, -1e13, -.infinity]) == [-32_768, -32_768, -32_768, -32_768])
        #expect(rounded([.leastNonzeroMagnitude, -0.0]) == [0, 0])
    }
}
