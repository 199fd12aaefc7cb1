import AudioIO
import AudioMetering
import AudioRecording
import FileCommands
import TerminalPages

// What can be read of a run of `monitor`, and not set.
extension MonitorSession {
    /// In the order in which they are listed.
    var figures: [OSCFigure] {
        let (run, unit, engine) = (run, unit, run.engine)
        return [
            OSCFigure("state", "running, paused, interrupted, freewheeling, ready, failed or closed") {
                [.text(engine.state.name)]
            },
            OSCFigure("trouble", "what keeps the sound from being what it should be; empty for nothing") {
                [unowned self] in [.text(trouble?.message ?? "")]
            },
            OSCFigure("load", "JACK's load in percent") { [.float(Float(unit.dspLoad) * 100)] },
        ] + OSCFigure.all { RunCounts(run) }
            + OSCFigure.all { LevelReport(unit.meters, channels: unit.configuration.channels) } + loudnessFigures
            + recordingFigures
    }

    private var loudnessFigures: [OSCFigure] {
        guard chain.loudness != nil else { return [] }
        let reading = { [unowned self] in chain.loudness ?? LoudnessReading() }
        return OSCFigure.all(in: "loudness/") { ChainReport.Loudness(reading: reading()) }
            + OSCFigure.all(in: "loudness/") { LoudnessReport(reading: reading()) }
    }

    private var recordingFigures: [OSCFigure] {
        guard let recorder = chain.recorder else { return [] }
        return [
            OSCFigure("recording/file", "path of the recording") { [.text(recorder.segments.last ?? recorder.path)] },
            OSCFigure("recording/seconds", "length of the recording in s") { [.float(Float(recorder.writtenSeconds))] },
        ] + OSCFigure.all(in: "recording/") { RecordingReport(recorder) }
    }
}
