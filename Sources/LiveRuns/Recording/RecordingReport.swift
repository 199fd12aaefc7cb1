import AudioRecording
import AudioReports

package struct RecordingReport: PartReport {
    package static let field = (name: "recorded", meaning: "what --record has written; null where nothing was to be")

    private let recorder: Recorder

    package static let fields: [ReportField<Self>] = [
        .field("path", "as it was named, with its placeholders; - is the standard output", \.recorder.path),
        .field(
            "segments",
            "the files that it became, more than one where it was split or the rate has changed; where each channel has its own, "
                + "the first of them", \.recorder.segments),
        .field(
            "frames", "frames in all files, each once, silence that was filled in among them", unit: .frames,
            metric: .counter("recorded_frames"), \.recorder.writtenFrames),
        .field(
            "droppedFrames", "frames that found no room on their way to the file, or in it", unit: .frames,
            metric: .counter("recording_dropped_frames"), osc: "dropped", \.recorder.missingFrames),
        .field("gaps", "places where sound is missing, or was not wanted", osc: "gaps", \.recorder.gapCount),
        .field(
            "filledFrames", "silence in place of what is missing; among frames", unit: .frames, \.recorder.filledFrames),
        .field("filledNanoseconds", "what that lasts", unit: .nanoseconds, \.recorder.filledNanoseconds),
        .field(
            "freewheeledFrames", "rendered while the server freewheeled; among frames", unit: .frames,
            \.freewheeledFrames),
        .field(
            "conversionReason", "why sound at another rate was converted, and not split; else null",
            \.recorder.conversionReason),
        .field("sidecar", "the list of gaps, takes and marks; null where there is none", \.recorder.sidecar),
    ]

    package init(_ recorder: Recorder) { self.recorder = recorder }

    private var freewheeledFrames: Int { recorder.freewheels.reduce(0) { $0 + $1.frames } }

    package var lines: [String] { lines(start: "") }

    /// - Parameter start: what is to be said of its start.
    package func lines(start: String) -> [String] {
        let missing = recorder.missingFrames
        let dropped = missing == 0 ? "none dropped" : "\(missing) DROPPED"
        let place = shown(recorder.segments.first ?? recorder.path)
        return ["  recorded \(recorder.writtenFrames) frames to \(place), \(dropped)\(start)"]
            + (summary(files: recorder.segments.count).map { ["  \($0)"] } ?? [])
    }

    /// What is to be said where there is a list of gaps.
    ///
    /// - Parameter files: how many there are, where that is to be said as well.
    package func summary(files: Int = 1) -> String? {
        guard let sidecar = recorder.sidecar else { return nil }
        let (gaps, freewheeledFrames) = (recorder.gapCount, freewheeledFrames)
        let seconds = Double(recorder.filledNanoseconds) / 1e9
        let length = seconds < 0.1 ? "\(fixed(seconds * 1000, 1)) ms" : "\(fixed(seconds, 1)) s"
        return [
            gaps > 0 ? counted(gaps, "gap") : nil,
            recorder.filledFrames > 0 ? "\(length) of silence filled in" : nil,
            freewheeledFrames > 0 ? "\(freewheeledFrames) frames while the server freewheeled" : nil,
            files > 1 ? "\(files) files" : nil,
            "see \(shown(sidecar))",
        ].compactMap { $0 }.joined(separator: ", ")
    }
}
