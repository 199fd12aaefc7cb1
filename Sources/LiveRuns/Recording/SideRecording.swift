import AudioIO
import AudioRecording
import AudioReports
import CommandSyntax
import FileCommands

/// `--record` of a subcommand whose own work is another: what goes to its outputs, in a file.
package struct SideRecording: PartOptions {
    private static let gaps = RunOptions.gaps(
        "fill gaps of the recording with silence, so that it keeps its time, or cut them out")
    private static let rateChange = RunOptions.rateChange(
        "if the server comes back at another sample rate: split the recording into FILE, FILE-2, …, or convert what comes"
    )

    package static let record = Option(
        "record", "FILE",
        "record what goes to the outputs; the format follows the extension; {date}, {time} and {n} as in record"
    ).kept(.run).usableOffline()

    package static let options = [
        record,
        .force("replace files that exist", of: ["record", "sdp"]).usableOffline(),
        gaps.option.needs(["record"]), rateChange.option.needs(["record"]),
    ]
    package static let group: OptionGroup = ("Recording", options)

    /// A template, as `RecordingName` has it.
    package var path: String
    package var settings = RecordingSettings()

    package init?(_ arguments: Arguments) throws(Failure) {
        guard let path = arguments.word(of: Self.record) else { return nil }
        try arguments.require(!path.isEmpty && path != "-", "--record needs the name of a file", of: "record")
        try arguments.requireFilesApart(["source", "record"])
        self.path = path
        let name = try RecordingName(option: path, "record")
        try arguments.require(
            !name.isByChannel, "--record makes one file: {channel} is for iounit record", of: "record")
        settings.replaces = arguments.replaces
        settings.gapFill = try arguments.value(of: Self.gaps)
        settings.rateChange = try arguments.value(of: Self.rateChange)
    }

    package var usesOutput: Bool { StandardOutput.isNamed(by: path) }

    package func open(inputs: Int, outputs: Int) throws -> SideRecorder { SideRecorder(self, channels: outputs) }
}

package final class SideRecorder: RunPart {
    private let options: SideRecording
    private let channels: Int
    package private(set) var recorder: Recorder?
    /// That it had a name no more when it was finished.
    private var removal: Failure?
    private var followed: (player: Player, latencyFrames: Int)?
    private var toldCauses: Set<String> = []

    package init(_ options: SideRecording, channels: Int) {
        self.options = options
        self.channels = channels
    }

    /// Has what a player plays, from its first frame to its last: a server that freewheels has rendered seconds more before
    /// anybody can end it. To be called before it begins.
    ///
    /// - Parameters:
    ///   - player: plays one sound after another, and has not begun.
    ///   - latencyFrames: how much later its sound comes to the outputs.
    package func follow(_ player: Player, latencyFrames: Int) { followed = (player, latencyFrames) }

    package func begin(_ run: EngineRun) throws { try begin(run.engine, sampleRate: run.facts.sampleRate) }

    /// Begins with the first block. `--force` replaces a file here.
    package func begin(_ engine: Engine, sampleRate: Int) throws {
        var settings = options.settings
        let name = try RecordingName(template: options.path)
        settings.takeNearestRate(for: name, sampleRate: sampleRate, channels: channels)
        if followed != nil { settings.start = .onRequest }
        let recorder = try Recorder(name, sampleRate: sampleRate, channels: channels, settings)
        if let (player, latencyFrames) = followed { recorder.follow(player, latencyFrames: latencyFrames) }
        do {
            // Not by `Engine.record`, whose recordings end when the engine is closed: the run alone knows whether it was abandoned,
            // and how long it has waited for a server.
            let frames = EngineRun.tapFrames(sampleRate: sampleRate, channels: channels)
            try recorder.start(engine.tapReader(engine.output, capacityFrames: frames))
        } catch {
            recorder.abandon()
            throw error
        }
        self.recorder = recorder
    }

    package func work(_ moment: RunMoment) { tellNotices(isShown: moment.isShown) }

    /// Tells once, as soon as it is so, that the recording is not as it was to be.
    package func tellNotices(isShown: Bool) { recorder?.tellNotices(besides: &toldCauses, isShown: isShown) }

    package var recorders: [Recorder] { [recorder].compactMap(\.self) }
    package var controls: [Control] { recorder?.controls ?? [] }
    package var figures: [OSCFigure] { recorder?.figures ?? [] }
    package var trouble: Failure? { recorder?.failure?.failure ?? removal }
    package var troubleRank: TroubleRank { .recording }
    package var report: RecordingReport? { recorder.map(RecordingReport.init) }

    package func save(withoutServerUntil end: UInt64?) { recorder?.finish(withoutServerUntil: end) }
    package func finish() { removal = recorder?.removal }
    package func abandon() { recorder?.abandon() }
}

extension RecordingName {
    /// A template that a user has written.
    ///
    /// - Parameter option: in which it stands; `nil` where it is an argument.
    package init(option template: String, _ option: String? = nil) throws(Failure) {
        do {
            try self.init(template: template)
        } catch {
            throw Failure(.usage, error.description, options: [option].compactMap(\.self))
        }
    }
}

extension Recorder {
    /// Of a recording that is finished: that one of its files is gone, or is another program's; `nil` where all are there.
    package var removal: Failure? {
        // A disk that did not answer would not answer this either; and the failure says more.
        guard failure == nil else { return nil }
        guard let path = displacedPath else { return nil }
        return Failure(
            .inputOutput,
            "the recording \(shown(path)) was removed, renamed or replaced while it was made; look for it under another name, "
                + "and record to a folder that nobody tidies up")
    }
}
