import CommandTestSupport
import Foundation
import Synchronization
import Testing

/// One Chromium for all tests of a suite: it takes longer to start than a page to be looked at. The first test that needs it
/// starts it. Each page has a profile of its own in it, which ends with the page.
struct KeptBrowser: SuiteTrait, TestScoping {
    @TaskLocal private static var present: Keeper?

    private final class Keeper: Sendable {
        /// It runs until its standard input ends, as it does with this process too.
        private let running = Mutex<(run: CommandRun, input: Pipe)?>(nil)

        func port() throws -> Int {
            try running.withLock { running in
                if running == nil {
                    let input = Pipe()
                    let run = try CommandRun(
                        [ForeignProgram.path("browser.py"), "--keep"], program: "/usr/bin/python3",
                        input: input.fileHandleForReading)
                    running = (run, input)
                }
                let run = try #require(running).run
                try run.wait(until: "Chromium listens", within: 60) { run.out.hasSuffix("\n") }
                return try #require(Int(run.out.dropLast()))
            }
        }

        func end() throws {
            try running.withLock { running in
                guard let (run, input) = running else { return }
                try input.fileHandleForWriting.close()
                #expect(try run.end() == 0, "\(run.err)")
            }
        }
    }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let keeper = Keeper()
        try await Self.$present.withValue(keeper, operation: function)
        try keeper.end()
    }

    /// Where it listens for who opens pages in it.
    static func port() throws -> Int { try #require(present, "the suite needs the trait .keptBrowser").port() }
}

extension Trait where Self == KeptBrowser {
    static var keptBrowser: KeptBrowser { KeptBrowser() }
}
