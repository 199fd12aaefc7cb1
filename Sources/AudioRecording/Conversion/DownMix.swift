/// How a source with more channels than there are inputs is heard on them.
///
/// Two inputs take 3 to 6 channels by ITU-R BS.775-3, table 2: the centre and each surround count 1/√2, what belongs to
/// neither side counts on both, and low frequencies are left out. The channels are taken for loudspeakers as the loudness
/// meter does: left, right, centre; left, right and two surrounds; left, right, centre and two surrounds; left, right,
/// centre, low frequencies and two surrounds. One input takes the mean of what two would get. Of any other number of
/// channels nobody knows what they are for: channel c is added to input c, beginning again with the first input.
///
/// All weights are then made smaller by one factor, such that those of an input add up to 1 at the most: sound that does not
/// exceed full scale does not exceed it mixed, whatever it is. The price is its level: 4.6 dB for left and right of 3
/// channels, 7.7 dB for those of 5.1.
public struct DownMix: Sendable, Equatable {
    /// Which rule the weights follow.
    public enum Law: String, Sendable, Encodable {
        /// ITU-R BS.775-3, made smaller to stay within full scale.
        case bs775 = "ITU-R BS.775"
        /// Each input has the mean of its channels.
        case mean
    }

    public let law: Law
    /// For each input the factor of each channel, 0…1.
    public let weights: [[Double]]

    /// - Parameters:
    ///   - channels: of the source, 1 or more.
    ///   - inputs: how many are to be fed, 1 or more.
    /// - Returns: `nil` where each channel has an input of its own.
    public init?(channels: Int, inputs: Int) {
        guard channels > inputs, inputs >= 1 else { return nil }
        if let stereo = Self.stereo[channels], inputs <= 2 {
            law = .bs775
            let rows = inputs == 2 ? stereo : [zip(stereo[0], stereo[1]).map { ($0 + $1) / 2 }]
            weights = Self.normalised(rows)
        } else {
            law = .mean
            weights = Self.normalised(
                (0..<inputs).map { input in (0..<channels).map { $0 % inputs == input ? 1 : 0 } })
        }
    }

    private static let stereo: [Int: [[Double]]] = {
        let half = 0.5.squareRoot()
        return [
            3: [[1, 0, half], [0, 1, half]],
            4: [[1, 0, half, 0], [0, 1, 0, half]],
            5: [[1, 0, half, half, 0], [0, 1, half, 0, half]],
            6: [[1, 0, half, 0, half, 0], [0, 1, half, 0, 0, half]],
        ]
    }()

    /// One factor for all inputs, so that none becomes louder against another.
    private static func normalised(_ rows: [[Double]]) -> [[Double]] {
        let largest = rows.map { $0.reduce(0, +) }.max() ?? 1
        return rows.map { $0.map { $0 / largest } }
    }

    /// Mixes frames.
    ///
    /// - Parameters:
    ///   - block: so many frames, interleaved, of the source's channels.
    ///   - target: has room for as many frames of the inputs.
    func mix(_ frames: Int, of block: [Float], into target: inout [Float]) {
        let inputs = weights.count
        let channels = weights[0].count
        for frame in 0..<frames {
            for input in 0..<inputs {
                // In double precision, whose rounding errors are lost in the end: full scale stays full scale.
                var sum = 0.0
                for channel in 0..<channels {
                    sum += weights[input][channel] * Double(block[frame * channels + channel])
                }
                target[frame * inputs + input] = Float(sum)
            }
        }
    }
}

extension DownMix: CustomStringConvertible {
    /// A clause for people, as `3 channels are mixed down to 2 inputs (ITU-R BS.775): in_1 = 0.59 · ch 1 + 0.41 · ch 3, …`.
    public var description: String {
        let channels = weights[0].count
        let rule = law == .bs775 ? law.rawValue : "the mean of those that share one"
        let target = weights.count == 1 ? "1 input" : "\(weights.count) inputs"
        let sums = weights.prefix(2).enumerated().map { input, row in
            let terms = row.enumerated().filter { $0.element > 0 }.map { channel, weight in
                "\(hundredths(weight)) · ch \(channel + 1)"
            }
            return "in_\(input + 1) = \(terms.joined(separator: " + "))"
        }
        let more = weights.count > 2 ? ", …" : ""
        return "\(channels) channels are mixed down to \(target) (\(rule)): \(sums.joined(separator: ", "))\(more)"
    }

    private func hundredths(_ weight: Double) -> String {
        let whole = Int((weight * 100).rounded())
        return "\(whole / 100).\(whole % 100 < 10 ? "0" : "")\(whole % 100)"
    }
}

/// A signal of more channels than there are inputs, mixed down to as many.
struct MixedSignal: Signal {
    private var signal: any Signal
    private let mix: DownMix
    private var block: [Float] = []

    init(_ signal: sending any Signal, _ mix: DownMix) {
        self.signal = signal
        self.mix = mix
    }

    var channels: Int { mix.weights.count }

    mutating func read(_ frames: Int, into target: inout [Float]) throws(RecordingError) -> Int {
        if block.count < frames * signal.channels { block = [Float](repeating: 0, count: frames * signal.channels) }
        let count = try signal.read(frames, into: &block)
        mix.mix(count, of: block, into: &target)
        return count
    }
}
