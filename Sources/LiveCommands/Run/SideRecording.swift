import AudioIO
import AudioRecording
import CommandSyntax

/// `--record` of a subcommand whose own work is another: what goes to its outputs, in a file.
struct SideRecording {
    static let options = [
        Option("record", "FILE", "record what goes to the outputs, as iounit record does"),
        Option(flag: "force", "replace FILE of --record if it exists"),
    ]

    private let path: String
    private let replaces: Bool

    /// - Returns: `nil` where nothing is to be recorded.
    init?(_ arguments: Arguments) throws(Failure) {
        replaces = arguments.has("force")
        try arguments.require(!replaces || arguments.has("record"), "--force is for the file of --record")
        guard let path = arguments.value("record") else { return nil }
        try arguments.require(!path.isEmpty && path != "-", "--record needs the name of a file")
        self.path = path
    }

    /// Begins with the first block. Last of all that can fail: `--force` replaces a file here.
    func begin(_ engine: Engine) throws -> Recorder {
        try engine.record(engine.output, to: path, force: replaces)
    }

    /// Has what a player plays, from its first frame to its last: a server that freewheels has rendered seconds more before
    /// anybody can end it.
    ///
    /// - Parameters:
    ///   - player: plays one sound, and has not begun.
    ///   - latencyFrames: how much later its sound comes to the outputs.
    func begin(_ run: EngineRun, following player: Player, latencyFrames: Int, channels: Int) throws -> Recorder {
        var settings = RecordingSettings()
        settings.replaces = replaces
        settings.start = .onRequest
        let recorder = try Recorder(
            RecordingName(path), sampleRate: run.facts.sampleRate, channels: channels, settings)
        recorder.follow(player, latencyFrames: latencyFrames)
        do {
            try recorder.start(
                run.engine.tapReader(run.engine.output, capacityFrames: run.tapFrames(channels: channels)))
        } catch {
            recorder.abandon()
            throw error
        }
        return recorder
    }
}
