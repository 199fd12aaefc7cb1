import AudioDSP
import AudioFigures
import AudioIO
import AudioMetering
import AudioRealtime
import AudioRecording
import AudioReports
import TerminalPages

/// What a run of `monitor` did to the sound, on a server or offline: fields of its JSON, beside those of the run.
struct ChainReport: Encodable {
    struct Unit: Encodable {
        var channels: Int
        /// Its parameters are fields of the report, but for the mute, which is of a moment.
        var setting: ShaperSetting
        /// None where there is no equaliser.
        var equaliser: [BandReport]
        var effects: Effects
        /// What the limiter adds to the latency; 0 where there is none.
        var limiterFrames: Int

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: ParameterKey.self)
            for field in ShaperSetting.fields where field.info.name != "mute" {
                try container.encode(field.value(in: setting), of: field.info)
            }
            try container.encode(channels, forKey: ParameterKey("channels"))
            try container.encode(equaliser, forKey: ParameterKey("equaliser"))
            try encode(effects.compressor, as: Effects.compressor.name, to: &container)
            try encode(effects.limiter, as: Effects.limiter.name, to: &container)
            // What shaper and limiter add, with its fraction; the ports declare the nearest whole number.
            try container.encode(latencyFrames, forKey: ParameterKey("latencyFrames"))
        }

        /// `null` where there is no such effect.
        private func encode<Setting: ParameterSetting>(
            _ setting: Setting?, as name: String, to container: inout KeyedEncodingContainer<ParameterKey>
        ) throws {
            guard let setting else { return try container.encodeNil(forKey: ParameterKey(name)) }
            var fields = container.nestedContainer(keyedBy: ParameterKey.self, forKey: ParameterKey(name))
            for field in Setting.fields where field.info.name != "bypass" {
                try fields.encode(field.value(in: setting), of: field.info)
            }
        }

        var latencyFrames: Double { setting.latencyFrames + Double(limiterFrames) }
    }

    struct Loudness: Encodable {
        /// `null`, here and below, for what is softer than −70 LUFS, or too short a run.
        var momentaryLUFS: Nullable<Double>
        var shortTermLUFS: Nullable<Double>
        var integratedLUFS: Nullable<Double>
        var maximumMomentaryLUFS: Nullable<Double>
        var maximumShortTermLUFS: Nullable<Double>
        var rangeLU: Nullable<Double>
        /// Of each output over the whole run.
        var truePeakDecibels: [Nullable<Double>]
        /// Frames that the figures know nothing of.
        var droppedFrames: UInt64

        init(_ reading: LoudnessReading) {
            func level(_ decibels: Double) -> Nullable<Double> { Nullable(decibels.isFinite ? decibels : nil) }
            momentaryLUFS = level(reading.momentaryLUFS)
            shortTermLUFS = level(reading.shortTermLUFS)
            integratedLUFS = level(reading.integratedLUFS)
            maximumMomentaryLUFS = level(reading.maximumMomentaryLUFS)
            maximumShortTermLUFS = level(reading.maximumShortTermLUFS)
            rangeLU = Nullable(reading.rangeLU)
            truePeakDecibels = reading.truePeakDecibels.map(level)
            droppedFrames = reading.droppedFrames
        }

        var summary: String {
            func figure(_ level: Double?) -> String { TerminalPages.loudness(level ?? -.infinity) }
            return "loudness \(figure(integratedLUFS.value)) LUFS (at most \(figure(maximumMomentaryLUFS.value)) for "
                + "0.4 s, \(figure(maximumShortTermLUFS.value)) for 3 s), range \(figure(rangeLU.value)) LU, "
                + "true peak \(figure(truePeakDecibels.compactMap(\.value).max())) dBTP"
                + (droppedFrames == 0 ? "" : ", INCOMPLETE: \(droppedFrames) frames DROPPED")
        }
    }

    struct Recorded: Encodable {
        var path: String
        var frames: UInt64
        /// Frames that found no room on their way to the file, or in it.
        var droppedFrames: UInt64
        /// Places where sound is missing.
        var gaps: Int
        /// Frames of silence in their stead; among `frames`.
        var filledFrames: UInt64
        /// How long they last, each at the rate of its file.
        var filledNanoseconds: UInt64
        /// Frames that were rendered while the server freewheeled; among `frames`.
        var freewheeledFrames: Int
        /// Paths of all files, of which there are more than one where the sample rate has changed.
        var segments: [String]
        /// Why sound of another rate was converted although it was to go to a new file; `null` where it was not.
        var conversionReason: Nullable<String>
        /// Path of the list of gaps; `null` where there is none.
        var sidecar: Nullable<String>

        init(_ recorder: Recorder) {
            path = recorder.path
            frames = recorder.writtenFrames
            droppedFrames = recorder.droppedFrames + recorder.lostFrames
            gaps = recorder.gapCount
            filledFrames = recorder.filledFrames
            filledNanoseconds = recorder.filledNanoseconds
            freewheeledFrames = recorder.freewheels.reduce(0) { $0 + $1.frames }
            segments = recorder.segments
            conversionReason = Nullable(recorder.conversionReason)
            sidecar = Nullable(recorder.sidecar)
        }

        static func words(gaps: Int) -> String { gaps == 1 ? "1 gap" : "\(gaps) gaps" }

        /// What is to be said where there is a list of gaps.
        var summary: String? {
            guard let sidecar = sidecar.value else { return nil }
            let seconds = Double(filledNanoseconds) / 1e9
            let length = seconds < 0.1 ? "\(fixed(seconds * 1000, 1)) ms" : "\(fixed(seconds, 1)) s"
            return [
                Self.words(gaps: gaps),
                filledFrames > 0 ? "\(length) of silence filled in" : nil,
                freewheeledFrames > 0 ? "\(freewheeledFrames) frames while the server freewheeled" : nil,
                segments.count > 1 ? "\(segments.count) files" : nil,
                "see \(shown(sidecar))",
            ].compactMap { $0 }.joined(separator: ", ")
        }
    }

    struct Played: Encodable {
        var name: String
        /// The source's own rate.
        var sampleRate: Int
        var channels: Int
        /// How they come down to the unit's inputs; `null` where there are no more of them than inputs.
        var downMix: Nullable<MixReport>
        /// How many frames were fed, at the run's rate.
        var frames: Int
        /// The frame of the recording at which the first of them is heard.
        var startFrame: Nullable<UInt64>
        /// Frames of silence that were fed because the source was not read fast enough.
        var underrunFrames: Int
    }

    var unit: Unit
    var peakDecibels: [Nullable<Double>]
    var rmsDecibels: [Nullable<Double>]
    var clippedSamples: UInt64
    var nonFiniteSamples: UInt64
    var loudness: Nullable<Loudness>
    var recorded: Nullable<Recorded>
    var source: Nullable<Played>
}

// For people.
extension ChainReport {
    /// What was set, and the levels.
    var levels: [String] {
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
        for (name, word) in unit.effects.words { lines.append("  \(name) \(word)") }
        for channel in 0..<min(unit.channels, 16) {
            let peak = peakDecibels[channel].value.map { "\(fixed($0, 1)) dB" } ?? "silent"
            let rms = rmsDecibels[channel].value.map { "\(fixed($0, 1)) dB" } ?? "silent"
            lines.append("  out_\(channel + 1): peak \(peak), RMS \(rms)")
        }
        if unit.channels > 16 {
            let highest = peakDecibels.compactMap(\.value).max().map { "\(fixed($0, 1)) dB" } ?? "silent"
            lines.append("  … and \(unit.channels - 16) more; the highest peak of all is \(highest)")
        }
        return lines
    }

    /// Samples that are not as they should be.
    var flaws: String { "clipped \(clippedSamples), non-finite \(nonFiniteSamples)" }

    /// What was played and recorded.
    var files: [String] {
        var lines: [String] = []
        if let source = source.value {
            let underrun = source.underrunFrames > 0 ? ", \(source.underrunFrames) frames late" : ""
            lines.append(
                "  played \(source.frames) frames of \(shown(source.name)) (\(source.sampleRate) Hz)\(underrun)")
        }
        if let recorded = recorded.value {
            let dropped = recorded.droppedFrames == 0 ? "none dropped" : "\(recorded.droppedFrames) DROPPED"
            let start = source.value?.startFrame.value.map { "; the source begins at frame \($0)" } ?? ""
            lines.append("  recorded \(recorded.frames) frames to \(shown(recorded.path)), \(dropped)\(start)")
            if let gaps = recorded.summary { lines.append("  \(gaps)") }
        }
        return lines
    }
}
