import AudioIO
import AudioRecording
import AudioReports
import CommandSyntax
import FileCommands

/// A sound that feeds an engine in the place of its inputs.
package final class SourceFeed {
    package let player: Player
    package let source: Source
    private let engine: Engine
    package private(set) var playback: Playback?

    /// - Parameter node: what is fed.
    package init(_ options: SourceOptions, in engine: Engine, to node: any Node, sampleRate: Int, channels: Int) throws
    {
        source = try options.open(sampleRate: sampleRate, channels: channels)
        self.engine = engine
        player = engine.attach(Player(channels: channels))
        try engine.connect(player, to: node)
    }

    /// Plays from the next block on.
    package func play() throws {
        if let refusal = player.refusal { throw refusal }
        playback = player.play(source)
    }

    /// What is to be said of it where it has more channels than what it feeds.
    package var mix: String? { source.downMix.map { "the source's \($0)" } }

    /// Whether its last frame has been rendered, and has gone through what stands behind it.
    ///
    /// - Parameter latencyFrames: of that.
    func isHeardThrough(latencyFrames: Int) -> Bool {
        player.endPosition.map { engine.position >= $0 + UInt64(latencyFrames) } ?? false
    }

    /// What was found to be broken in it while it was read. A file with a flaw that is known at the start is refused.
    package var flaw: Failure? { playback?.flaws.first.map { Failure(.badInput, "\(shown(source.name)): \($0)") } }

    /// Why it was not played to its end, or what was found to be broken in it.
    var trouble: Failure? { player.failure?.failure ?? flaw }
}
