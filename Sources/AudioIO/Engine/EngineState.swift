/// What an engine is doing, and so what can be asked of it.
public enum EngineState: Sendable, Equatable {
    /// Made, and not started yet. It can be started or closed.
    case ready
    /// Sound goes through. It can be paused or closed.
    case running
    /// Sound goes through, and each frame is rendered and recorded, but free of the clock: another client has the server
    /// freewheel. It can be paused or closed.
    case freewheeling
    /// In the graph, silent, and nothing is recorded, because it was asked for. It can be resumed or closed.
    case paused
    /// Something from outside keeps the sound from being what it should. It can be closed; where the reason is
    /// `awaitingConsent` it can be resumed.
    case interrupted(Interruption)
    /// It has given up. It can be started again or closed.
    case failed(UnitError)
    /// For good.
    case closed
}

/// Why the sound is not what it should be. Where there are several reasons, the first of these is told.
public enum Interruption: Sendable, Equatable, CaseIterable {
    /// The server is back; the sound goes on when the engine is told to resume.
    case awaitingConsent
    /// There is no server, or it has thrown us out.
    case serverGone
    /// The engine has left the graph for a while, because the program is about to be stopped (`Engine.suspend`).
    case suspended
    /// The server is there and runs no cycle.
    case serverFrozen
}

/// Whether sound goes on by itself after the server went away and came back.
public struct ReconnectPolicy: Sendable, Equatable {
    /// Who decides that sound goes on.
    public enum Consent: String, Sendable, CaseIterable {
        /// The engine fails when the server goes away.
        case never
        /// The engine waits for the server, and then for `resume`.
        case ask
        /// The engine waits for the server, and sounds again at once.
        case automatic = "auto"
    }

    /// Who decides that sound goes on.
    public var consent: Consent
    /// How long to wait for a server in seconds; `nil` for ever.
    public var limitSeconds: Double?

    /// - Parameters:
    ///   - consent: who decides that sound goes on.
    ///   - limitSeconds: how long to wait for a server; `nil` for as long as it takes.
    public init(_ consent: Consent, limitSeconds: Double? = nil) {
        self.consent = consent
        self.limitSeconds = limitSeconds
    }
}

extension EngineState: CustomStringConvertible {
    /// In the field's word for it, as in `running` or `interrupted`.
    public var name: String {
        switch self {
        case .ready: "ready"
        case .running: "running"
        case .freewheeling: "freewheeling"
        case .paused: "paused"
        case .interrupted: "interrupted"
        case .failed: "failed"
        case .closed: "closed"
        }
    }

    public var description: String {
        switch self {
        case .interrupted(let interruption): "interrupted: \(interruption)"
        case .failed(let error): "failed: \(error)"
        case .freewheeling: "freewheeling: each frame is rendered and recorded, free of the clock"
        default: name
        }
    }
}

extension Interruption: CustomStringConvertible {
    public var description: String {
        switch self {
        case .serverGone: "the server is gone"
        case .awaitingConsent: "the server is back and the sound waits to be resumed"
        case .suspended: "the program is suspended"
        case .serverFrozen: "the server stands still"
        }
    }
}
