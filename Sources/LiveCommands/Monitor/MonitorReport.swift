import AudioDSP
import AudioFigures
import AudioMetering
import AudioRealtime
import AudioReports
import FileCommands
import LiveRuns
import TerminalPages

/// What a run of `monitor` comes to, on a server or offline: the object of `--json`, and the summary for people made from it.
struct MonitorReport: LiveReport {
    /// What there is on a server alone.
    struct Live: Reported {
        var parts: PartsReport<VoiceParts>
        var run: RunReport

        static let fields: [ReportField<Self>] = [
            .inline(\.parts),
            .duration(\.run.seconds), .inline(\.run),
        ]
    }

    var chain: ChainReport
    /// Where it was rendered offline; else there is `live`.
    var offline: OfflineReport?
    var live: Live?

    static let kind = document("monitor", 2, liveKey: "offline")
    static let fields: [ReportField<Self>] = [
        .field("offline", "how it was rendered with --offline; null on a server", \.offline),
        .inline(\.chain), .inline(\.live),
    ]

    var summary: String {
        if let offline { return offline.summary(chain) }
        guard let live else { return "" }
        let run = live.run
        var lines = ["\(fixed(run.seconds, 1)) s on \(shown(run.server.name)): \(run.cycles) (\(run.conditions))"]
        lines += chain.lines
        lines.append(
            "  xruns \(run.statistics.xruns), overruns \(run.statistics.overruns), frame gaps \(run.statistics.frameGaps), "
                + "lost \(fixed(Double(run.statistics.lostNanoseconds) / 1e6, 1)) ms, \(chain.flaws)")
        if let absence = run.absence { lines.append(absence) }
        lines += chain.files
        lines += live.parts.lines
        return lines.joined(separator: "\n")
    }
}

/// What a run of `monitor` did to the sound, on a server or offline: fields of its JSON, beside those of the run.
struct ChainReport: Reported {
    struct Unit: Reported {
        var channels: Int
        var parameters: ParameterReport<ShaperSetting>
        /// None where there is no equaliser.
        var equaliser: [BandReport]
        var compressor: ParameterReport<CompressorSetting>?
        var limiter: ParameterReport<LimiterSetting>?
        var plugins: [PluginReport]
        /// With its fraction; the ports declare the nearest whole number.
        var latencyFrames: Double

        var setting: ShaperSetting { parameters.setting }

        static let fields: [ReportField<Self>] = [
            .field("channels", "inputs, and outputs", \.channels),
            .inline(\.parameters),
            .field("equaliser", "its bands; none where there is no equaliser", \.equaliser),
            .field("bypass", "whether the signal was left alone", \.setting.isBypassed),
            .field("compressor", "null where there is none", \.compressor),
            .field("limiter", "null where there is none", \.limiter),
            .plugins(\.plugins),
            .field(
                "latencyFrames", "what shaper, plug-ins and limiter add, with its fraction", unit: .frames,
                \.latencyFrames),
        ]
    }

    struct Loudness: Reported {
        var reading: LoudnessReading

        static let fields: [ReportField<Self>] = [
            .field(
                "momentaryLUFS", "loudness of the last 0.4 s; null, here and below, for less than -70 LUFS",
                unit: .lufs, osc: "momentary"
            ) {
                finite($0.reading.momentaryLUFS)
            },
            .field("shortTermLUFS", "loudness of the last 3 s", unit: .lufs, osc: "shortterm") {
                finite($0.reading.shortTermLUFS)
            },
            .inline { LoudnessReport(reading: $0.reading) },
            .field("droppedFrames", "that the meter missed", unit: .frames, \.reading.droppedFrames),
        ]

        var summary: String {
            "loudness \(loudnessText(reading.integratedLUFS)) LUFS "
                + "(at most \(loudnessText(reading.maximumMomentaryLUFS)) for 0.4 s, "
                + "\(loudnessText(reading.maximumShortTermLUFS)) for 3 s), range \(loudnessText(reading.rangeLU)) LU, "
                + "true peak \(loudnessText(reading.truePeakDecibels.max())) dBTP"
                + (reading.droppedFrames == 0 ? "" : ", INCOMPLETE: \(reading.droppedFrames) frames DROPPED")
        }
    }

    struct Played: Reported {
        var source: SourceReport
        var startFrame: UInt64?

        static let fields: [ReportField<Self>] = [
            .inline(\.source),
            .field(
                "startFrame", "of the recording, at which the first is heard; null without one", unit: .frames,
                \.startFrame),
        ]
    }

    var unit: Unit
    var levels: LevelReport
    var nonFiniteSamples: UInt64
    var loudness: Loudness?
    var recorded: RecordingReport?
    var source: Played?

    static let fields: [ReportField<Self>] = [
        .field("unit", "what was set, at the end", \.unit),
        .inline(\.levels),
        .field(
            "rmsDecibels", "mean level of each channel over the whole run; null for silence", unit: .decibels,
            metric: .gauge("rms_decibels"), \.levels.rms),
        .field(
            "nonFiniteSamples", "samples that were no numbers, and silence at the outputs",
            metric: .counter("non_finite_samples"), \.nonFiniteSamples),
        .field("loudness", "of the outputs, by EBU R 128; null where it was not measured", \.loudness),
        .source(\.source),
        .field(RecordingReport.field.name, RecordingReport.field.meaning, \.recorded),
    ]
}

// For people.
extension ChainReport {
    /// What was set, the levels and the loudness.
    var lines: [String] {
        let setting = unit.setting
        var lines = [
            "  gain \(signed(setting.gainDecibels)) dB, drive \(signed(setting.driveDecibels)) dB, shape \(setting.shape.name)"
                + (setting.antialiasing == .off ? "" : ", antialias \(setting.antialiasing.name)")
                + (setting.hasMakeUpGain ? ", level compensated" : "")
                + (unit.latencyFrames > 0 ? ", latency \(fixed(unit.latencyFrames, 3)) frames" : "")
                + (setting.isBypassed ? ", bypassed" : "")
        ]
        if !unit.equaliser.isEmpty {
            lines.append("  equaliser \(unit.equaliser.map(\.words).joined(separator: ", "))")
        }
        let effects = Effects(compressor: unit.compressor?.setting, limiter: unit.limiter?.setting)
        for (name, word) in effects.words { lines.append("  \(name) \(word)") }
        for plugin in unit.plugins { lines.append("  plugin \(plugin.summary)") }
        for channel in 0..<min(unit.channels, 16) {
            let peak = levels.peaks[channel].map { "\(fixed($0, 1)) dB" } ?? "silent"
            let rms = levels.rms[channel].map { "\(fixed($0, 1)) dB" } ?? "silent"
            lines.append("  out_\(channel + 1): peak \(peak), RMS \(rms)")
        }
        if unit.channels > 16 {
            lines.append("  … and \(unit.channels - 16) more; the highest peak of all is \(levels.peak)")
        }
        if let loudness { lines.append("  \(loudness.summary)") }
        return lines
    }

    /// Samples that are not as they should be.
    var flaws: String { "clipped \(levels.clippedSamples), non-finite \(nonFiniteSamples)" }

    /// What was played and recorded.
    var files: [String] {
        var lines: [String] = []
        if let source { lines.append(source.source.line) }
        if let recorded {
            lines += recorded.lines(start: source?.startFrame.map { "; the source begins at frame \($0)" } ?? "")
        }
        return lines
    }
}

/// How a run offline was rendered: a report has it in place of figures of a server, of cycles or of lost time, because there
/// were none.
struct OfflineReport: Reported {
    var sampleRate: Int
    var periodFrames: Int
    var frames: UInt64
    var seconds: Double
    var elapsedSeconds: Double

    static let fields: [ReportField<Self>] = [
        .field("sampleRate", "of the run", unit: .hertz, \.sampleRate),
        .field("periodFrames", "rendered at once, at most", unit: .frames, \.periodFrames),
        .field("frames", "rendered in all, with those of the shaper's latency", unit: .frames, \.frames),
        .field("seconds", "what those last", unit: .seconds, \.seconds),
        .field("elapsedSeconds", "how long it took to render them", unit: .seconds, \.elapsedSeconds),
    ]

    func summary(_ chain: ChainReport) -> String {
        // Where it took no time that the clock can tell there is no speed.
        let times = elapsedSeconds > 0 ? seconds / elapsedSeconds : nil
        let speed = times.map { ", \(fixed($0, $0 < 10 ? 1 : 0)) times real time" } ?? ""
        var lines = ["\(fixed(seconds, 1)) s offline at \(sampleRate) Hz\(speed)"]
        lines += chain.lines
        lines.append("  \(chain.flaws)")
        lines += chain.files
        return lines.joined(separator: "\n")
    }
}
