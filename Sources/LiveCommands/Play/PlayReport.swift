import AudioFiles
import AudioRecording
import AudioReports
import LiveRuns
import TerminalPages

struct PlayReport: LiveReport {
    struct File: Reported {
        var path: String
        var format: String
        var sampleRate: Int
        var channels: Int
        var seconds: Double?
        var downMix: MixReport?
        var plays: Int
        var playedFrames: Int
        var playedSeconds: Double
        var warnings: [String]
        var error: String?

        static let fields: [ReportField<Self>] = [
            .field("path", "as it was given, in the order of the list; - is the standard input", \.path),
            .field("format", "in libsndfile's words", \.format),
            .field("sampleRate", "of the file", unit: .hertz, \.sampleRate),
            .field("channels", "of the file", \.channels),
            .field(
                "seconds", "of the part to be played, by the header; null where it does not tell", unit: .seconds,
                \.seconds),
            .field("downMix", "null where the file has no more channels than there are outputs", \.downMix),
            .field("plays", "how often it was begun and heard", \.plays),
            .field("playedFrames", "heard of it in all, at the server's rate", unit: .frames, \.playedFrames),
            .field("playedSeconds", "how long those last", unit: .seconds, \.playedSeconds),
            .field("warnings", "what is broken in it, of which the readable part was played", \.warnings),
            .field("error", "why it was not played to its end; null where it was, or was not wanted", \.error),
        ]

        /// - Parameter playing: what is not in the entry's account yet.
        fileprivate init(_ entry: PlayedEntry, outputs: Int, playing: [Playback]) {
            path = entry.path
            format = entry.formatWords
            sampleRate = entry.sampleRate
            channels = entry.channels
            seconds = entry.seconds
            let mix = entry.channels > outputs ? ChannelMatrix(from: entry.channels, to: outputs) : nil
            downMix = mix.map(MixReport.init)
            plays = entry.plays + playing.count(where: \.hasBegun)
            playedFrames = playing.reduce(entry.playedFrames) { $0 + $1.playedFrames }
            playedSeconds = (playing.reduce(entry.playedSeconds) { $0 + $1.playedSeconds } * 1e9).rounded() / 1e9
            warnings = entry.warnings
            error = (entry.failure ?? playing.lazy.compactMap(\.failure).first)?.description
        }

        fileprivate var summary: String {
            "  \(shown(path == "-" ? "standard input" : path)): \(playedFrames) frames, \(fixed(playedSeconds, 3)) s"
                + (plays > 1 ? ", begun \(plays) times" : "") + (error == nil ? "" : ", FAILED")
                + (warnings.isEmpty ? "" : ", BROKEN")
        }
    }

    var unit: UnitReport<SideParts>
    var files: [File]
    var playedFrames: Int
    var startFrame: UInt64?
    var underrunFrames: Int
    var nonFiniteSamples: Int

    static let kind = document("play", 2)
    static let fields: [ReportField<Self>] = [
        .field("outputs", "how many output ports", \.unit.channels),
        .field("gainDecibels", "at the end; 0 changes no bit", unit: .decibels, \.unit.gainDecibels),
        .plugins(\.unit.plugins),
        .group("files", \.files),
        .field("playedFrames", "of all files, at the server's rate", unit: .frames, \.playedFrames),
        .field(
            "startFrame", "the first frame of the run at which a file leaves the outputs; null where none did",
            unit: .frames,
            \.startFrame),
        .field(
            "underrunFrames", "silence, because a file or the pipe was too slow", unit: .frames, \.underrunFrames),
        .inline(\.unit.levels),
        .field(
            "nonFiniteSamples", "no numbers in the files or made by plug-ins, and silence at the outputs",
            \.nonFiniteSamples),
        .inline(\.unit.parts), .duration(\.unit.run.seconds), .inline(\.unit.run),
    ]

    init(_ session: PlaySession, startFrame: UInt64?) {
        unit = UnitReport(session)
        let playing = session.playing
        files = session.queue.entries.map {
            File($0, outputs: session.outputs, playing: playing[ObjectIdentifier($0)] ?? [])
        }
        playedFrames = session.player.playedFrames
        self.startFrame = startFrame.map { $0 + UInt64(session.run.engine.latencyFrames) }
        underrunFrames = session.player.underrunFrames
        nonFiniteSamples = session.player.nonFiniteSamples + Int(clamping: session.plugins.nonFiniteSamples)
    }

    private static let mostLines = 40

    var summary: String {
        let playedSeconds = files.reduce(0) { $0 + $1.playedSeconds }
        let heard = files.filter { $0.plays > 0 || $0.error != nil }
        let (run, levels) = (unit.run, unit.levels)
        var lines = ["played \(fixed(playedSeconds, 1)) s of \(counted(files.count, "file")) \(run.place)"]
        lines += unit.pluginLines
        lines += heard.prefix(Self.mostLines).map(\.summary)
        if heard.count > Self.mostLines { lines.append("  … and \(heard.count - Self.mostLines) more") }
        lines.append(
            "  gain \(signed(unit.gainDecibels)) dB, peak \(levels.peak), clipped \(levels.clippedSamples), non-finite \(nonFiniteSamples)"
        )
        lines.append("  underruns \(underrunFrames) frames, \(run.losses)")
        lines += run.ending(unit.parts)
        return lines.joined(separator: "\n")
    }
}
