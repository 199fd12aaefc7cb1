/// What a `PageServer` does, for whom, and how much of it.
public struct PageConfiguration: Sendable {
    /// Where it listens. Beyond loopback only with a token.
    public var address: PageAddress
    /// What listeners have to know: beyond loopback all of them, and those that control anything everywhere.
    public var token: AccessToken?
    /// Whether a listener with the token may change anything.
    public var hasControls = false
    /// Paths of a certificate (PEM, with its chain) and its key, for `https` and `wss`; `nil` for plain connections.
    public var certificate: (certificatePath: String, keyPath: String)?
    /// Length of the packets of Opus and PCM, in milliseconds: 2.5, 5, 10, 20, 40 or 60.
    public var packetMilliseconds = 10.0
    /// Of Opus, in bits per second for all channels; `nil` leaves it to libopus.
    public var bitRate: Int?
    /// The maximum number of listeners; a further one gets 503 with Retry-After. `nil`: `usualListeners`, or fewer if the limit
    /// of open files is too low for that.
    public var listeners: Int?
    /// How much may wait for a listener that does not read, in seconds: older packets are lost to it. Beyond an hour it counts as
    /// that; 8 packets may always wait.
    public var queueSeconds = 1.0

    /// How many may listen where nothing is said.
    public static let usualListeners = 400

    /// Defaults at an address.
    public init(_ address: PageAddress = PageAddress()) { self.address = address }

    /// Whether all listeners need the token.
    public var isPrivate: Bool { !address.isLoopback }

    /// How packets of a codec are encoded.
    func settings(_ codec: Codec) -> CodecSettings {
        var settings = CodecSettings(codec)
        settings.sampleRate = codec.page?.sampleRate
        settings.frameMilliseconds = codec.choices.contains(.shortPackets) ? packetMilliseconds : nil
        if codec.choices.contains(.bitRate) { settings.bitRate = bitRate }
        return settings
    }
}
