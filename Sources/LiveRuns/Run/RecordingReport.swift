import AudioRecording
import AudioReports

/// What a recorder has written, in the report of a run.
package struct RecordingReport: PartReport {
    package static let field = (name: "recorded", meaning: "what --record has written; null where nothing was to be")

    package var path: String
    package var segments: [String]
    package var frames: UInt64
    package var droppedFrames: UInt64
    var gaps: Int
    var filledFrames: UInt64
    /// Each at the rate of its file.
    var filledNanoseconds: UInt64
    var freewheeledFrames: Int
    var conversionReason: String?
    var sidecar: String?

    package static let fields: [ReportField<Self>] = [
        .field("path", "as it was named, with its placeholders; - is the standard output", \.path),
        .field(
            "segments",
            "the files that it became, more than one where it was split or the rate has changed; where each channel has its own, "
                + "the first of them", \.segments),
        .field(
            "frames", "frames in all files, each once, silence that was filled in among them", unit: .frames,
            metric: .counter("recorded_frames"), \.frames),
        .field(
            "droppedFrames", "frames that found no room on their way to the file, or in it", unit: .frames,
            metric: .counter("recording_dropped_frames"), osc: "dropped", \.droppedFrames),
        .field("gaps", "places where sound is missing, or was not wanted", osc: "gaps", \.gaps),
        .field("filledFrames", "silence in their stead; among frames", unit: .frames, \.filledFrames),
        .field("filledNanoseconds", "what that lasts", unit: .nanoseconds, \.filledNanoseconds),
        .field(
            "freewheeledFrames", "rendered while the server freewheeled; among frames", unit: .frames,
            \.freewheeledFrames),
        .field(
            "conversionReason", "why sound at another rate was converted, and not split; else null",
            \.conversionReason),
        .field("sidecar", "the list of gaps, takes and marks; null where there is none", \.sidecar),
    ]

    package init(_ recorder: Recorder) {
        path = recorder.path
        segments = recorder.segments
        frames = recorder.writtenFrames
        droppedFrames = recorder.missingFrames
        gaps = recorder.gapCount
        filledFrames = recorder.filledFrames
        filledNanoseconds = recorder.filledNanoseconds
        freewheeledFrames = recorder.freewheels.reduce(0) { $0 + $1.frames }
        conversionReason = recorder.conversionReason
        sidecar = recorder.sidecar
    }

    package var lines: [String] { lines(start: "") }

    /// - Parameter start: what is to be said of its start.
    package func lines(start: String) -> [String] {
        let dropped = droppedFrames == 0 ? "none dropped" : "\(droppedFrames) DROPPED"
        return ["  recorded \(frames) frames to \(shown(path)), \(dropped)\(start)"]
            + (summary(files: segments.count).map { ["  \($0)"] } ?? [])
    }

    /// What is to be said where there is a list of gaps.
    ///
    /// - Parameter files: how many there are, where that is to be said as well.
    package func summary(files: Int = 1) -> String? {
        guard let sidecar else { return nil }
        let seconds = Double(filledNanoseconds) / 1e9
        let length = seconds < 0.1 ? "\(fixed(seconds * 1000, 1)) ms" : "\(fixed(seconds, 1)) s"
        return [
            gaps > 0 ? counted(gaps, "gap") : nil,
            filledFrames > 0 ? "\(length) of silence filled in" : nil,
            freewheeledFrames > 0 ? "\(freewheeledFrames) frames while the server freewheeled" : nil,
            files > 1 ? "\(files) files" : nil,
            "see \(shown(sidecar))",
        ].compactMap { $0 }.joined(separator: ", ")
    }
}
