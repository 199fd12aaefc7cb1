import AudioMeasurement

/// A calibration for people: what was injected beside what was found.
struct CalibrateTable {
    let calibration: Calibration
    let mode: String

    var text: String {
        var lines = [
            "\(mode) mode, \(calibration.periodFrames) frames at \(calibration.sampleRate) Hz",
            line("", "injected", "found", "late by", "found", "lost", "found", "blamed right", ""),
        ]
        for row in calibration.rows {
            lines.append(
                line(
                    Self.name(row.cause), "\(row.injected)", "\(row.found)", milliseconds(row.late.expected),
                    milliseconds(row.late.found), milliseconds(row.lost.expected), milliseconds(row.lost.found),
                    "\(row.rightlyBlamed) of \(row.injected)", row.passes ? "ok" : "FAILED"))
        }
        let machine = calibration.machine
        lines.append(
            "  besides, the machine's own: "
                + (machine == BlameCount()
                    ? "no late cycle"
                    : "late cycles by \(milliseconds(calibration.machineLateNanoseconds)) in all "
                        + "(own \(machine.own), upstream \(machine.upstream), wakeup \(machine.wakeup), "
                        + "unknown \(machine.unknown))"))
        if calibration.lateCycles != calibration.judgedCycles {
            lines.append(
                "  FAILED: the account has \(calibration.lateCycles) late cycles, and \(calibration.judgedCycles) were "
                    + "judged")
        }
        if calibration.lostRecords > 0 {
            lines.append("  FAILED: the records of \(calibration.lostRecords) cycles were lost")
        }
        return lines.joined(separator: "\n")
    }

    private static func name(_ cause: Blame) -> String {
        switch cause {
        case .own: "our callback stalls"
        case .upstream: "a client before us stalls"
        case .wakeup, .unknown: "the server is stopped"
        }
    }

    private func milliseconds(_ nanoseconds: Int64) -> String { fixed(Double(nanoseconds) / 1e6, 1) + " ms" }

    /// A line of the table: the first column to the left, the others to the right, but for the last.
    private func line(_ columns: String...) -> String {
        let widths = [25, 9, 6, 10, 10, 10, 10, 13]
        var text = "  "
        for (index, width) in widths.enumerated() {
            let space = String(repeating: " ", count: max(0, width - columns[index].count))
            text += index == 0 ? columns[index] + space : space + columns[index]
        }
        return columns[widths.count].isEmpty ? text : text + "  " + columns[widths.count]
    }
}
