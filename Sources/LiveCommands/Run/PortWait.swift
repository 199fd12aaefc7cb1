import AudioIO
import AudioReports
import CommandSyntax
import Foundation
import Jack
import ServerRuns
import TerminalPages
import Threads

/// The option `--wait-ports`: a run begins when the ports are there that it is to be connected to.
struct PortWait {
    static let option = Option(
        "wait-ports", optional: "TIME",
        "begin when the ports of --input and --output are there, as another program brings them; --wait-ports=TIME waits no "
            + "longer than this (no limit)")

    private let seconds: Double
    private static let paceNanoseconds: UInt64 = 100_000_000

    /// - Returns: `nil` where nothing is waited for.
    init?(_ arguments: Arguments) throws(Failure) {
        guard let word = arguments.value("wait-ports") else { return nil }
        try arguments.require(
            arguments.has("input") || arguments.has("output"),
            "--wait-ports waits for ports that --input or --output names: use it with one of them")
        seconds = try word.isEmpty ? .infinity : arguments.seconds("wait-ports", 0...1e9) ?? .infinity
    }

    /// Returns whether the ports are there; `false` where a signal has come that ends the program.
    ///
    /// - Parameter server: the private one, where there is one.
    func perform(
        for configuration: EngineConfiguration, _ options: ServerOptions, on server: Server?, _ signals: Signals
    ) throws -> Bool {
        let probe = try ServerProbe(options, on: server)
        let start = MonotonicClock.nanoseconds()
        var hasTold = false
        while true {
            do throws(UnitError) {
                _ = try configuration.partners(on: probe.client)
                return true
            } catch {
                guard case .nothingMatches = error else { throw error }
                guard !probe.client.hasShutDown else {
                    throw Failure(.noServer, "the JACK server went away; start it and run iounit again")
                }
                let now = MonotonicClock.nanoseconds()
                guard Double(now - start) / 1e9 < seconds else {
                    throw Failure(.usage, "\(error); waited \(shortest(seconds)) s for it")
                }
                if !hasTold { StandardError.complain("waiting for ports: \(error)") }
                hasTold = true
                _ = InputWait.wait(for: [signals.descriptor], untilNanoseconds: now + Self.paceNanoseconds)
            }
            for number in signals.take() {
                if Signals.ends(number) { return false }
                if number == SIGTSTP { kill(getpid(), SIGSTOP) }
            }
        }
    }
}
