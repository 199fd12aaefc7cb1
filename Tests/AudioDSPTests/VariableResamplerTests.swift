import AudioDSP
import Foundation
import TestSupport
import Testing

@Suite("The resampler whose ratio changes") struct VariableResamplerTests {
    /// Converts a signal given by its value at each time; returns the frames, each with the place that it was made at.
    private func convert(
        frames: Int, step: Double, blocks seed: UInt64, _ signal: (Double) -> Double
    ) -> [(place: Double, value: Float)] {
        var generator = SeededGenerator(seed: seed)
        var resampler = VariableResampler(channels: 1, step: step)
        var made: [(place: Double, value: Float)] = []
        var next = 0
        for count in generator.split(frames, longest: VariableResampler.sliceFrames) {
            let wanted = resampler.wanted(for: count, step: step)
            let room = resampler.room(0, from: 0, count: wanted)
            for index in 0..<wanted { room[index] = Float(signal(Double(next + index))) }
            let place = Double(next - resampler.halfFrames - 1) + resampler.phase
            var block = [Float](repeating: 0, count: count)
            block.withUnsafeMutableBufferPointer {
                guard let base = $0.baseAddress else { return }
                resampler.render(0, into: Samples(base, count: count), step: step)
            }
            resampler.advance(by: count, step: step)
            next += wanted
            for (index, value) in block.enumerated() { made.append((place + Double(index) * step, value)) }
        }
        return made
    }

    @Test(arguments: [1, 1.0002, 0.9998, 44100.0 / 48000, 48000.0 / 44100, 2, 1.0 / 6, 7.99])
    func `a tone comes out at its place, within -90 dB`(step: Double) {
        // Below 0.73 of the lower of the two Nyquist frequencies.
        let widest = 0.45 / max(1, step)
        for share in [0.02, 0.3, 0.81] {
            let frequency = widest * share
            func tone(_ place: Double) -> Double { 0.9 * sin(2 * .pi * frequency * place) }
            let made = convert(frames: 6000, step: step, blocks: 1, tone)
            var worst = 0.0
            for (place, value) in made where place > 600 { worst = max(worst, abs(Double(value) - tone(place))) }
            #expect(worst < 0.9 * pow(10, -90 / 20), "\(20 * log10(worst / 0.9)) dB at \(frequency)")
        }
    }

    @Test func `above the lower Nyquist frequency nothing is left`() {
        let made = convert(frames: 4000, step: 3, blocks: 2) { sin(2 * .pi * 0.2 * $0) }
        let worst = made.filter { $0.place > 600 }.map { abs($0.value) }.max() ?? 1
        #expect(worst < 0.0001, "\(worst)")
    }

    @Test func `however it is cut into blocks, the same comes out`() {
        func noise(_ place: Double) -> Double { sin(place * 1.1) * sin(place * 0.013) }
        let (one, other) = (
            convert(frames: 3000, step: 1.01, blocks: 3, noise), convert(frames: 3000, step: 1.01, blocks: 4, noise)
        )
        // The places are sums of as many numbers, in another order.
        let worst = zip(one, other).map { abs($0.value - $1.value) }.max() ?? 1
        #expect(worst < 1e-5, "\(worst)")
    }
}
