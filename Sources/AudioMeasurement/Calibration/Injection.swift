import AudioFigures

/// A stall that was caused on purpose, as it was measured where it was caused. On the monotonic clock.
struct Stall: Sendable, Equatable {
    var beginNanoseconds: UInt64
    var endNanoseconds: UInt64

    var nanoseconds: UInt64 { endNanoseconds - beginNanoseconds }
}

/// A stall, and who is to be blamed for it.
struct Injection: Sendable, Equatable {
    var stall: Stall
    /// `own`, `upstream`, or `wakeup` where the server was stopped.
    var cause: Blame
}
