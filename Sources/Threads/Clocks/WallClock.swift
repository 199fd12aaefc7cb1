import Glibc

/// The time of day, for people and for other programs' logs. It may jump: nothing is measured with it.
public enum WallClock {
    /// Nanoseconds since 1970 in UTC. Thread: any but audio.
    public static func nanoseconds() -> Int64 {
        var now = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    }

    /// Nanoseconds since 1970 in UTC of a moment on the monotonic clock, as the wall clock has it now.
    public static func nanoseconds(ofMonotonic nanoseconds: UInt64) -> Int64 {
        let age = Int64(bitPattern: MonotonicClock.nanoseconds() &- nanoseconds)
        return self.nanoseconds() &- age
    }

    /// The time of day of a moment on the monotonic clock, as the wall clock shows it now.
    public static func text(ofMonotonic nanoseconds: UInt64) -> String {
        text(self.nanoseconds(ofMonotonic: nanoseconds))
    }

    /// In the form of ISO 8601, in UTC, as in `2026-11-21T15:04:05.123456Z`.
    public static func text(_ nanoseconds: Int64) -> String {
        // Before 1970 too, the parts of a second count from its beginning.
        let part = (nanoseconds % 1_000_000_000 + 1_000_000_000) % 1_000_000_000
        var seconds = time_t(nanoseconds / 1_000_000_000 - (nanoseconds < 0 && part > 0 ? 1 : 0))
        var parts = unsafe tm()
        unsafe gmtime_r(&seconds, &parts)
        let text = unsafe String(unsafeUninitializedCapacity: 64) { text in
            unsafe text.withMemoryRebound(to: CChar.self) { text in
                // SAFETY: it writes no more than the buffer's size, and tells how much.
                unsafe text.baseAddress.map { unsafe strftime($0, text.count, "%Y-%m-%dT%H:%M:%S", &parts) } ?? 0
            }
        }
        return text + "." + String(1_000_000 + part / 1000).dropFirst() + "Z"
    }
}
