import AudioDSP
import TestSupport
import Testing

@Suite("A crossfade")
struct CrossfadeTests {
    private func faded(_ input: [Float], to other: [Float], along mix: Ramp) -> [Float] {
        var other = other
        return other.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return [] }
            return processed(input) { $0.crossfade(to: Samples(base, count: input.count), along: mix) }
        }
    }

    @Test("is sample + (other − sample) · mix at each frame, to the rounding of single precision")
    func valuesFollowTheFormula() {
        var generator = SeededGenerator(seed: 40)
        for length in edgeLengths where length > 0 {
            let input = generator.signal(count: length)
            let other = generator.signal(count: length)
            let frames = Int.random(in: 1...(length + 20), using: &generator)
            var mix = Ramp(0)
            mix.move(to: 1, over: frames)
            let output = faded(input, to: other, along: mix)
            var worst = 0.0
            for index in 0..<length {
                let share = min(1, Double(index) / Double(frames))
                let exact = Double(input[index]) + (Double(other[index]) - Double(input[index])) * share
                worst = max(worst, abs(Double(output[index]) - exact))
            }
            #expect(worst <= 5e-7, "\(length) frames, fade of \(frames)")
        }
    }

    @Test("at mix 0 is the first signal")
    func mixZeroIsTheFirst() {
        var generator = SeededGenerator(seed: 41)
        let input = generator.signal(count: 100)
        #expect(faded(input, to: generator.signal(count: 100), along: Ramp(0)) == input)
    }

    @Test("between a signal and itself changes nothing")
    func equalSignalsStay() {
        var generator = SeededGenerator(seed: 42)
        let input = generator.signal(count: 100)
        var mix = Ramp(0)
        mix.move(to: 1, over: 70)
        #expect(faded(input, to: input, along: mix) == input)
    }

    @Test("leaves the other signal alone")
    func otherIsOnlyRead() {
        var generator = SeededGenerator(seed: 43)
        let input = generator.signal(count: 33)
        var other = generator.signal(count: 33)
        let before = other
        other.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            _ = processed(input) { $0.crossfade(to: Samples(base, count: 33), along: Ramp(0.5)) }
        }
        #expect(other == before)
    }
}
