import AudioDSP
import Glibc
import TestSupport
import Testing

@Suite("A shaper's curve")
struct WaveshaperTests {
    /// `input` through a curve at rest.
    private func shaped(_ input: [Float], _ shape: Shape, gain: Float = 1) -> [Float] {
        processed(input) { $0.applyShape(shape, gain: Ramp(gain)) }
    }

    /// Every 1/4096 from −20 to 20: exact in single precision, and symmetrical about 0.
    private static let dense: [Float] = (-81_920...81_920).map { Float($0) / 4096 }

    @Test("hard is the input limited to ±1, exactly")
    func hardIsExact() {
        var generator = SeededGenerator(seed: 1)
        for length in edgeLengths {
            let input = generator.signal(count: length, magnitude: 3)
            let gain = Float.random(in: 0.1...4, using: &generator)
            #expect(shaped(input, .hard, gain: gain) == input.map { max(-1, min(1, $0 * gain)) })
        }
    }

    @Test("cubic is 1.5 x − 0.5 x³ of the limited input, to two roundings of single precision")
    func cubicIsExactToRounding() {
        var generator = SeededGenerator(seed: 2)
        for length in edgeLengths {
            let input = generator.signal(count: length, magnitude: 1.2)
            let gain = Float.random(in: 0.1...4, using: &generator)
            var worst = 0.0
            for (x, y) in zip(input, shaped(input, .cubic, gain: gain)) where x != 0 {
                let limited = Double(max(-1, min(1, x * gain)))
                let exact = 1.5 * limited - 0.5 * limited * limited * limited
                worst = max(worst, abs(Double(y) / exact - 1))
            }
            #expect(worst <= 0x1p-22, "\(length) frames")
        }
    }

    @Test("tanh is within 1e-6 of the exact one")
    func tanhIsExactEnough() {
        var worst = 0.0
        for (x, y) in zip(Self.dense, shaped(Self.dense, .tanh)) {
            worst = max(worst, abs(Double(y) - Glibc.tanh(Double(x))))
        }
        #expect(worst <= 1e-6)
        #expect(worst > 0, "what is compared differs at least by rounding")
    }

    @Test("tanh of small numbers keeps their relative precision")
    func tanhKeepsSmallNumbers() {
        let input = (1...120).map { Float(sign: .plus, exponent: -$0, significand: 1.37) }
        for (x, y) in zip(input, shaped(input, .tanh)) {
            let exact = Glibc.tanh(Double(x))
            #expect(abs(Double(y) - exact) <= exact * 1e-6)
        }
    }

    @Test("each curve but asymmetric is odd", arguments: Shape.allCases.filter { $0 != .asymmetric })
    func curvesAreOdd(_ shape: Shape) {
        let output = shaped(Self.dense, shape)
        let unequal = zip(output, output.reversed()).count { $0 != -$1 }
        #expect(unequal == 0)
    }

    @Test("asymmetric distorts one half of a wave more than the other, and leaves silence silent")
    func asymmetricAddsEvenHarmonics() {
        let output = shaped(Self.dense, .asymmetric)
        let sums = zip(output, output.reversed()).map { $0 + $1 }
        #expect((sums.map(abs).max() ?? 0) > 0.5)
        #expect(shaped([0, 0, 0], .asymmetric) == [0, 0, 0])
    }

    @Test("asymmetric and fold are within 1e-6 of their formulas", arguments: [Shape.asymmetric, .fold])
    func newCurvesFollowTheirFormulas(_ shape: Shape) {
        let errors = zip(Self.dense, shaped(Self.dense, shape)).map { abs(Double($1) - curve(shape, of: Double($0))) }
        #expect((errors.max() ?? 1) <= 1e-6)
    }

    @Test("each curve but off stays within ±1 whatever goes in", arguments: Shape.allCases.filter { $0 != .off })
    func curvesAreBounded(_ shape: Shape) {
        let extremes: [Float] = [1e13, -1e13, 7.44, 7.45, 7.46, -7.45, 1, -1, Float(1).nextUp, 0, -0.0]
        #expect(shaped(Self.dense + extremes, shape).allSatisfy { abs($0) <= 1 })
    }

    @Test("each curve but fold rises everywhere, but for rounding", arguments: Shape.allCases.filter { $0 != .fold })
    func curvesAreMonotone(_ shape: Shape) {
        let output = shaped(Self.dense, shape)
        let falls = zip(output, output.dropFirst()).map { $0 - $1 }
        #expect((falls.max() ?? 0) <= 0x1p-21)
    }

    @Test("off with a gain of one leaves every bit alone")
    func offIsTheIdentity() {
        var generator = SeededGenerator(seed: 3)
        let input = generator.signal(count: 1000) + [-0.0, .leastNonzeroMagnitude, 1e13]
        #expect(shaped(input, .off).bits == input.bits)
    }

    @Test("a shape is found by its name, and by no other")
    func shapesHaveNames() {
        for shape in Shape.allCases { #expect(Shape(name: shape.name) == shape) }
        #expect(Shape(name: "Cubic") == nil)
        #expect(Shape(name: "") == nil)
    }
}
