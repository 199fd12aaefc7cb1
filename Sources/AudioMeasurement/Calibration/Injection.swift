import AudioFigures

/// A stall that was caused on purpose, as it was measured where it was caused. On the monotonic clock.
package struct Stall: Sendable, Equatable {
    package var beginNanoseconds: UInt64
    package var endNanoseconds: UInt64

    package init(beginNanoseconds: UInt64, endNanoseconds: UInt64) {
        self.beginNanoseconds = beginNanoseconds
        self.endNanoseconds = endNanoseconds
    }

    package var nanoseconds: UInt64 { endNanoseconds - beginNanoseconds }
}

/// A stall, and who is to be blamed for it.
package struct Injection: Sendable, Equatable {
    package var stall: Stall
    /// `own`, `upstream`, or `wakeup` where the server was stopped.
    package var cause: Blame

    package init(stall: Stall, cause: Blame) {
        self.stall = stall
        self.cause = cause
    }
}
