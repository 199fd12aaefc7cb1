import AudioIO
import AudioRecording
import AudioReports
import CommandSyntax
import FileCommands
import TerminalPages

/// A sound that feeds an engine in the place of its inputs.
final class SourceFeed {
    let player: Player
    private let source: Source
    private let engine: Engine
    private var playback: Playback?

    /// - Parameter node: what is fed.
    init(_ options: SourceOptions, in engine: Engine, to node: some Node, sampleRate: Int, channels: Int) throws {
        source = try options.open(sampleRate: sampleRate, channels: channels)
        self.engine = engine
        player = engine.attach(Player(channels: channels))
        try engine.connect(player, to: node)
    }

    /// Plays from the next block on.
    func play() throws {
        if let refusal = player.refusal { throw refusal }
        if let mix = source.downMix { StandardError.complain("the source's \(mix)") }
        playback = player.play(source)
    }

    /// Whether its last frame has been rendered, and has gone through what stands behind it.
    ///
    /// - Parameter latencyFrames: of that.
    func isHeardThrough(latencyFrames: Int) -> Bool {
        player.endPosition.map { engine.position >= $0 + UInt64(latencyFrames) } ?? false
    }

    /// Why it was not played to its end, or what was found to be broken in it.
    var trouble: Failure? {
        if let failure = player.failure { return failure.failure }
        return playback?.flaws.first.map { Failure(.badInput, "\(shown(source.name)): \($0)") }
    }
}
