/// What a report says of the server. What JACK does not tell of a server that is not
/// ours is `null`.
public struct ServerFacts: Codable, Sendable {
    public var name: String
    public var backend: Nullable<String>
    public var sampleRate: Int
    public var periodFrames: Int
    public var sync: Nullable<Bool>
    public var realtime: Nullable<Bool>

    /// How long a period lasts.
    public var periodSeconds: Double { sampleRate > 0 ? Double(periodFrames) / Double(sampleRate) : 0 }

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
