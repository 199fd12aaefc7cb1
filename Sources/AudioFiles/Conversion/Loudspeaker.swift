/// What a channel is for.
public enum Loudspeaker: String, Sendable, CaseIterable {
    /// As ITU-R BS.775 places them.
    case left, right, centre, lowFrequencies, leftSurround, rightSurround, leftBack, rightBack, centreSurround

    /// The loudspeakers of 1 to 8 channels in their order, that of FLAC (RFC 9639, 9.1.3) and of WAV's channel mask;
    /// `nil` for any other number.
    ///
    /// | channels | order |
    /// |---|---|
    /// | 1 | centre |
    /// | 2 | left, right |
    /// | 3 | left, right, centre |
    /// | 4 | left, right, left surround, right surround |
    /// | 5 | left, right, centre, left surround, right surround |
    /// | 6 | left, right, centre, low frequencies, left surround, right surround (5.1) |
    /// | 7 | left, right, centre, low frequencies, centre surround, left surround, right surround (6.1) |
    /// | 8 | left, right, centre, low frequencies, left back, right back, left surround, right surround (7.1) |
    public static func layout(_ channels: Int) -> [Loudspeaker]? {
        switch channels {
        case 1: [.centre]
        case 2: [.left, .right]
        case 3: [.left, .right, .centre]
        case 4: [.left, .right, .leftSurround, .rightSurround]
        case 5: [.left, .right, .centre, .leftSurround, .rightSurround]
        case 6: [.left, .right, .centre, .lowFrequencies, .leftSurround, .rightSurround]
        case 7: [.left, .right, .centre, .lowFrequencies, .centreSurround, .leftSurround, .rightSurround]
        case 8: [.left, .right, .centre, .lowFrequencies, .leftBack, .rightBack, .leftSurround, .rightSurround]
        default: nil
        }
    }

    /// Where each channel of `layout` is in the order of Vorbis (Vorbis I, 4.3.9), which Opus has too (RFC 7845, 5.1.1.2); `nil` where
    /// both orders are the same.
    package static func vorbisPlaces(_ channels: Int) -> [Int]? {
        switch channels {
        case 3: [0, 2, 1]
        case 5: [0, 2, 1, 3, 4]
        case 6: [0, 2, 1, 5, 3, 4]
        case 7: [0, 2, 1, 6, 5, 3, 4]
        case 8: [0, 2, 1, 7, 5, 6, 3, 4]
        default: nil
        }
    }

    /// Where its sound goes among what there is, and how much of it. See `ChannelMatrix`.
    func places(among targets: [Loudspeaker]) -> [(Loudspeaker, Double)] {
        if targets.contains(self) { return [(self, 1)] }
        let half = 0.5.squareRoot()
        /// What stands for it, and may be missing too.
        func through(_ neighbour: Loudspeaker) -> [(Loudspeaker, Double)] {
            neighbour.places(among: targets).map { ($0.0, $0.1 * half) }
        }
        switch self {
        case .left, .right: return [(.centre, half)]
        case .centre: return [(.left, half), (.right, half)]
        case .lowFrequencies: return []
        case .leftSurround: return through(.left)
        case .rightSurround: return through(.right)
        case .leftBack: return targets.contains(.leftSurround) ? through(.leftSurround) : through(.left)
        case .rightBack: return targets.contains(.rightSurround) ? through(.rightSurround) : through(.right)
        case .centreSurround: return through(.leftSurround) + through(.rightSurround)
        }
    }
}
