import AudioMetering
import FileCommands
import LiveRuns

// What can be read of a run of `monitor`, and not set.
extension MonitorSession {
    /// In the order in which they are listed.
    var figures: [OSCFigure] {
        run.figures { [unowned self] in trouble } + loudnessFigures + (chain.recorder?.figures ?? [])
    }

    private var loudnessFigures: [OSCFigure] {
        guard chain.loudness != nil else { return [] }
        let reading = { [unowned self] in chain.loudness ?? LoudnessReading() }
        return OSCFigure.all(in: "loudness/") { ChainReport.Loudness(reading: reading()) }
            + OSCFigure.all(in: "loudness/") { LoudnessReport(reading: reading()) }
    }
}
