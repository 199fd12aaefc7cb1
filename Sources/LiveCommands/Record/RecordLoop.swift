import AudioFiles
import AudioRecording
import AudioReports
import CommandSyntax
import Glibc
import LiveRuns
import TerminalPages
import Threads

struct RecordLoop: LiveLoop {
    private let session: RecordSession
    var watch: RunWatch
    private var disk = DiskRoom()
    private var end = RecordEnd()
    private var views: SoundViews
    private var toldCauses: Set<String> = []
    private var toldState: Recorder.State?

    init(_ session: RecordSession, _ signals: Signals) {
        self.session = session
        watch = RunWatch(session, signals, Terminal())
        views = SoundViews(session.run.engine, session.unit.path.heard)
    }

    mutating func turn() -> RunEnd? {
        let isOver = end.isReached(session) || session.unit.isHeardThrough
        // The end itself tells of a failure.
        for recorder in session.recorders where !isOver || recorder.failure == nil {
            recorder.tellNotices(besides: &toldCauses, isShown: isPageShown)
        }
        return isOver ? .done : nil
    }

    func take(signal: CInt) { if signal == SIGUSR2 { session.begin() } }

    mutating func press(_ key: Key) {
        switch key {
        case " ": session.toggle()
        case "n": session.split()
        case "m": session.mark()
        default: views.press(key)
        }
    }

    mutating func show() {
        disk.update(
            session.recorders.map { ($0.path == "-" ? nil : $0.segments.last, $0.writtenBytes) },
            atNanoseconds: MonotonicClock.nanoseconds())
        guard let terminal else { return tellLine() }
        let (page, scene, time) = (Page(terminal), scene(), watch.elapsed)
        terminal.draw(
            views.mode == .meters
                ? page.lines(scene)
                : page.lines(scene) {
                    views.lines(page, rows: $0, atSeconds: time, isHeard: session.run.hasCallbacks)
                })
    }

    private mutating func scene() -> RecordScene {
        let trouble = session.presentTrouble?.message ?? session.notices.last?.words
        return RecordScene(
            run: watch.scene(trouble: trouble.map(shown) ?? views.trouble ?? session.plugins.trouble),
            state: session.state, waiting: session.waiting, recordedSeconds: session.recordedSeconds,
            maximumSeconds: session.options.settings.maximumSeconds,
            files: files, secondsLeft: disk.secondsLeft, freeBytes: disk.freeBytes)
    }

    private var files: [RecordScene.File] { zip(session.recorders, session.formats).map(RecordScene.File.init) }

    /// Where there is no page to see it on: a line when it begins, pauses or waits, and one now and then, for a log.
    private mutating func tellLine() {
        let state = session.state
        if state != toldState {
            toldState = state
            switch state {
            case .waiting: StandardError.complain(session.waiting)
            case .recording:
                // One that has failed records nothing more.
                let names = session.recorders.filter { $0.failure == nil }.map(\.presentName)
                if !names.isEmpty { StandardError.complain("recording \(names.joined(separator: ", "))") }
            case .paused: StandardError.complain("paused")
            case .over: break
            }
        }
        guard watch.takeLine() else { return }
        watch.writeLine(
            [session.run.engine.meters.peakWords, size(files.reduce(0) { $0 + $1.bytes })] + files.flatMap(\.warnings),
            atSeconds: session.recordedSeconds)
    }
}

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
}

extension Page {
    func lines(_ scene: RecordScene) -> [String] {
        lines(
            scene.run, state: state(scene),
            body: { $0.take(files(scene.files)) }, figures: figures(scene), keys: keys(scene))
    }

    /// With a picture in place of the meters.
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
        return [space, "n next file", "m mark", "v picture", "q quit"]
    }
}

/// Finds out whether a recording is at its end: in every FILE, or in all but those that have failed or whose pipe nobody reads.
///
/// A reader may stall as long as it likes while others record. Once the others are at their end, the recording waits for it
/// `patienceSeconds`, and no longer.
struct RecordEnd {
    private static let patienceSeconds = 5

    /// What each recorder had written, and the engine's position when that last became more.
    private var progress: [(frames: UInt64, position: UInt64)] = []

    mutating func isReached(_ session: RecordSession) -> Bool {
        let position = session.run.engine.position
        // While the server is away, the position stands still, and nobody is late.
        let patience = UInt64(Self.patienceSeconds * session.run.facts.sampleRate)
        if progress.isEmpty { progress = session.recorders.map { ($0.writtenFrames, position) } }
        var isDue = session.isDue
        var working = 0
        var waited = 0
        for (index, recorder) in session.recorders.enumerated() {
            let state = recorder.state
            isDue = isDue || state == .over
            guard state != .over && recorder.failure == nil else { continue }
            working += 1
            let frames = recorder.writtenFrames
            if state != .recording || frames != progress[index].frames { progress[index] = (frames, position) }
            if position >= progress[index].position + patience { waited += 1 }
        }
        return working == 0 || (isDue && waited == working)
    }
}
