import AudioMeasurement
import Jack

/// What `iounit jitter --calibrate` does: stalls of known length, caused on private servers, and what the instruments
/// make of them.
struct CalibrateRun {
    /// How the servers run; the mode is of no account.
    let configuration: ServerConfiguration
    /// Sync mode, async mode, or both, in this order.
    let modes: [Bool]

    /// About five seconds for each mode.
    ///
    /// - Parameters:
    ///   - isWanted: asked again and again; the rest is left out once it says no.
    /// - Returns: the table, and `outsideLimits` where not everything was found as it must be, or `interrupted`.
    func run(while isWanted: () -> Bool = { true }) throws(JackError) -> (table: String, code: ExitCode) {
        var tables: [String] = []
        var passes = true
        for isSync in modes where isWanted() {
            var configuration = configuration
            configuration.isSync = isSync
            let calibration = try Calibration(on: configuration, stalls: stalls, while: isWanted)
            tables.append(CalibrateTable(calibration: calibration, mode: isSync ? "sync" : "async").text)
            passes = passes && calibration.passes
        }
        let (verdict, code): (String, ExitCode) =
            if !isWanted() {
                ("calibration INCOMPLETE: it was interrupted, and passes nothing", .interrupted)
            } else if passes {
                (
                    "calibration passed: number and blame are right, sums are within 2 % or one period for each stall",
                    .done
                )
            } else {
                ("calibration FAILED: what was found is not what was injected", .outsideLimits)
            }
        return ((tables + [verdict]).joined(separator: "\n\n"), code)
    }

    /// Of each of the three kinds. Long periods need long stalls, and long pauses between them.
    private var stalls: Int {
        let period = Double(configuration.periodFrames) / Double(configuration.sampleRate)
        return max(4, min(20, Int(0.025 / period)))
    }
}
