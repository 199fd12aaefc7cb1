import Foundation
import Testing
import Threads

@testable import CommandSyntax

@Suite("Signals that nobody takes") struct SignalsTests {
    @Test func `one more ends the program, once an earlier one was left for five seconds`() async throws {
        await #expect(processExitsWith: .signal(SIGTERM)) {
            let signals = try Signals()
            defer { withExtendedLifetime(signals) {} }
            // A run is at something that takes its time.
            for _ in 0..<3 { raise(SIGINT) }
            // Here and below it is the time itself that counts, and no event.
            MonotonicClock.sleep(milliseconds: 5100)
            raise(SIGTERM)
            exit(0)
        }
    }

    @Test func `those that are taken end no program by themselves`() async throws {
        await #expect(processExitsWith: .success) {
            let signals = try Signals()
            raise(SIGINT)
            MonotonicClock.sleep(milliseconds: 5100)
            guard signals.takeEnd() else { exit(1) }
            raise(SIGINT)
            exit(signals.takeEnd() ? 0 : 1)
        }
    }
}
