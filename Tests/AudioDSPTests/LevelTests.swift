import AudioDSP
import TestSupport
import Testing

@Suite("A level")
struct LevelTests {
    private func level(of input: [Float]) -> Level {
        var level = Level()
        _ = processed(input) { level = $0.level() }
        return level
    }

    @Test("has the peak, the sum of squares and the clipped samples of a scalar model")
    func levelsMatchTheModel() {
        var generator = SeededGenerator(seed: 60)
        for length in edgeLengths {
            for magnitude: Float in [0.001, 0.9, 1.1, 1e9] {
                let input = generator.signal(count: length, magnitude: magnitude)
                let measured = level(of: input)
                let squares = input.reduce(0.0) { $0 + Double($1) * Double($1) }
                #expect(measured.peak == input.map(abs).max() ?? 0)
                #expect(abs(measured.sumOfSquares - squares) <= squares * 1e-4)
                #expect(measured.clipped == input.count { abs($0) >= 1 })
            }
        }
    }

    @Test("finds the one loud sample wherever it stands and whatever its sign")
    func peakIsFoundAnywhere() {
        for place in 0..<21 {
            for loud: Float in [0.75, -0.75] {
                var input = [Float](repeating: 0.5, count: 21)
                input[place] = loud
                #expect(level(of: input).peak == 0.75)
            }
        }
    }

    @Test("counts full scale as clipped, and the float below it not")
    func clippingBeginsAtFullScale() {
        var input = [Float](repeating: Float(1).nextDown, count: 19)
        #expect(level(of: input).clipped == 0)
        input[3] = 1
        input[17] = -1
        #expect(level(of: input).clipped == 2)
    }

    @Test("of silence, and of nothing, is zero")
    func silenceIsZero() {
        #expect(level(of: []) == Level())
        #expect(level(of: [0, -0.0, 0]) == Level())
    }

    @Test("changes nothing in what it measures")
    func measuringOnlyReads() {
        var generator = SeededGenerator(seed: 61)
        let input = generator.signal(count: 37, magnitude: 2)
        #expect(processed(input) { _ = $0.level() }.bits == input.bits)
    }

    @Test("of the largest samples that are let through is finite")
    func loudestIsFinite() {
        let measured = level(of: [Float](repeating: Samples.largestMagnitude, count: 8192))
        #expect(measured.sumOfSquares.isFinite)
        #expect(measured.peak == Samples.largestMagnitude)
    }
}
