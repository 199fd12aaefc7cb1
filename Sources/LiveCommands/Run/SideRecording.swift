import AudioFiles
import AudioIO
import AudioRecording
import AudioReports
import CommandSyntax
import Glibc

/// `--record` of a subcommand whose own work is another: what goes to its outputs, in a file.
struct SideRecording {
    static let options = [
        Option("record", "FILE", "record what goes to the outputs; the format follows the extension"),
        Option(flag: "force", "replace FILE of --record if it exists").needs(["record"]),
    ]

    private let path: String
    private let replaces: Bool

    /// - Returns: `nil` where nothing is to be recorded.
    init?(_ arguments: Arguments) throws(Failure) {
        replaces = arguments.has("force")
        guard let path = arguments.value("record") else { return nil }
        try arguments.require(!path.isEmpty && path != "-", "--record needs the name of a file", of: "record")
        try arguments.requireFilesApart(["record"])
        self.path = path
    }

    /// Begins with the first block. Last of all that can fail: `--force` replaces a file here.
    ///
    /// With a player it has what that plays, from its first frame to its last: a server that freewheels has rendered seconds more
    /// before anybody can end it.
    ///
    /// - Parameters:
    ///   - channels: of the outputs.
    ///   - player: plays one sound, and has not begun; `nil` for all that goes to the outputs.
    ///   - latencyFrames: how much later its sound comes to the outputs.
    func begin(
        _ run: EngineRun, channels: Int, following player: Player? = nil, latencyFrames: Int = 0
    ) throws -> Recorder {
        let sampleRate = run.facts.sampleRate
        var settings = RecordingSettings()
        settings.replaces = replaces
        // What lacks the server's rate, as Opus and MP3 lack some, gets the nearest that it has.
        if let format = try? SoundFileFormat(path: path), !format.takes(sampleRate: sampleRate, channels: channels) {
            settings.sampleRate = format.nearest(sampleRate: sampleRate, channels: channels)?.sampleRate
        }
        if player != nil { settings.start = .onRequest }
        let recorder = try Recorder(RecordingName(path), sampleRate: sampleRate, channels: channels, settings)
        if let player { recorder.follow(player, latencyFrames: latencyFrames) }
        do {
            // Not by `Engine.record`, whose recordings end when the engine is closed: the run alone knows whether it was abandoned,
            // and how long it has waited for a server.
            try recorder.start(
                run.engine.tapReader(run.engine.output, capacityFrames: run.tapFrames(channels: channels)))
        } catch {
            recorder.abandon()
            throw error
        }
        return recorder
    }
}

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
