import Glibc
import Jack
import SystemHealth

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

    /// - Parameter configuration: of the server, where it is a private one.
    public init(_ client: borrowing Client, server: String?, configuration: ServerConfiguration? = nil) {
        let fallback = unsafe getenv("JACK_DEFAULT_SERVER").map { unsafe String(cString: $0) }
        name = server ?? fallback ?? "default"
        backend = Nullable(configuration == nil ? nil : "dummy")
        sampleRate = client.sampleRate
        periodFrames = client.periodFrames
        sync = Nullable(configuration?.isSync)
        realtime = Nullable(client.isRealtime)
    }

    /// For tests, and whoever knows.
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
