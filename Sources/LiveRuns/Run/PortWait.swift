import AudioDSP
import AudioIO
import CommandSyntax
import Jack
import ServerRuns
import TerminalPages
import Threads

/// The option `--wait-ports`: a run begins when the ports are there that it is to be connected to.
package struct PortWait {
    package static var option: Option { time.option }

    private static let time = TypedOption<Double?>(
        Option(
            "wait-ports", optional: "TIME",
            "begin when the ports of --input and --output are there, which may be of a program that starts later; "
                + "--wait-ports=TIME waits no longer than this (no limit)"
        )
        .needs(["input", "output"], "it waits for the ports that they name")
    ) { arguments throws(Failure) in
        guard let word = arguments.value("wait-ports") else { return nil }
        return try word.isEmpty ? .infinity : arguments.number("wait-ports", .seconds, 0...1e9)
    }

    private let seconds: Double
    private static let paceNanoseconds: UInt64 = 100_000_000

    /// - Returns: `nil` where nothing is waited for.
    package init?(_ arguments: Arguments) throws(Failure) {
        guard let seconds = try arguments.value(of: Self.time) else { return nil }
        self.seconds = seconds
    }

    /// Who is answered while a run waits: by a call when something comes to the descriptor, and ten times a second, with what is
    /// waited for.
    package typealias Caller = (descriptor: CInt, serve: (_ notice: String) throws -> Void)

    /// Returns whether the ports are there; `false` where a signal has come that ends the program.
    ///
    /// - Parameter server: the private one, where there is one.
    func perform(
        for configuration: EngineConfiguration, _ options: ServerOptions, on server: Server?, _ signals: Signals,
        answering caller: Caller?
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
                    throw Failure.serverGone()
                }
                let now = MonotonicClock.nanoseconds()
                guard Double(now - start) / 1e9 < seconds else {
                    throw Failure(.usage, "\(error); waited \(shortest(seconds)) s for it")
                }
                let notice = "waiting for ports: \(error)"
                if !hasTold { StandardError.complain(notice) }
                hasTold = true
                try caller?.serve(notice)
                let descriptors = [signals.descriptor] + (caller.map { [$0.descriptor] } ?? [])
                _ = InputWait.wait(for: descriptors, untilNanoseconds: now + Self.paceNanoseconds)
            }
            if signals.takeEnd() { return false }
        }
    }
}
