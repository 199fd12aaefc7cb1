import AudioDSP
import Foundation
import TestSupport
import Testing

/// ADAA at the sample rate itself: each sample is the curve's mean from the one before.
@Suite("The mean of a curve between two samples")
struct AntiderivativeTests {
    private static let shapes: [Shape] = [.hard, .cubic, .tanh, .fold, .table]

    /// The mean by Simpson's rule over short pieces, in double precision.
    private func mean(_ shape: Shape, _ a: Float, _ b: Float) -> Double {
        let pieces = 2000
        let width = (Double(b) - Double(a)) / Double(pieces)
        var sum = 0.0
        for piece in 0..<pieces {
            let left = Double(a) + width * Double(piece)
            let values = [left, left + width / 2, left + width].map { curve(shape, of: $0) }
            sum += (values[0] + 4 * values[1] + values[2]) / 6
        }
        return sum / Double(pieces)
    }

    private func shaped(_ input: [Float], _ shape: Shape) -> [Float] {
        AudioDSPTests.shaped(input, Shaping(shape, .adaa))
    }

    @Test("is exact however near the samples lie to each other and to the branch point", arguments: shapes)
    func nearSamplesLoseNothing(_ shape: Shape) {
        for place: Float in [0, 0.3, 1, -1, 1.5, -7] {
            for exponent in stride(from: -24, through: -1, by: 3) {
                let step = Float(sign: .plus, exponent: exponent, significand: 1.3)
                let ways = [(place - step / 3, place + step), (place + step, place - step / 5), (place, place + step)]
                for (a, b) in ways {
                    let output = shaped([a, b], shape)[1]
                    #expect(abs(Double(output) - mean(shape, a, b)) <= 2e-6, "\(shape.name), \(a) to \(b)")
                }
            }
        }
    }

    @Test("of a way of any length is exact", arguments: shapes)
    func longWays(_ shape: Shape) {
        var generator = SeededGenerator(seed: 410)
        let input = generator.signal(count: 60, magnitude: 12)
        let output = shaped(input, shape)
        for index in 1..<input.count {
            let exact = mean(shape, input[index - 1], input[index])
            #expect(abs(Double(output[index]) - exact) <= 4e-6, "\(shape.name), to \(input[index])")
        }
    }

    @Test("of a sample that stays is the curve's value, at the branch points and at the loudest too")
    func standingSamples() {
        for shape in Self.shapes {
            for value: Float in [
                0, -0.0, 0.5, 1, -1, 1e-30, Float(bitPattern: 700), 4096, 1e13, -1e13, 1e19,
            ] {
                let output = shaped([Float](repeating: value, count: 3), shape)
                let wanted = shape == .fold && abs(value) >= 4096 ? 0 : curve(shape, of: Double(value))
                #expect(abs(Double(output[2]) - wanted) <= 1e-6, "\(shape.name) of \(value)")
            }
        }
    }

    @Test(
        "follows a slow sweep through the branch points as the curve does, without a jump",
        arguments: [Shape.hard, .cubic])
    func sweepIsSmooth(_ shape: Shape) {
        let input = (0..<40_000).map { 0.9 + Float($0) * 5e-6 }
        let output = shaped(input, shape)
        let steps = zip(output.dropFirst(), output.dropFirst(2)).map { $1 - $0 }
        #expect((steps.max() ?? 1) <= 5.5e-6 * (shape == .cubic ? 0.4 : 1) + 2e-7)
        #expect((steps.min() ?? -1) >= -2e-7)
    }

    @Test("of a full-scale square is within ±1, whatever the shape", arguments: Shape.allCases.filter { $0 != .off })
    func squareIsBounded(_ shape: Shape) {
        let input = (0..<200).map { $0 / 10 % 2 == 0 ? Float(1) : -1 }
        #expect(processed(input) { $0.applyShape(shape, gain: Ramp(10)) }.allSatisfy { abs($0) <= 1 })
        guard shape != .asymmetric else { return }
        #expect(AudioDSPTests.shaped(input, Shaping(shape, .adaa), gain: 10).allSatisfy { abs($0) <= 1 })
    }
}
