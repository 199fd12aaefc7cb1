import AudioDSP
import AudioIO
import CommandSyntax
import Jack
import ServerRuns
import TerminalPages
import Threads

/// The option `--wait-ports`: a run begins when the ports are there that it is to be connected to.
package struct PortWait {
    /// - Parameter routes: the options that name the ports, as `input` and `output`.
    package static func option(for routes: [String]) -> Option {
        limit(routes).option.needs(routes, "it waits for the ports that are named there")
    }

    private static func limit(_ routes: [String] = []) -> TypedOption<Double?> {
        .optionalNumber(
            "wait-ports", .seconds, 0...1e9, initial: .infinity,
            "begin when the ports of \(routes.map { "--\($0)" }.joined(separator: " and ")) are there, which may be of a "
                + "program that starts later; --wait-ports=TIME waits no longer than this (no limit)")
    }

    private let seconds: Double
    private static let paceNanoseconds: UInt64 = 100_000_000

    /// - Returns: `nil` where nothing is waited for.
    package init?(_ arguments: Arguments) throws(Failure) {
        guard let limit = try arguments.value(of: Self.limit()) else { return nil }
        seconds = limit
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
                    throw Failure(
                        .usage, "\(error); waited \(shortest(seconds)) s for it", options: error.failure.options)
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
