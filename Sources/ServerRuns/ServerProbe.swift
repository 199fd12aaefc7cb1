import AudioDSP
import AudioFigures
import AudioIO
import AudioMeasurement
import AudioReports
import CommandSyntax
import Jack

/// A client that asks the server for what must be known before anything else can be made.
///
/// A run's own client begins as this one: opening a second takes a third of the time to the first block. Where another is
/// opened, this one stays until that runs: libjack maps the server's memory for the first client and lets go of it with
/// the last, which takes its time. It is closed with the value.
package struct ServerProbe: ~Copyable {
    package let facts: ServerFacts
    package let client: Client

    /// - Parameters:
    ///   - server: the private one, where there is one.
    ///   - clientName: of the client that it is to become.
    package init(_ options: ServerOptions, on server: Server?, as clientName: String = "iounit-probe") throws {
        let name = server?.name ?? options.name
        let client: Client
        do {
            client = try Client(name: clientName, server: name)
        } catch {
            guard error.kind == .noServer, server == nil, !LibJack.isPipeWire else { throw error }
            throw Failure(.noServer, "\(error.reason), or let iounit start one of its own with --dummy")
        }
        let facts = ServerFacts(client, server: name, configuration: server?.configuration)
        // Every server has them: a client knows none once its server is gone.
        guard facts.sampleRate > 0, facts.periodFrames > 0 else {
            throw Failure.serverGone()
        }
        self.facts = facts
        self.client = client
    }

    /// Gives up the client, so that a unit can join the graph with it.
    package consuming func takeClient() -> Client { client }
}

extension ServerFacts {
    /// For the first line of a live view, in the order of their weight.
    package var title: [String] {
        [
            (backend.value.map { "\($0) " } ?? "") + shown(name), "\(sampleRate) Hz",
            "\(periodFrames) frames = \(fixed(periodSeconds * 1000, 2)) ms",
            sync.value.map { $0 ? "sync" : "async" },
        ].compactMap(\.self)
    }
}

extension Failure {
    /// - Parameters:
    ///   - reason: in JACK's words, where it said so.
    ///   - more: follows that.
    package static func serverGone(_ reason: String = "", _ more: String = "") -> Failure {
        let words = reason.isEmpty ? "" : " (JACK says: \(shown(reason)))"
        return Failure(.noServer, "the JACK server went away\(words)\(more); start it and run iounit again")
    }
}

extension JackError: EndsCommand {
    package var failure: Failure { Failure(kind == .invalidRequest ? .usage : .noServer, description) }
}

extension UnitError: EndsCommand {
    package var failure: Failure {
        switch self {
        case .jack(let error): error.failure
        // Each subcommand that connects ports has this option.
        case .nothingMatches(_, let direction, _):
            Failure(
                .usage, "\(description); --wait-ports waits until there is one",
                of: direction == .output ? "input" : "output")
        case .invalidConfiguration, .wrongState: Failure(.usage, description)
        }
    }
}

extension Release {
    /// What `iounit --version --verbose` says beside the version.
    package static func details() -> [String] {
        [
            "libjack \(LibJack.version)",
            "guard \(CancellationGuard.state.rawValue)",
            "instructions \(InstructionSet.best.name)",
        ]
    }
}
