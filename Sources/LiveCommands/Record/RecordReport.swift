import AudioFigures
import AudioFiles
import AudioRecording
import AudioReports
import LiveRuns

/// What `iounit record` has recorded: the object of `--json`, and the summary for people made from it.
struct RecordReport: LiveReport {
    struct File: Reported {
        var recording: RecordingReport
        var transportFrame: Int?
        var format: String
        var sampleRate: Int
        var seconds: Double
        var bytes: Int
        var takes: Int
        var clippedSamples: Int
        var splitRefusal: String?
        var error: String?

        static let fields: [ReportField<Self>] = [
            .inline(\.recording),
            .field(
                "transportFrame", "of JACK's transport, the first one; null without --transport", unit: .frames,
                \.transportFrame),
            .field("format", "container and encoding: flac pcm24", \.format),
            .field("sampleRate", "of the last file", unit: .hertz, \.sampleRate),
            .field("seconds", "what all frames last", unit: .seconds, \.seconds),
            .field("bytes", "of all files", \.bytes),
            .field("takes", "how many times it has begun: more than once with --repeat", \.takes),
            .field("clippedSamples", "beyond what the file's integers hold, and limited", \.clippedSamples),
            .field("splitRefusal", "why a file goes on where the next was to begin; else null", \.splitRefusal),
            .field("error", "why nothing more was written; null where all was", \.error),
        ]

        init(_ recorder: Recorder, _ format: SoundFileFormat) {
            recording = RecordingReport(recorder)
            transportFrame = recorder.transportFrames.first
            self.format = "\(format)"
            sampleRate = recorder.sampleRate
            seconds = recorder.writtenSeconds
            bytes = recorder.writtenBytes
            takes = recorder.takes
            clippedSamples = recorder.clippedSamples
            splitRefusal = recorder.splitRefusal
            error = recorder.failure?.description
        }

        fileprivate var summary: [String] {
            let name = recording.path == "-" ? "standard output" : shown(recording.segments.first ?? recording.path)
            let count = recording.segments.count > 1 ? " and \(recording.segments.count - 1) more" : ""
            guard recording.frames > 0 || !recording.segments.isEmpty else {
                return ["  \(shown(recording.path)): nothing was recorded"]
            }
            var line = "  \(name)\(count): \(format), \(sampleRate) Hz, \(fixed(seconds, 3)) s, \(size(bytes))"
            if let frame = transportFrame { line += ", from the transport's frame \(frame)" }
            if takes > 1 { line += ", \(takes) takes" }
            if recording.droppedFrames > 0 { line += ", \(recording.droppedFrames) frames DROPPED" }
            if clippedSamples > 0 { line += ", \(clippedSamples) samples clipped" }
            if error != nil { line += ", STOPPED" }
            return [line] + (recording.summary().map { ["    \($0)"] } ?? [])
        }
    }

    var unit: UnitReport<VoiceParts>
    var files: [File]

    static let name = "record"
    static let version = 2
    static let fields: [ReportField<Self>] = [
        .field("channels", "inputs, all of which are in each file", \.unit.channels),
        .field("gainDecibels", "at the end; 0 changes no bit", unit: .decibels, \.unit.gainDecibels),
        .plugins(\.unit.plugins),
        .group("files", \.files),
        .inline(\.unit.levels),
        .field(
            "nonFiniteSamples", "no numbers, and silence in the files", \.unit.nonFiniteSamples),
        .inline(\.unit.parts), .duration(\.unit.run.seconds), .inline(\.unit.run),
    ]

    init(_ session: RecordSession) {
        unit = UnitReport(session)
        files = zip(session.recorders, session.formats).map(File.init)
    }

    var summary: String {
        let longest = files.map(\.seconds).max() ?? 0
        let head = "recorded \(fixed(longest, 1)) s of \(counted(unit.channels, "channel")) \(unit.run.place)"
        return ([head] + unit.pluginLines + files.flatMap(\.summary) + unit.ending).joined(separator: "\n")
    }
}
