import AudioIO
import AudioMetering
import AudioRecording
import FileCommands
import TerminalPages

// What can be read of a run of `monitor`, and not set.
extension MonitorSession {
    /// In the order in which they are listed.
    var figures: [OSCFigure] {
        let (unit, engine) = (unit, run.engine)
        return [
            OSCFigure("state", "running, paused, interrupted, freewheeling, ready, failed or closed") {
                [.text(engine.state.name)]
            },
            OSCFigure("trouble", "what keeps the sound from being what it should be; empty for nothing") {
                [unowned self] in [.text(trouble?.message ?? "")]
            },
            OSCFigure("load", "JACK's load in percent") { [.float(Float(unit.dspLoad) * 100)] },
            OSCFigure("cycles", "cycles of JACK that were rendered") { [OSCFigure.count(unit.statistics.cycles)] },
            OSCFigure("xruns", "cycles that JACK said were late") { [OSCFigure.count(unit.statistics.xruns)] },
            OSCFigure("overruns", "callbacks that ran past their period") {
                [OSCFigure.count(unit.statistics.overruns)]
            },
            OSCFigure("lost", "time that the frame clock does not account for, in ms") {
                [.float(Float(Double(unit.statistics.lostNanoseconds) / 1e6))]
            },
            OSCFigure("absent", "time without a JACK server, in ms") {
                [.float(Float(Double(unit.statistics.absentNanoseconds) / 1e6))]
            },
            OSCFigure("clipped", "samples at or beyond full scale at the outputs") {
                let channels = 0..<unit.configuration.channels
                return [OSCFigure.count(channels.reduce(UInt64(0)) { $0 + unit.meters.totals($1).clipped })]
            },
        ] + loudnessFigures + recordingFigures
    }

    private var loudnessFigures: [OSCFigure] {
        guard chain.loudness != nil else { return [] }
        func figure(_ name: String, _ summary: String, _ read: @escaping (LoudnessReading) -> Double) -> OSCFigure {
            OSCFigure("loudness/\(name)", "\(summary); -200 for silence") { [unowned self] in
                [OSCFigure.level(chain.loudness.map(read) ?? OSCFigure.silence)]
            }
        }
        return [
            figure("momentary", "loudness of the last 0.4 s in LUFS") { $0.momentaryLUFS },
            figure("shortterm", "loudness of the last 3 s in LUFS") { $0.shortTermLUFS },
            figure("integrated", "loudness of the whole run in LUFS") { $0.integratedLUFS },
            figure("truepeak", "highest true peak of the whole run in dBTP") {
                $0.truePeakDecibels.max() ?? -.infinity
            },
        ]
    }

    private var recordingFigures: [OSCFigure] {
        guard let recorder = chain.recorder else { return [] }
        return [
            OSCFigure("recording/file", "path of the recording") { [.text(recorder.segments.last ?? recorder.path)] },
            OSCFigure("recording/seconds", "length of the recording in s") { [.float(Float(recorder.writtenSeconds))] },
            OSCFigure("recording/gaps", "places where sound is missing in the recording") {
                [OSCFigure.count(recorder.gapCount)]
            },
            OSCFigure("recording/dropped", "frames that are missing in the recording") {
                [OSCFigure.count(recorder.droppedFrames + recorder.lostFrames)]
            },
        ]
    }
}
