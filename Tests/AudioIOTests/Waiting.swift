import Jack
import Testing

/// Something that a test waited for and that did not come about.
struct DidNotHappen: Error, CustomStringConvertible {
    let what: String
    var description: String { "within 20 s this did not happen: \(what)" }
}

/// Waits until a state is reached, and fails by saying which one was not.
func waitUntil(_ what: String, _ condition: () throws -> Bool) throws {
    let deadline = MonotonicClock.nanoseconds() + 20_000_000_000
    while try !condition() {
        guard MonotonicClock.nanoseconds() < deadline else { throw DidNotHappen(what: what) }
        MonotonicClock.sleep(milliseconds: 1)
    }
}

/// The tests that need a server, one after the other: JACK has room for eight servers on a machine.
@Suite("On a server", .serialized) enum OnServer {}
