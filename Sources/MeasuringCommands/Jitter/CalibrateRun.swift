import AudioMeasurement
import CommandSyntax
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
    ///   - tell: takes each paragraph of the result once it is known: what is done, a table for each mode, the verdict.
    ///   - isWanted: asked again and again; the rest is left out once it says no.
    /// - Returns: `outsideLimits` where not all was found as it must be, `interrupted` where something was left out.
    func run(tell: (String) throws -> Void, while isWanted: () -> Bool) throws -> ExitCode {
        try tell(CalibrateTable.introduction)
        var passes = true
        for isSync in modes where isWanted() {
            var configuration = configuration
            configuration.isSync = isSync
            let calibration = try Calibration(on: configuration, stalls: stalls, while: isWanted)
            try tell(CalibrateTable(calibration: calibration, mode: isSync ? "sync" : "async").text)
            passes = passes && calibration.passes
        }
        let isComplete = isWanted()
        try tell(Self.verdict(passes: passes, isComplete: isComplete))
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
