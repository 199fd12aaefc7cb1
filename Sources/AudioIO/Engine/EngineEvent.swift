import Threads

/// Something that happened to an engine, and when.
public struct EngineEvent: Sendable, Equatable {
    /// What can happen. Its description is a clause for people.
    public enum Kind: Sendable, Equatable {
        /// The state is another.
        case transition(from: EngineState, to: EngineState)
        /// The server is gone, or has thrown us out; why, in JACK's words, if it said so.
        case serverLost(reason: String)
        /// The server answers again.
        case serverAnswers
        /// The unit is in the graph again, on this connection.
        case rejoined(UnitConnection)
        /// The server's period is another, in frames. It was taken over while the sound went on.
        case periodChanged(frames: Int)
        /// The server's sample rate is another, in hertz. It was taken over while the sound went on.
        case sampleRateChanged(hertz: Int)
        /// A port that was connected to ours has vanished. It is connected again when it comes back.
        case connectionLost(Link)
        /// A connection that was lost is there again.
        case connectionRestored(Link)
        /// The routes lead elsewhere, because ports have come or gone: what they connect now.
        case routeChanged([Link])
        /// Something could not be done; the engine goes on without it, or tries again.
        case trouble(String)
        /// What a node or its user has to tell, in words (`Engine.note`).
        case note(String)
    }

    /// What has happened.
    public var kind: Kind
    /// On the clock that never jumps.
    public var monotonicNanoseconds: UInt64
    /// Nanoseconds since 1970, on the clock that people set.
    public var wallNanoseconds: Int64

    init(_ kind: Kind) {
        self.kind = kind
        monotonicNanoseconds = MonotonicClock.nanoseconds()
        wallNanoseconds = WallClock.nanoseconds()
    }
}

extension EngineEvent.Kind {
    var isFailure: Bool { if case .transition(_, .failed) = self { true } else { false } }
}

extension EngineEvent.Kind: CustomStringConvertible {
    /// A clause for people.
    public var description: String {
        switch self {
        case .transition(_, let state): "\(state)"
        case .serverLost(let reason):
            "the JACK server went away" + (reason.isEmpty ? "" : " (JACK says: \(reason))")
        case .serverAnswers: "the JACK server answers"
        case .rejoined(let connection):
            "in the graph again as \(connection.clientName), at \(connection.sampleRate) Hz and "
                + "\(connection.periodFrames) frames"
        case .periodChanged(let frames): "the period is now \(frames) frames"
        case .sampleRateChanged(let hertz): "the sample rate is now \(hertz) Hz"
        case .connectionLost(let link): "\(link) is gone"
        case .connectionRestored(let link): "\(link) is back"
        case .routeChanged(let links):
            "the route has changed" + (links.isEmpty ? "" : ": \(links.map(\.description).joined(separator: ", "))")
        case .trouble(let reason): reason
        case .note(let words): words
        }
    }
}
