import AudioIO
import TerminalPages

/// What the live view of every run shows at one moment.
struct RunScene {
    /// Facts about the server, in the order of their weight.
    var title: [String]
    var meters: [LevelMeter]
    var xruns: UInt64 = 0
    var lostMilliseconds = 0.0
    /// What is done to voices.
    var voice: String?
    /// What changes the run from outside.
    var remote: [String] = []
    /// Something that went wrong meanwhile, or is waited for.
    var trouble: String?
}

extension RunWatch {
    /// - Parameters:
    ///   - voice: what is done to voices.
    ///   - trouble: what is to be shown where the engine has none.
    func scene(_ meters: LevelMeters, voice: String? = nil, trouble: @autoclosure () -> String?) -> RunScene {
        let statistics = run.unit.statistics
        return RunScene(
            title: run.title, meters: meters.all, xruns: statistics.xruns,
            lostMilliseconds: Double(statistics.lostNanoseconds) / 1e6, voice: voice, remote: remote.words,
            trouble: self.trouble ?? trouble())
    }
}
