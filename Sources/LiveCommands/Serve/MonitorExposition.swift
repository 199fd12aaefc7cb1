import AudioFigures
import AudioStreaming
import FileCommands
import TerminalPages

extension MetricsExposition {
    /// The figures of a run of `monitor`, for Prometheus.
    init(_ report: MonitorReport, load: Double) {
        self.init()
        let run = report.run
        add("run_seconds", .gauge, unit: "seconds", "Time since the unit began to render", run.seconds)
        add("cycles", .counter, "Cycles of JACK that the unit rendered", Double(run.cycles))
        add("frames", .counter, "Frames that the unit rendered", Double(run.frames))
        add("xruns", .counter, "Cycles that JACK said were late", Double(run.xruns))
        add("overruns", .counter, "Callbacks that ran past their period", Double(run.overruns))
        add("frame_gaps", .counter, "Places where the frame clock jumped", Double(run.frameGaps))
        add(
            "lost_seconds", .counter, unit: "seconds", "Time that the frame clock does not account for",
            Double(run.lostNanoseconds) / 1e9)
        add(
            "absent_seconds", .counter, unit: "seconds", "Time without a JACK server",
            Double(run.absentNanoseconds) / 1e9)
        add("server_resets", .counter, "How often the server went away and came back", Double(run.resets))
        add("load_ratio", .gauge, unit: "ratio", "JACK's load: 1 is all of the period", load)
        add("clipped_samples", .counter, "Samples at or beyond full scale", Double(report.chain.clippedSamples))
        add("non_finite_samples", .counter, "Samples that were no numbers", Double(report.chain.nonFiniteSamples))
        func byChannel(_ levels: [Double?]) -> [(label: String, value: Double)] {
            levels.enumerated().compactMap { index, level in level.map { ("\(index + 1)", $0) } }
        }
        add(
            "peak_decibels", .gauge, unit: "decibels", "The highest sample so far, of full scale", by: "channel",
            byChannel(report.chain.peakDecibels.map(\.value)))
        add(
            "rms_decibels", .gauge, unit: "decibels", "The mean level so far, of full scale", by: "channel",
            byChannel(report.chain.rmsDecibels.map(\.value)))
        if let loudness = report.chain.loudness.value?.integratedLUFS.value {
            add("loudness_lufs", .gauge, unit: "lufs", "Integrated loudness (EBU R 128)", loudness)
        }
        if let recorded = report.chain.recorded.value {
            add("recorded_frames", .counter, "Frames in the recording", Double(recorded.frames))
            add("recording_dropped_frames", .counter, "Frames missing in the recording", Double(recorded.droppedFrames))
        }
    }
}
