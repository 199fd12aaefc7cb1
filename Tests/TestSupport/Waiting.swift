import Glibc
import Threads

/// How many times longer all waits and deadlines of tests are: `DEADLINE_FACTOR` of the environment, for a slow machine.
public let deadlineFactor = getenv("DEADLINE_FACTOR").flatMap { Double(String(cString: $0)) } ?? 1

/// What a test waited for and did not get.
public struct DidNotHappen: Error, CustomStringConvertible {
    public let description: String

    public init(description: String) { self.description = description }
}

/// Waits until a state has come about; the deadline is generous, because a busy machine is late and not wrong.
public func eventually(
    _ what: String, within seconds: UInt64 = 20, _ hasHappened: () throws -> Bool
) async throws {
    let seconds = UInt64(Double(seconds) * deadlineFactor)
    let deadline = MonotonicClock.nanoseconds() + seconds * 1_000_000_000
    while try !hasHappened() {
        guard MonotonicClock.nanoseconds() < deadline else {
            throw DidNotHappen(description: "within \(seconds) s this did not happen: \(what)")
        }
        try await Task.sleep(for: .milliseconds(2))
    }
}

/// The same for a test that holds its thread.
public func waitUntil(
    _ what: String, within seconds: UInt64 = 20, _ hasHappened: () throws -> Bool
) throws {
    let seconds = UInt64(Double(seconds) * deadlineFactor)
    let deadline = MonotonicClock.nanoseconds() + seconds * 1_000_000_000
    while try !hasHappened() {
        guard MonotonicClock.nanoseconds() < deadline else {
            throw DidNotHappen(description: "within \(seconds) s this did not happen: \(what)")
        }
        MonotonicClock.sleep(milliseconds: 1)
    }
}
