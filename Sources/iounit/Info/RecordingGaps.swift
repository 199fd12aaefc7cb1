import AudioMeasurement
import AudioReports
import Foundation
import Threads

/// What the file beside a recording says is missing in it.
struct RecordingGaps: Encodable {
    private static let schema = "iounit.recording/1"
    /// As much as the longest list of gaps that a recording makes, with as many spans of freewheeling.
    private static let longestBytes = 64 << 20

    var path: String
    /// Files of the recording, which these figures are of. More than one where the sample rate has changed.
    var files: Int
    var gapFill: String
    var startWallTime: String
    /// Without pauses.
    var gaps: Int
    var lostSeconds: Double
    var pauses: Int
    var pausedSeconds: Double
    /// Gaps and pauses beyond the list, which no other figure counts.
    var omittedGaps: Int

    private struct Sidecar: Decodable {
        struct Start: Decodable { var wallTime: String }
        struct Segment: Decodable { var path: String }
        struct Gap: Decodable {
            var cause: String
            var lengthNanoseconds: UInt64
        }
        var gapFill: String
        var start: Start
        var segments: [Segment]
        var gaps: [Gap]
        var omittedGaps: Int
    }

    private struct Head: Decodable { var schema: String }

    /// `nil` where there is no such file beside the recording, or it is of another kind.
    ///
    /// - Throws: `malformed`.
    init?(of recording: String) throws(FileError) {
        path = "\(recording).json"
        let text = SmallFile.text(path, limit: Self.longestBytes)
        guard let head: Head = decodeJSON(text), head.schema == Self.schema else { return nil }
        guard let sidecar: Sidecar = decodeJSON(text) else {
            throw .malformed(path: path, line: 1, reason: "it is no list of gaps, though it says so")
        }
        files = sidecar.segments.count
        gapFill = sidecar.gapFill
        startWallTime = sidecar.start.wallTime
        omittedGaps = sidecar.omittedGaps
        let (lost, paused) = (
            sidecar.gaps.filter { $0.cause != "pause" }, sidecar.gaps.filter { $0.cause == "pause" }
        )
        (gaps, lostSeconds) = (lost.count, Self.seconds(lost))
        (pauses, pausedSeconds) = (paused.count, Self.seconds(paused))
    }

    private static func seconds(_ gaps: [Sidecar.Gap]) -> Double {
        gaps.reduce(0) { $0 + Double($1.lengthNanoseconds) } / 1e9
    }

    /// For people.
    var words: String {
        var words = "\(counted(UInt64(gaps), "gap")), \(fixed(lostSeconds, 3)) s lost"
        if pauses > 0 { words += ", \(counted(UInt64(pauses), "pause")) of \(fixed(pausedSeconds, 3)) s" }
        if omittedGaps > 0 { words += ", \(omittedGaps) more not listed" }
        if files > 1 { words += ", in \(files) files" }
        return "\(words), see \(shown(path))"
    }
}
