/// How much of each channel that comes in goes to each that goes out.
///
/// Where nothing else is asked for, 1 to 8 channels are taken for the loudspeakers of `Loudspeaker.layout` and mixed by
/// ITU-R BS.775-3: what is missing of the loudspeakers counts 1/√2 on each of its neighbours, as table 2 has it, and a
/// loudspeaker that nothing comes for is silent.
///
/// | missing | goes to |
/// |---|---|
/// | left, right | centre, 1/√2 |
/// | centre | left and right, 1/√2 |
/// | left or right surround | left or right, 1/√2 |
/// | left or right back, which BS.775 does not have | the surround of its side, 1/√2; without one as a surround |
/// | centre surround | both surrounds, 1/√2; without them left and right, 1/2 |
/// | low frequencies | nowhere |
///
/// So mono comes to stereo as 1/√2 on both, stereo to 5.1 as left and right alone, and 5.1 to stereo as L + (C + Ls) / √2 and
/// R + (C + Rs) / √2. Where the factors of a channel that goes out add up to more than 1, all are made smaller by one factor,
/// such that they do not: sound within full scale stays within it. The price is its level: 4.6 dB for left and right of 3
/// channels, 7.7 dB for those of 5.1.
///
/// With more than 8 channels on a side nobody knows what they are for: channel c goes to channel c, beginning again with
/// the first where fewer go out, and each has the mean of what it gets.
public struct ChannelMatrix: Sendable, Equatable {
    /// Which rule the weights follow.
    public enum Law: String, Sendable, Encodable {
        /// Each channel stays what it is.
        case identity
        /// ITU-R BS.775-3, made smaller where needed to stay within full scale.
        case bs775 = "ITU-R BS.775"
        /// Each channel that goes out has the mean of its channels.
        case mean
        /// Given by the caller.
        case own
    }

    /// By which it was made.
    public let law: Law
    /// For each channel that goes out the factor of each that comes in.
    public let weights: [[Double]]

    /// The usual one between numbers of channels; what is below 1 counts as 1.
    public init(from inputs: Int, to outputs: Int) {
        let (inputs, outputs) = (max(1, inputs), max(1, outputs))
        if inputs == outputs {
            law = .identity
            weights = (0..<outputs).map { output in (0..<inputs).map { $0 == output ? 1 : 0 } }
        } else if let sources = Loudspeaker.layout(inputs), let targets = Loudspeaker.layout(outputs) {
            law = .bs775
            weights = Self.limited(Self.mixed(sources, to: targets))
        } else {
            law = .mean
            weights = Self.limited(
                (0..<outputs).map { output in (0..<inputs).map { $0 % outputs == output ? 1 : 0 } })
        }
    }

    /// One's own.
    ///
    /// - Parameter weights: for each channel that goes out the factors of those that come in, as many for each, within
    ///   ±1000. Nothing is limited.
    /// - Throws: `unsupportedChannels` where it is none of that.
    public init(weights: [[Double]]) throws(ConversionError) {
        let inputs = weights.first?.count ?? 0
        guard inputs > 0, weights.allSatisfy({ $0.count == inputs && $0.allSatisfy { abs($0) <= 1000 } }) else {
            throw ConversionError(
                .unsupportedChannels, "a matrix needs as many factors for each channel, all within ±1000")
        }
        law = .own
        self.weights = weights
    }

    /// How many channels go in.
    public var inputs: Int { weights[0].count }
    /// How many come out.
    public var outputs: Int { weights.count }

    /// Whether it changes nothing.
    public var isIdentity: Bool {
        inputs == outputs && weights == ChannelMatrix(from: inputs, to: outputs).weights
    }

    /// Whether all factors are whole numbers: integers then stay such.
    var isWhole: Bool { weights.allSatisfy { $0.allSatisfy { $0 == $0.rounded() } } }

    private init(_ law: Law, _ weights: [[Double]]) { (self.law, self.weights) = (law, weights) }

    /// The same, louder or softer, and by more than a factor of one's own may be. What is hardly a sound may ask for an endless
    /// gain: with that, 0 would be no number.
    func scaled(by gain: Double) -> ChannelMatrix {
        let gain = min(gain, 1e300)
        return ChannelMatrix(.own, weights.map { $0.map { $0 * gain } })
    }

    private static func mixed(_ sources: [Loudspeaker], to targets: [Loudspeaker]) -> [[Double]] {
        var weights = targets.map { _ in sources.map { _ in 0.0 } }
        for (source, loudspeaker) in sources.enumerated() {
            for (place, factor) in loudspeaker.places(among: targets) {
                guard let target = targets.firstIndex(of: place) else { continue }
                weights[target][source] += factor
            }
        }
        return weights
    }

    /// One factor for all, so that none becomes louder against another.
    private static func limited(_ rows: [[Double]]) -> [[Double]] {
        let largest = rows.map { $0.reduce(0, +) }.max() ?? 1
        return largest > 1 ? rows.map { $0.map { $0 / largest } } : rows
    }
}

extension ChannelMatrix: CustomStringConvertible {
    /// A clause for people, as `3 channels are mixed down to 2 inputs (ITU-R BS.775): in_1 = 0.59 · ch 1 + 0.41 · ch 3, …`.
    public var description: String { clause(onto: "in", "input") }

    /// The same clause.
    ///
    /// - Parameters:
    ///   - port: what the ports are called that it is mixed to, before `_1`, `_2`, ….
    ///   - word: for one of them.
    package func clause(onto port: String, _ word: String) -> String {
        let rule = law == .mean ? "the mean of those that share one" : law.rawValue
        let target = outputs == 1 ? "1 \(word)" : "\(outputs) \(word)s"
        let sums = weights.prefix(2).enumerated().map { output, row in
            let terms = row.enumerated().filter { $0.element != 0 }.map { channel, weight in
                "\(hundredths(weight)) · ch \(channel + 1)"
            }
            return "\(port)_\(output + 1) = \(terms.isEmpty ? "silence" : terms.joined(separator: " + "))"
        }
        let more = outputs > 2 ? ", …" : ""
        let verb = inputs == 1 ? "channel is" : "channels are"
        let direction = inputs > outputs ? "down " : inputs < outputs ? "up " : ""
        return "\(inputs) \(verb) mixed \(direction)to \(target) (\(rule)): \(sums.joined(separator: ", "))\(more)"
    }

    private func hundredths(_ weight: Double) -> String {
        let whole = Int((abs(weight) * 100).rounded())
        return "\(weight < 0 ? "−" : "")\(whole / 100).\(whole % 100 < 10 ? "0" : "")\(whole % 100)"
    }
}

extension ChannelMatrix {
    /// Mixes interleaved frames, in double precision, whose rounding errors are lost in the end: full scale stays full
    /// scale.
    func mix(_ frames: Int, of source: [Double], into target: inout [Double]) {
        let (inputs, outputs) = (inputs, outputs)
        precondition(source.count >= frames * inputs && target.count >= frames * outputs)
        unsafe source.withUnsafeBufferPointer { source in
            unsafe target.withUnsafeMutableBufferPointer { target in
                // SAFETY: all indices are below what the first line has checked.
                for output in 0..<outputs {
                    for frame in 0..<frames { unsafe target[frame &* outputs &+ output] = 0 }
                    for input in 0..<inputs {
                        let weight = weights[output][input]
                        guard weight != 0 else { continue }
                        for frame in 0..<frames {
                            unsafe target[frame &* outputs &+ output] += weight * source[frame &* inputs &+ input]
                        }
                    }
                }
            }
        }
    }
}
