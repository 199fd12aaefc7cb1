import AudioFiles

/// Turns decoded frames into those of a node with its own number of channels, one run for each.
///
/// One channel goes to all; more than there are come down by `ChannelMatrix`; fewer leave the last ones silent.
struct FrameMixer {
    private let channels: Int
    private let matrix: ChannelMatrix?

    init(from inputs: Int, to outputs: Int) {
        channels = outputs
        matrix = inputs > outputs ? ChannelMatrix(from: inputs, to: outputs) : nil
    }

    /// - Parameters:
    ///   - first: leaves out the frames before.
    ///   - planes: is made as long as it must be.
    func mix(_ buffer: PCMBuffer, from first: Int, count: Int, into planes: inout [[Float]]) {
        let inputs = buffer.format.channels
        let samples = Self.floats(buffer)
        for channel in 0..<channels {
            if planes[channel].count < count { planes[channel] = [Float](repeating: 0, count: count) }
            for frame in 0..<count {
                let start = (first + frame) * inputs
                if let matrix {
                    var sum = 0.0
                    for (input, weight) in matrix.weights[channel].enumerated() {
                        sum += weight * Double(samples[start + input])
                    }
                    planes[channel][frame] = Float(sum)
                } else {
                    let input = inputs == 1 ? 0 : channel
                    planes[channel][frame] = input < inputs ? samples[start + input] : 0
                }
            }
        }
    }

    /// Of any format that a stream has.
    private static func floats(_ buffer: PCMBuffer) -> [Float] {
        switch buffer.format.sampleFormat {
        case .int16: buffer.integers.map { Float($0) / 32_768 }
        case .int24: buffer.integers.map { Float($0) / 8_388_608 }
        default: buffer.samples(of: Float.self)
        }
    }
}
