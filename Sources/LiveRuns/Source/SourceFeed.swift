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
    /// In hertz, of the run.
    private let sampleRate: Int
    package private(set) var playback: Playback?

    package init(_ options: SourceOptions, in engine: Engine, to node: any Node, sampleRate: Int, channels: Int) throws
    {
        source = try options.open(sampleRate: sampleRate, channels: channels)
        self.engine = engine
        self.sampleRate = sampleRate
        player = engine.attach(Player(channels: channels))
        try engine.connect(player, to: node)
    }

    /// Plays from the next block on that is rendered once it is opened.
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

    package var report: SourceReport {
        SourceReport(
            name: source.name, sampleRate: source.sampleRate ?? sampleRate, channels: source.channels,
            downMix: source.downMix.map(MixReport.init), frames: player.playedFrames,
            underrunFrames: player.underrunFrames)
    }
}

package struct SourceReport: Reported {
    let name: String
    let sampleRate: Int
    let channels: Int
    let downMix: MixReport?
    let frames: Int
    let underrunFrames: Int

    package static let fields: [ReportField<Self>] = [
        .field("name", "a file, or tone, noise or silence", \.name),
        .field("sampleRate", "of the source", unit: .hertz, \.sampleRate),
        .field("channels", "of the source", \.channels),
        .field("downMix", "null where it has no more channels than there are inputs", \.downMix),
        .field("frames", "that were fed, at the run's rate", unit: .frames, \.frames),
        .field("underrunFrames", "silence, because the source was too slow", unit: .frames, \.underrunFrames),
    ]

    package var line: String {
        "  played \(frames) frames of \(shown(name)) (\(sampleRate) Hz)"
            + (underrunFrames > 0 ? ", \(underrunFrames) frames LATE" : "")
    }
}

extension ReportField {
    package static func source(_ read: @escaping @Sendable (Root) -> (some Reported)?) -> Self {
        .field("source", "what --source has played; null where nothing was to be", read)
    }
}
