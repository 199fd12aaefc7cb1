import AudioFiles
import AudioRecording
import AudioReports
import LiveRuns
import TerminalPages

/// What the live view of `record` shows at one moment.
struct RecordScene {
    struct File {
        var name: String
        var format: String
        var bytes: Int
        /// Of all so far.
        var segments: Int
        /// What is missing or changed in it, in words.
        var warnings: [String]
    }

    var run: RunScene
    var state: Recorder.State
    /// What it waits for.
    var waiting: String
    var recordedSeconds: Double
    /// Where it ends by itself.
    var maximumSeconds: Double?
    var files: [File]
    /// Until a disk is full; `nil` where that is not known.
    var secondsLeft: Double?
    var freeBytes: Int?
}

extension RecordScene.File {
    init(_ recorder: Recorder, _ format: SoundFileFormat) {
        let missing = recorder.missingFrames
        let gaps = recorder.gapCount - recorder.wantedGapCount
        self.init(
            name: recorder.presentName, format: "\(format)", bytes: recorder.writtenBytes,
            segments: recorder.segments.count,
            warnings: [
                gaps > 0 ? counted(gaps, "gap") : nil,
                missing > 0 ? "\(missing) frames DROPPED" : nil,
                recorder.clippedSamples > 0 ? "\(recorder.clippedSamples) samples clipped" : nil,
                recorder.failure == nil ? nil : "STOPPED",
            ].compactMap { $0 })
    }
}

extension Recorder {
    /// Of the file that it writes, for people.
    var presentName: String { path == "-" ? "the standard output" : shown(segments.last ?? path) }

    /// That its files are not as they were to be: why, which stays the same from file to file, and words for people, which name
    /// the present one.
    var notices: [(cause: String, words: String)] {
        let file = segments.last ?? path
        return [
            conversion.map { ("conversion of \(path)", $0) },
            (isSplitRefused ? splitRefusal : nil).map { reason in
                (
                    "no split of \(path): \(reason)",
                    "the recording goes on in \(file), and not in the next file: \(reason)"
                )
            },
            omittedRequests == 0
                ? nil
                : (
                    "requests of \(path)",
                    "not all that was asked of the recording \(file) is done, because as much as can waits for sound to come; ask "
                        + "again when it comes"
                ),
        ].compactMap(\.self)
    }
}

extension Page {
    /// In a low window what it does, and what is wrong, come first, then the meters, then the rest.
    func lines(_ scene: RecordScene) -> [String] {
        lines(
            scene.run, state: state(scene),
            body: { $0.take(files(scene.files)) }, figures: figures(scene), keys: keys(scene))
    }

    /// With a picture in place of the meters.
    ///
    /// - Parameter picture: gives a picture of as many rows as it is asked for, or fewer.
    func lines(_ scene: RecordScene, picture: (Int) -> [String]) -> [String] {
        lines(
            title: title(scene.run.title), state: state(scene), trouble: trouble(scene.run.trouble),
            keys: hasKeys ? flow(keys(scene).map { [($0, .dim)] }) : [], picture: picture)
    }

    private func state(_ scene: RecordScene) -> [String] {
        let length = scene.maximumSeconds.map { " / \(clock($0))" } ?? ""
        let time: Page.Part = [(clock(scene.recordedSeconds), .bold), (length, .plain)]
        switch scene.state {
        case .recording: return flow([[(hasUnicode ? "● REC" : "* REC", .red)], time])
        case .paused: return flow([[(" PAUSE ", .lamp)], time])
        case .over: return flow([[("done", .bold)], time])
        case .waiting:
            let words: [Page.Part] = [[(" WAIT ", .active)], [(plain(scene.waiting), .plain)]]
            return flow(scene.recordedSeconds > 0 ? words + [time] : words)
        }
    }

    private func files(_ files: [RecordScene.File]) -> [String] {
        files.flatMap { file in
            flow(
                [
                    [(plain(file.name), .bold)], [(file.format, .plain)], [(size(file.bytes), .plain)],
                    file.segments > 1 ? [("\(file.segments) files", .plain)] : [],
                ].filter { !$0.isEmpty } + file.warnings.map { [($0, .red)] })
        }
    }

    private func figures(_ scene: RecordScene) -> [Page.Part] {
        var parts: [Page.Part] = []
        if let seconds = scene.secondsLeft {
            let isLow = seconds < 600
            parts.append([
                ("disk full in ", .plain), (seconds < 360_000 ? clock(seconds) : "days", isLow ? .red : .plain),
            ])
        }
        if let bytes = scene.freeBytes { parts.append([("\(size(bytes)) free", .plain)]) }
        return parts + losses(scene.run)
    }

    private func keys(_ scene: RecordScene) -> [String] {
        let space =
            switch scene.state {
            case .waiting: "space begin"
            case .paused: "space go on"
            case .recording, .over: "space pause"
            }
        return [space, "n next file", "m mark", "v view", "q quit"]
    }
}
