import AudioFiles
import AudioIO
import AudioRecording
import AudioReports
import CommandSyntax
import Jack
import LiveRuns
import Threads

/// One run of an engine that records: a recorder for each FILE, which hear the same and are asked the same.
final class RecordSession: LiveSession {
    let unit: UnitRun
    private(set) lazy var controls = ControlTable(unit.controls + ownControls + run.controls)
    var figures: [OSCFigure] { run.figures { [unowned self] in presentTrouble } + (recorders.first?.figures ?? []) }
    let recorders: [Recorder]
    let formats: [SoundFileFormat]
    let options: RecordOptions
    /// How much later sound came out of voice processing and plug-ins than it went in, when the run began: what is asked for of
    /// the sound of a moment comes so much later.
    private let latencyFrames: Int
    private var marks = 0
    /// What was asked for last, and the frame at which it is due.
    private var asked: (state: Recorder.State, position: UInt64)?
    /// That a file had a name no more when it was finished.
    private var removal: Failure?

    /// Finds out whether all of it can be had, in the order: server, ports, files, parts.
    init(_ options: RecordOptions, server: Server?) throws {
        self.options = options
        unit = try UnitRun(options.unit, on: server)
        let (sampleRate, channels) = (unit.sampleRate, unit.channels)
        try options.checkPreroll(sampleRate: sampleRate)
        latencyFrames = unit.run.engine.latencyFrames
        formats = options.targets.map(\.format)
        var recorders: [Recorder] = []
        do {
            for target in options.targets {
                recorders.append(
                    try Recorder(
                        target.name, sampleRate: sampleRate, channels: channels,
                        Self.settings(
                            of: target, options, sampleRate: sampleRate, channels: channels,
                            latencyFrames: latencyFrames)))
            }
            try unit.parts.begin(unit.run)
        } catch {
            for recorder in recorders { recorder.abandon() }
            throw error
        }
        self.recorders = recorders
    }

    private static func settings(
        of target: RecordOptions.Target, _ options: RecordOptions, sampleRate: Int, channels: Int, latencyFrames: Int
    ) -> RecordingSettings {
        var settings = options.settings
        settings.format = target.format
        settings.takeNearestRate(for: target.name, sampleRate: sampleRate, channels: channels)
        settings.encoder = settings.encoder.applicable(to: target.format)
        switch settings.start {
        // `start` asks for it.
        case .immediately where latencyFrames > 0 || options.followsSource: settings.start = .onRequest
        case .at(let nanoseconds):
            settings.start = .at(
                nanoseconds: nanoseconds + UInt64((Double(latencyFrames) / Double(sampleRate) * 1e9).rounded()))
        default: break
        }
        return settings
    }

    func start() throws {
        // Before the first cycle, so that all have the same first frame.
        for recorder in recorders {
            if options.followsSource, let source = unit.path.source {
                recorder.follow(source.player, latencyFrames: latencyFrames)
            } else if case .immediately = options.settings.start, latencyFrames > 0 {
                recorder.beginAtOnce(atPosition: UInt64(latencyFrames))
            }
            try recorder.start(
                run.engine.tapReader(unit.path.heard, capacityFrames: run.tapFrames(channels: unit.channels)))
        }
        try unit.start()
    }

    // What is asked for, at one frame for all.

    /// As near as it is safe: every recorder must hear of it before it reads the frame.
    private var nextPosition: UInt64 {
        run.engine.position + UInt64(max(2 * run.facts.periodFrames, run.facts.sampleRate / 50))
            + UInt64(run.engine.latencyFrames)
    }

    var state: Recorder.State {
        let states = recorders.map(\.state)
        for state in [Recorder.State.recording, .paused, .waiting] where states.contains(state) { return state }
        return .over
    }

    /// The state that was asked for last, while the recorders have not reached its frame: a server that is away brings no frames.
    /// A minute after that frame they have acted, also where a disk has kept them from it, or never will.
    private var nextState: Recorder.State {
        let state = state
        guard let (next, position) = asked, next != state, state != .over,
            run.engine.position < position + UInt64(60 * run.facts.sampleRate)
        else {
            asked = nil
            return state
        }
        return next
    }

    func begin() {
        // The transport alone begins a recording that goes with it.
        if case .transport = options.settings.start { return }
        guard nextState == .waiting else { return }
        ask(.recording) { $0.begin(atPosition: $1) }
    }

    func split() { ask { $0.split(atPosition: $1) } }

    /// Begins, pauses or goes on, whatever is next.
    func toggle() {
        switch nextState {
        case .waiting: begin()
        case .recording: ask(.paused) { $0.pause(atPosition: $1) }
        case .paused: ask(.recording) { $0.resume(atPosition: $1) }
        case .over: break
        }
    }

    func mark() {
        guard nextState == .recording else { return }
        marks += 1
        let label = "mark \(marks)"
        ask { $0.mark(label, atPosition: $1) }
    }

    private var ownControls: [Control] {
        [
            .flag(
                "record", "the recording begins or goes on, or pauses", isUndoable: false,
                get: { [unowned self] in nextState == .recording },
                set: { [unowned self] in if $0 != (nextState == .recording) { toggle() } }),
            .action("split", "go on in the next file") { [unowned self] in split() },
            .action("mark", "mark this place of the recording") { [unowned self] in mark() },
        ]
    }

    /// - Parameter next: what they are then; `nil` where that stays the same.
    private func ask(_ next: Recorder.State? = nil, _ body: (Recorder, UInt64) -> Void) {
        let position = nextPosition
        if let next { asked = (next, position) }
        for recorder in recorders { body(recorder, position) }
    }

    var words: [String] {
        state == .waiting
            ? [waiting] : zip(recorders, formats).map { "\($0.presentName), \($1), \(size($0.writtenBytes))" }
    }

    // The end.

    /// Whether so much was rendered that every recorder would be at its end if it had kept pace.
    var isDue: Bool {
        guard !options.followsSource, case .immediately = options.settings.start,
            let seconds = options.settings.maximumSeconds,
            recorders.allSatisfy({ $0.wantedGapCount == 0 })
        else { return false }
        return Double(run.engine.position) >= seconds * Double(run.facts.sampleRate) + Double(latencyFrames)
    }

    /// In the longest file.
    var recordedSeconds: Double { recorders.map(\.writtenSeconds).max() ?? 0 }

    /// What it waits for, in words.
    var waiting: String {
        // At a high rate they may be fewer than were asked for.
        let frames = options.settings.prerollFrames(sampleRate: unit.sampleRate, channels: unit.channels)
        let kept = Double(frames) / Double(unit.sampleRate)
        let preroll = kept > 0 ? "; \(fixed(kept, kept < 10 ? 1 : 0)) s before it are kept" : ""
        switch options.settings.start {
        case .sound(let trigger): return "waiting for a sound of \(fixed(trigger.thresholdDecibels, 1)) dB\(preroll)"
        case .at: return "waiting until \(options.startWords ?? "")\(preroll)"
        case .onRequest: return "waiting for the key space, or SIGUSR2\(preroll)"
        case .transport: return "waiting for JACK's transport to roll"
        case .immediately: return "waiting for the first cycle"
        }
    }

    /// What is missing at the end counts as a gap, but for a pause, which was wanted.
    func save() {
        let end = state == .paused ? nil : run.missingUntil
        atOnce { $0.finish(withoutServerUntil: end) }
    }

    func finish() { removal = recorders.lazy.compactMap(\.removal).first }

    func abandon() { atOnce { $0.abandon() } }

    /// Ends all of them at the same time: a disk that does not answer is waited for once, and not once for each file.
    private func atOnce(_ end: @escaping @Sendable (Recorder) -> Void) {
        let workers = recorders.map { recorder in
            let worker = try? Worker("iounit-finish") { end(recorder) }
            // The machine has no thread for it: one after the other then.
            if worker == nil { end(recorder) }
            return worker
        }
        for worker in workers { worker?.join() }
    }

    /// In the order of the files.
    func ownTrouble(_ rank: TroubleRank, isOver: Bool) -> Failure? {
        switch rank {
        case .recording: recorders.lazy.compactMap(\.failure).first?.failure ?? removal
        case .sound: unit.trouble
        case .sending: nil
        }
    }

    /// What is to be said where the files are not as they were to be.
    var notices: [(cause: String, words: String)] { recorders.flatMap(\.notices) }

    var writesToOutput: Bool { options.usesOutput || parts.useOutput }

    func report() -> RecordReport {
        RecordReport(unit: UnitReport(self), files: zip(recorders, formats).map(RecordReport.File.init))
    }
}
