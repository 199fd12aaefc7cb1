import AudioFiles
import AudioRecording
import AudioReports
import LiveRuns

struct RecordReport: LiveReport {
    struct File: Reported {
        let recorder: Recorder
        let format: SoundFileFormat

        static let fields: [ReportField<Self>] = [
            .inline { RecordingReport($0.recorder) },
            .field(
                "transportFrame", "of JACK's transport, the first one; null without --transport", unit: .frames,
                \.recorder.transportFrames.first),
            .field("format", "container and encoding: flac pcm24", \.format.description),
            .field("sampleRate", "of the last file", unit: .hertz, \.recorder.sampleRate),
            .field("seconds", "what all frames last", unit: .seconds, \.recorder.writtenSeconds),
            .field("bytes", "of all files", \.recorder.writtenBytes),
            .field("takes", "how many times it has begun: more than once with --repeat", \.recorder.takes),
            .field("clippedSamples", "beyond what the file's integers hold, and limited", \.recorder.clippedSamples),
            .field(
                "splitRefusal", "why a file goes on where the next was to begin; else null", \.recorder.splitRefusal),
            .field("error", "why nothing more was written; null where all was", \.recorder.failure?.description),
        ]

        fileprivate var summary: [String] {
            let (path, segments) = (recorder.path, recorder.segments)
            guard recorder.writtenFrames > 0 || !segments.isEmpty else {
                return ["  \(shown(path)): nothing was recorded"]
            }
            let name = path == "-" ? "standard output" : shown(segments.first ?? path)
            let count = segments.count > 1 ? " and \(segments.count - 1) more" : ""
            let length = "\(fixed(recorder.writtenSeconds, 3)) s, \(size(recorder.writtenBytes))"
            var line = "  \(name)\(count): \(format), \(recorder.sampleRate) Hz, \(length)"
            if let frame = recorder.transportFrames.first { line += ", from the transport's frame \(frame)" }
            if recorder.takes > 1 { line += ", \(recorder.takes) takes" }
            if recorder.missingFrames > 0 { line += ", \(recorder.missingFrames) frames DROPPED" }
            if recorder.clippedSamples > 0 { line += ", \(recorder.clippedSamples) samples clipped" }
            if recorder.failure != nil { line += ", STOPPED" }
            return [line] + (RecordingReport(recorder).summary().map { ["    \($0)"] } ?? [])
        }
    }

    var unit: UnitReport<VoiceParts>
    var files: [File]

    static let kind = document("record", 2)
    static let fields: [ReportField<Self>] = [
        .field("channels", "inputs, all of which are in each file", \.unit.channels),
        .field("gainDecibels", "at the end; 0 changes no bit", unit: .decibels, \.unit.gainDecibels),
        .plugins(\.unit.plugins),
        .source(\.unit.source),
        .group("files", \.files),
        .inline(\.unit.levels),
        .field(
            "nonFiniteSamples", "no numbers, and silence in the files", \.unit.nonFiniteSamples),
        .inline(\.unit.parts), .duration(\.unit.run.seconds), .inline(\.unit.run),
    ]

    var summary: String {
        let longest = files.map(\.recorder.writtenSeconds).max() ?? 0
        let head = "recorded \(fixed(longest, 1)) s of \(counted(unit.channels, "channel")) \(unit.run.place)"
        return ([head] + unit.pluginLines + files.flatMap(\.summary) + unit.ending).joined(separator: "\n")
    }
}
