/// Who was late.
public enum Blame: String, Sendable, Equatable, CaseIterable {
    /// Our own callback; a client before us; driver, server or scheduler; the records do not tell.
    case own, upstream, wakeup, unknown
}

/// Who was late how many times.
public struct BlameCount: Sendable, Equatable, Codable {
    /// Our own callback ran past its period.
    public var own: UInt64 = 0
    /// A client before us kept us waiting.
    public var upstream: UInt64 = 0
    /// The driver, the server or the scheduler woke the graph late.
    public var wakeup: UInt64 = 0
    /// Late cycles of which the records do not tell.
    public var unknown: UInt64 = 0
    /// None.
    public init() {}
}

extension BlameCount {
    package var total: UInt64 { own + upstream + wakeup + unknown }

    package mutating func count(_ blame: Blame) {
        switch blame {
        case .own: own += 1
        case .upstream: upstream += 1
        case .wakeup: wakeup += 1
        case .unknown: unknown += 1
        }
    }
}
