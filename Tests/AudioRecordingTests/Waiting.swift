import Jack
import Testing

/// Waits until something is so, and fails by name where it does not come about within 20 s.
func wait(
    for what: String, sourceLocation: SourceLocation = #_sourceLocation, _ isSo: () throws -> Bool
) throws {
    let deadline = MonotonicClock.nanoseconds() + 20_000_000_000
    while try !isSo() {
        try #require(
            MonotonicClock.nanoseconds() < deadline, "did not happen: \(what)", sourceLocation: sourceLocation)
        MonotonicClock.sleep(milliseconds: 1)
    }
}
