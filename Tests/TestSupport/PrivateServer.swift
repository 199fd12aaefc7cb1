import Jack
import Testing

/// A server for one suite or test, and its turn at libjack.
///
/// libjack knows one server per process, and all test targets run in one process: so tests that open clients take
/// turns, suite by suite, whatever target they are in.
///
///     @Suite(.serialized, .privateServer()) struct ThePortsOfAClient {
///         @Test func areNamedAfterIt() throws { let client = try Client(name: "a", server: PrivateServer.name) … }
///     }
public struct PrivateServer: TestTrait, SuiteTrait, TestScoping {
    @TaskLocal private static var present: Server?

    /// The server of the running test.
    public static var current: Server {
        guard let present else { preconditionFailure("the test or its suite needs the trait .privateServer()") }
        return present
    }

    public static var name: String { current.name }

    let configuration: ServerConfiguration?

    /// Once around a suite, not around each of its tests.
    public var isRecursive: Bool { false }

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await Turn.atLibjack.take {
            guard let configuration else { return try await function() }
            let server = try Server(configuration)
            defer { server.stop() }
            try await Self.$present.withValue(server, operation: function)
        }
    }
}

extension Trait where Self == PrivateServer {
    /// A server of the suite's own, and its turn at libjack.
    public static func privateServer(
        _ configuration: ServerConfiguration = ServerConfiguration()
    ) -> PrivateServer { PrivateServer(configuration: configuration) }

    /// The turn alone, for tests that start servers themselves.
    public static var ownServers: PrivateServer { PrivateServer(configuration: nil) }
}
