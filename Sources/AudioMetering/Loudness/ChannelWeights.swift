import CEbur128

/// Which loudspeaker each channel is for, and so how much it counts (ITU-R BS.1770-4, table 3).
enum ChannelWeights {
    /// Of libebur128's kinds, one for each channel.
    ///
    /// 1: one channel that counts once, so that it is 3 LU quieter than if both loudspeakers played it. 2: left, right.
    /// 3: left, right, centre. 4: left, right and the surrounds. 5: with centre. 6: left, right, centre, low
    /// frequencies, surrounds. A surround counts 1.5 dB more, low frequencies do not count. JACK does not tell what
    /// more channels are for: each of those counts once.
    static func kinds(channels: Int) -> [channel] {
        switch channels {
        case ...3: Array([EBUR128_LEFT, EBUR128_RIGHT, EBUR128_CENTER].prefix(channels))
        case 4: [EBUR128_LEFT, EBUR128_RIGHT] + surrounds
        case 5: [EBUR128_LEFT, EBUR128_RIGHT, EBUR128_CENTER] + surrounds
        case 6: [EBUR128_LEFT, EBUR128_RIGHT, EBUR128_CENTER, EBUR128_UNUSED] + surrounds
        default: [channel](repeating: EBUR128_CENTER, count: channels)
        }
    }

    private static let surrounds = [EBUR128_LEFT_SURROUND, EBUR128_RIGHT_SURROUND]
}
