import AudioFigures
import AudioMeasurement
import AudioReports
import CommandSyntax
import Jack

/// What `iounit jitter --calibrate` does: stalls of known length, caused on private servers, and what the instruments
/// make of them.
struct CalibrateRun {
    /// How the servers run; the mode is of no account.
    private let configuration: ServerConfiguration
    /// Sync mode, async mode, or both, in this order.
    private let modes: [Bool]

    /// - Parameter server: the one that was described; `nil` for none.
    init(_ server: ServerConfiguration?) {
        configuration = server ?? ServerConfiguration()
        modes = server.map { [$0.isSync] } ?? [true, false]
    }

    /// About five seconds for each mode. Each paragraph of the result is printed once it is known: what is done, a table for each
    /// mode, the verdict.
    ///
    /// - Returns: `outsideLimits` where not all was found as it must be, `interrupted` where something was left out.
    func run() throws -> ExitCode {
        let signals = try Signals()
        var isInterrupted = false
        func isWanted() -> Bool {
            isInterrupted = isInterrupted || signals.take().contains(where: Signals.ends)
            return !isInterrupted
        }
        try StandardOutput.print(CalibrateTable.introduction)
        var passes = true
        for isSync in modes where isWanted() {
            var configuration = configuration
            configuration.isSync = isSync
            let calibration = try Calibration(on: configuration, stalls: stalls, while: isWanted)
            let table = CalibrateTable(calibration: calibration, mode: isSync ? "sync" : "async")
            try StandardOutput.print("\n" + table.text)
            passes = passes && calibration.passes
        }
        let isComplete = isWanted()
        try StandardOutput.print("\n" + Self.verdict(passes: passes, isComplete: isComplete))
        signals.release()
        return isComplete ? passes ? .done : .outsideLimits : .interrupted
    }

    private static func verdict(passes: Bool, isComplete: Bool) -> String {
        guard isComplete else { return "The calibration was interrupted: what is above says little." }
        return passes
            ? "The calibration passed: on this machine the figures can be trusted with stalls."
            : "The calibration FAILED: what was found is not what was caused. Run it again while the machine is quiet; "
                + "if it fails again, do not trust the figures of this machine."
    }

    /// Of each of the three kinds. Long periods need long stalls, and long pauses between them.
    private var stalls: Int {
        let period = Double(configuration.periodFrames) / Double(configuration.sampleRate)
        return max(4, min(20, Int(0.025 / period)))
    }
}

/// A calibration for people: what was injected beside what was found.
struct CalibrateTable {
    let calibration: Calibration
    let mode: String

    /// What the columns mean, before the first table.
    static let introduction = """
        Stalls of known length are caused on a private server: in our own callback, in a client before us, and by
        stopping the server. Then the figures of a measurement are asked what happened.

          late by       how much later than due our next callbacks came, in all; beside it, what was found
          lost          wall time for which nothing was rendered: a period less than late where the server makes one
                        up; without those stalls close to which the machine itself stalled
          ±             how far the found sum may be off: 2 %, or one period for each stall
          blamed right  how many of those found were put down to the one that had stalled; 95 % must be
        """

    var text: String {
        var lines = [
            "\(mode) mode, \(calibration.periodFrames) frames at \(calibration.sampleRate) Hz",
            line("", "stalls", "found", "late by, ms", "found", "lost, ms", "found", "blamed right", ""),
        ]
        for row in calibration.rows {
            lines.append(
                line(
                    Self.name(row.cause), "\(row.injected)", "\(row.found)", expected(row.late),
                    milliseconds(row.late.found), expected(row.lost), milliseconds(row.lost.found),
                    "\(row.rightlyBlamed) of \(row.found)",
                    row.injected == 0 ? "none" : row.passes ? "ok" : "FAILED"))
        }
        lines.append("  " + machine)
        if calibration.lateCycles != calibration.judgedCycles {
            lines.append(
                "  FAILED: \(calibration.lateCycles) cycles were late by the account of lost time, but "
                    + "\(calibration.judgedCycles) by the judge of blame")
        }
        if calibration.lostRecords > 0 {
            lines.append("  FAILED: the records of \(calibration.lostRecords) cycles were lost")
        }
        return lines.joined(separator: "\n")
    }

    /// Late cycles that nobody caused on purpose: true as well, and no failure.
    private var machine: String {
        let counts = calibration.machine
        guard counts.total > 0 else { return "The machine itself made no cycle late meanwhile." }
        let blamed = [
            ("our callback", counts.own), ("a client before us", counts.upstream), ("the wake-up", counts.wakeup),
            ("nobody known", counts.unknown),
        ]
        let shares = blamed.filter { $0.1 > 0 }.map { "\($0.1) by \($0.0)" }.joined(separator: ", ")
        let late = milliseconds(calibration.machineLateNanoseconds)
        return "The machine itself made \(counts.total) more late, by \(late) ms in all: \(shares)."
    }

    private static func name(_ cause: Blame) -> String {
        switch cause {
        case .own: "our callback stalls"
        case .upstream: "a client before us stalls"
        case .wakeup, .unknown: "the server is stopped"
        }
    }

    private func expected(_ sums: Calibration.Sums) -> String {
        "\(milliseconds(sums.expected)) ± \(milliseconds(sums.allowance))"
    }

    private func milliseconds(_ nanoseconds: Int64) -> String { fixed(Double(nanoseconds) / 1e6, 1) }

    /// A line of the table: the first column to the left, the others to the right, but for the last.
    private func line(_ columns: String...) -> String {
        let widths = [25, 8, 7, 15, 8, 15, 8, 14]
        var text = "  "
        for (index, width) in widths.enumerated() {
            text += index == 0 ? padded(columns[index], width) : alignedRight(columns[index], width)
        }
        return columns[widths.count].isEmpty ? text : text + "  " + columns[widths.count]
    }
}
