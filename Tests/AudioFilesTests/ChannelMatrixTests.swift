import TestSupport
import Testing

@testable import AudioFiles

@Suite("Channels to channels") struct ChannelMatrixTests {
    private func rounded(_ mix: ChannelMatrix) -> [[Int]] {
        mix.weights.map { $0.map { Int(($0 * 10_000).rounded()) } }
    }

    @Test func `stay what they are where their number does`() {
        for channels in 1...70 {
            let mix = ChannelMatrix(from: channels, to: channels)
            #expect(mix.isIdentity && mix.law == .identity && mix.inputs == channels && mix.outputs == channels)
        }
        #expect(!ChannelMatrix(from: 2, to: 1).isIdentity && !ChannelMatrix(from: 1, to: 2).isIdentity)
    }

    @Test func `come down to stereo as BS.775 has it, and stay within full scale`() {
        // 1 / (1 + 1/√2) and 1 / (1 + 2/√2), and 1/√2 of these.
        let (front, rear, first, other) = (5858, 4142, 4142, 2929)
        #expect(rounded(ChannelMatrix(from: 3, to: 2)) == [[front, 0, rear], [0, front, rear]])
        #expect(rounded(ChannelMatrix(from: 4, to: 2)) == [[front, 0, rear, 0], [0, front, 0, rear]])
        #expect(rounded(ChannelMatrix(from: 5, to: 2)) == [[first, 0, other, other, 0], [0, first, other, 0, other]])
        #expect(
            rounded(ChannelMatrix(from: 6, to: 2)) == [
                [first, 0, other, 0, other, 0], [0, first, other, 0, 0, other],
            ])
        // A centre surround has half in both; back and side surrounds count alike.
        let third = 1 / (1 + 2 * 0.5.squareRoot() + 0.5)
        let (whole, part, half) = (
            Int((third * 1e4).rounded()), Int((third * 7071.07).rounded()), Int((third * 5e3).rounded())
        )
        #expect(
            rounded(ChannelMatrix(from: 7, to: 2)) == [
                [whole, 0, part, 0, half, part, 0], [0, whole, part, 0, half, 0, part],
            ])
        #expect(
            rounded(ChannelMatrix(from: 8, to: 2)) == [
                [3204, 0, 2265, 0, 2265, 0, 2265, 0], [0, 3204, 2265, 0, 0, 2265, 0, 2265],
            ])
        #expect((1...8).allSatisfy { ChannelMatrix(from: $0, to: 2).law == ($0 == 2 ? .identity : .bs775) })
    }

    @Test func `come down to mono as BS.775 has it, the mean of what stereo would be`() {
        #expect(rounded(ChannelMatrix(from: 2, to: 1)) == [[5000, 5000]])
        #expect(rounded(ChannelMatrix(from: 3, to: 1)) == [[2929, 2929, 4142]])
        #expect(rounded(ChannelMatrix(from: 6, to: 1)) == [[2071, 2071, 2929, 0, 1464, 1464]])
        for channels in 3...8 {
            let stereo = ChannelMatrix(from: channels, to: 2).weights
            let sums = zip(stereo[0], stereo[1]).map { $0 + $1 }
            let total = sums.reduce(0, +)
            for (weight, sum) in zip(ChannelMatrix(from: channels, to: 1).weights[0], sums) {
                #expect(abs(weight - sum / total) < 1e-12)
            }
        }
    }

    @Test func `come down to the loudspeakers that there are`() {
        // Table 2 of BS.775-3, 3/2 to 3/0 and to 2/2, without its level; and 7.1 to 5.1.
        #expect(
            rounded(ChannelMatrix(from: 5, to: 3)) == [
                [5858, 0, 0, 4142, 0], [0, 5858, 0, 0, 4142], [0, 0, 5858, 0, 0],
            ])
        #expect(
            rounded(ChannelMatrix(from: 5, to: 4)) == [
                [5858, 0, 4142, 0, 0], [0, 5858, 4142, 0, 0], [0, 0, 0, 5858, 0], [0, 0, 0, 0, 5858],
            ])
        #expect(rounded(ChannelMatrix(from: 4, to: 3)) == [[5858, 0, 4142, 0], [0, 5858, 0, 4142], [0, 0, 0, 0]])
        let surround = ChannelMatrix(from: 8, to: 6)
        #expect(rounded(surround)[4] == [0, 0, 0, 0, 4142, 0, 5858, 0])
        #expect(rounded(surround)[3] == [0, 0, 0, 5858, 0, 0, 0, 0])
    }

    @Test func `go up to the loudspeakers that they are for, and all others are silent`() {
        #expect(rounded(ChannelMatrix(from: 1, to: 2)) == [[7071], [7071]])
        #expect(rounded(ChannelMatrix(from: 1, to: 3)) == [[0], [0], [10_000]])
        #expect(rounded(ChannelMatrix(from: 1, to: 4)) == [[7071], [7071], [0], [0]])
        #expect(rounded(ChannelMatrix(from: 1, to: 6)) == [[0], [0], [10_000], [0], [0], [0]])
        #expect(
            rounded(ChannelMatrix(from: 2, to: 6)) == [[10_000, 0], [0, 10_000], [0, 0], [0, 0], [0, 0], [0, 0]])
        // The surrounds of four channels are the fifth and sixth of 5.1.
        #expect(rounded(ChannelMatrix(from: 4, to: 6))[4...5] == [[0, 0, 10_000, 0], [0, 0, 0, 10_000]])
        #expect(rounded(ChannelMatrix(from: 7, to: 8)).map { $0[4] } == [0, 0, 0, 0, 0, 0, 4142, 4142])
    }

    @Test func `that nobody knows have the mean on each, none louder than another`() {
        #expect(rounded(ChannelMatrix(from: 9, to: 1)) == [[Int](repeating: 1111, count: 9)])
        #expect(
            rounded(ChannelMatrix(from: 10, to: 9)).map { $0.filter { $0 != 0 } }
                == [[5000, 5000]] + [[Int]](repeating: [5000], count: 8))
        #expect(
            rounded(ChannelMatrix(from: 2, to: 9)).map { $0.reduce(0, +) } == [10_000, 10_000, 0, 0, 0, 0, 0, 0, 0])
        #expect(ChannelMatrix(from: 9, to: 2).law == .mean)
    }

    @Test func `never exceed full scale, whatever they do`() {
        for inputs in 1...64 {
            for outputs in 1...12 {
                let mix = ChannelMatrix(from: inputs, to: outputs)
                let sums = mix.weights.map { $0.reduce(0, +) }
                #expect(sums.allSatisfy { $0 <= 1 + 1e-12 } && mix.weights.allSatisfy { $0.allSatisfy { $0 >= 0 } })
                if inputs > outputs { #expect(sums.contains { $0 > 1 - 1e-12 }) }
                #expect(mix.outputs == outputs && mix.weights.allSatisfy { $0.count == inputs })
            }
        }
    }

    @Test func `are mixed as one's own matrix has it`() throws {
        let own = try ChannelMatrix(weights: [[0.5, -1, 0], [0, 0, 2]])
        let conversion = Conversion(48_000, 48_000, channels: 3, to: 2, .init(matrix: own))
        #expect(try conversion([1, 0.25, 3, -1, 0, -0.5]) == [0.25, 6, -0.5, -1])
        for weights in [[], [[]], [[1], [1, 2]], [[.nan]], [[1001]]] as [[[Double]]] {
            #expect(throws: ConversionError.self) { try ChannelMatrix(weights: weights) }
        }
    }

    @Test func `become louder by more than a factor of one's own may be`() throws {
        let swapped = try ChannelMatrix(weights: [[0, 1], [1, 0]])
        #expect(swapped.scaled(by: 1e6).weights == [[0, 1e6], [1e6, 0]])
        #expect(swapped.scaled(by: .infinity).weights[0][0] == 0)
    }

    @Test func `are described in words`() throws {
        #expect(
            ChannelMatrix(from: 3, to: 2).description
                == "3 channels are mixed down to 2 inputs (ITU-R BS.775): in_1 = 0.59 · ch 1 + 0.41 · ch 3, "
                + "in_2 = 0.59 · ch 2 + 0.41 · ch 3")
        #expect(
            ChannelMatrix(from: 2, to: 1).description
                == "2 channels are mixed down to 1 input (ITU-R BS.775): in_1 = 0.50 · ch 1 + 0.50 · ch 2")
        #expect(
            ChannelMatrix(from: 9, to: 8).description.hasPrefix(
                "9 channels are mixed down to 8 inputs (the mean of those that share one): in_1 = 0.50 · ch 1 + "))
        #expect(
            try ChannelMatrix(weights: [[-0.5, 0], [0, 0]]).description
                == "2 channels are mixed to 2 inputs (own): in_1 = −0.50 · ch 1, in_2 = silence")
    }
}
