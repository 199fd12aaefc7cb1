/// What a report says of the server. What JACK does not tell of a server that is not
/// ours is `null`.
public struct ServerFacts: Codable, Sendable {
    /// What clients give to join it.
    public var name: String
    /// As `dummy` or `alsa`.
    public var backend: Nullable<String>
    /// In hertz.
    public var sampleRate: Int
    /// When the report was made; of a measurement at its beginning.
    public var periodFrames: Int
    /// Whether it waits for all clients before it delivers.
    public var sync: Nullable<Bool>
    /// Whether it asked for real-time scheduling.
    public var realtime: Nullable<Bool>

    /// How long a period lasts.
    public var periodSeconds: Double { sampleRate > 0 ? Double(periodFrames) / Double(sampleRate) : 0 }

    /// - Parameter sampleRate: in hertz.
    public init(
        name: String, backend: String?, sampleRate: Int, periodFrames: Int, sync: Bool?, realtime: Bool?
    ) {
        self.name = name
        self.backend = Nullable(backend)
        self.sampleRate = sampleRate
        self.periodFrames = periodFrames
        self.sync = Nullable(sync)
        self.realtime = Nullable(realtime)
    }
}
