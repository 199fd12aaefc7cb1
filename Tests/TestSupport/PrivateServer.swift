import Jack
import Testing

/// A server for one suite or test, its turn at libjack, and a deadline for each test.
///
/// libjack knows one server per process, and all test targets run in one process: so tests that open clients take
/// turns, suite by suite, whatever target they are in. A test that is past its deadline ends the process, because a
/// call into libjack that hangs cannot be ended otherwise.
///
///     @Suite(.serialized, .privateServer()) struct ThePortsOfAClient {
///         @Test func areNamedAfterIt() throws { let client = try Client(name: "a", server: PrivateServer.name) … }
///     }
public struct PrivateServer: TestTrait, SuiteTrait, TestScoping {
    /// Tells the traits of nested suites and tests, which are copies, from those of others.
    private final class Identity: Sendable {}

    @TaskLocal private static var present: Server?
    @TaskLocal private static var enclosing: Identity?

    /// Ten times as long as the longest test takes on a machine of two busy cores.
    public static let deadlineSeconds = 120.0

    /// The server of the running test.
    public static var current: Server {
        guard let present else { preconditionFailure("the test or its suite needs the trait .privateServer()") }
        return present
    }

    public static var name: String { current.name }

    private let configuration: ServerConfiguration?
    private let deadlineSeconds: Double
    private let identity = Identity()

    fileprivate init(_ configuration: ServerConfiguration?, deadlineSeconds: Double) {
        self.configuration = configuration
        self.deadlineSeconds = deadlineSeconds
    }

    /// The server is started once, around the outermost suite or test; the deadline is each test's.
    public var isRecursive: Bool { true }

    public func scopeProvider(for test: Test, testCase: Test.Case?) -> PrivateServer? {
        test.isSuite || testCase != nil ? self : nil
    }

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        @Sendable func perform() async throws {
            guard testCase != nil else { return try await function() }
            let title = "\"\(test.displayName ?? test.name)\" at \(test.sourceLocation)"
            try await Watchdog.shared.watch(title, seconds: deadlineSeconds, function)
        }
        if Self.enclosing === identity { return try await perform() }
        try await Turn.atLibjack.take {
            try await Self.$enclosing.withValue(identity) {
                guard let configuration else { return try await perform() }
                let server = try Server(configuration)
                defer { server.stop() }
                try await Self.$present.withValue(server, operation: perform)
            }
        }
    }
}

extension Trait where Self == PrivateServer {
    /// A server of the suite's own, its turn at libjack, and a deadline for each test in seconds.
    public static func privateServer(
        _ configuration: ServerConfiguration = ServerConfiguration(),
        deadlineSeconds: Double = PrivateServer.deadlineSeconds
    ) -> PrivateServer { PrivateServer(configuration, deadlineSeconds: deadlineSeconds) }

    /// The turn and the deadline alone, for tests that start servers themselves.
    public static var ownServers: PrivateServer { ownServers(deadlineSeconds: PrivateServer.deadlineSeconds) }

    /// The same with another deadline for each test, in seconds.
    public static func ownServers(deadlineSeconds: Double) -> PrivateServer {
        PrivateServer(nil, deadlineSeconds: deadlineSeconds)
    }
}
