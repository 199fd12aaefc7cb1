import AudioRecording
import AudioReports
import CommandSyntax
import Glibc

extension Recorder {
    /// Of a recording that is finished: that one of its files was removed meanwhile; `nil` where all are there.
    var removal: Failure? {
        guard let path = segments.first(where: { unsafe $0 != "-" && access($0, F_OK) != 0 }) else { return nil }
        return Failure(
            .inputOutput,
            "the recording \(shown(path)) was removed while it was made, and is lost; record to a folder that nobody tidies "
                + "up")
    }
}
