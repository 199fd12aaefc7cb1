import AudioDSP
import AudioFigures
import AudioFiles
import AudioIO
import AudioReports
import TerminalPages

/// What `iounit play` has played: the object of `--json`, and the summary for people made from it.
struct PlayReport: LiveReport {
    struct File: Encodable {
        /// `-` is the standard input.
        var path: String
        /// In libsndfile's words.
        var format: String
        /// The file's own.
        var sampleRate: Int
        var channels: Int
        /// Of the part to be played, as the header promises; `null` where it does not know.
        var seconds: Nullable<Double>
        /// How its channels come down to the outputs; `null` where there are no more of them.
        var downMix: Nullable<MixReport>
        /// How often it was begun and heard.
        var plays: Int
        /// What was heard of it in all, at the server's rate.
        var playedFrames: Int
        var playedSeconds: Double
        /// What is broken in it.
        var warnings: [String]
        /// Why it was not played to its end; `null` where it was, or not wanted.
        var error: Nullable<String>

        init(_ entry: PlayedEntry, outputs: Int) {
            path = entry.path
            format = entry.formatWords
            sampleRate = entry.sampleRate
            channels = entry.channels
            seconds = Nullable(entry.seconds)
            let mix = entry.channels > outputs ? ChannelMatrix(from: entry.channels, to: outputs) : nil
            downMix = Nullable(mix.map(MixReport.init))
            plays = entry.plays
            playedFrames = entry.playedFrames
            playedSeconds = (entry.playedSeconds * 1e9).rounded() / 1e9
            warnings = entry.warnings
            error = Nullable(entry.failure?.description)
        }

        fileprivate var summary: String {
            "  \(shown(path == "-" ? "standard input" : path)): \(playedFrames) frames, \(fixed(playedSeconds, 3)) s"
                + (plays > 1 ? ", begun \(plays) times" : "") + (error.value == nil ? "" : ", FAILED")
                + (warnings.isEmpty ? "" : ", BROKEN")
        }
    }

    private enum CodingKeys: CodingKey {
        case schema, outputs, gainDecibels, files, playedFrames, startFrame, underrunFrames, peakDecibels
        case clippedSamples, nonFiniteSamples
    }

    var schema = "iounit.play/2"
    var run: RunReport
    var outputs: Int
    /// At the end.
    var gainDecibels: Double
    var files: [File]
    /// Of all files, at the server's rate.
    var playedFrames: Int
    /// The engine's frame at which the first sound was heard; `null` where none was.
    var startFrame: Nullable<UInt64>
    /// Frames of silence that were played because a file or the pipe was too slow.
    var underrunFrames: Int
    /// Of each output; `null` for silence.
    var peakDecibels: [Nullable<Double>]
    /// Samples at or beyond full scale at the outputs.
    var clippedSamples: UInt64
    /// Samples of the files that were NaN, infinite or absurd, and came out as silence.
    var nonFiniteSamples: Int

    init(_ session: PlaySession, startFrame: UInt64?) {
        let totals = (0..<session.outputs).map { session.run.engine.meters.totals($0) }
        run = RunReport(session.run)
        outputs = session.outputs
        gainDecibels = thousandths(session.gain.decibels)
        files = session.queue.entries.map { File($0, outputs: session.outputs) }
        playedFrames = session.player.playedFrames
        self.startFrame = Nullable(startFrame)
        underrunFrames = session.player.underrunFrames
        peakDecibels = totals.map { Nullable($0.peak > 0 ? Decibels.decibels(Double($0.peak)) : nil) }
        clippedSamples = totals.reduce(0) { $0 + $1.clipped }
        nonFiniteSamples = session.player.nonFiniteSamples
    }

    private static let mostLines = 40

    var summary: String {
        let playedSeconds = files.reduce(0) { $0 + $1.playedSeconds }
        let heard = files.filter { $0.plays > 0 || $0.error.value != nil }
        var lines = [
            "played \(fixed(playedSeconds, 1)) s of \(files.count == 1 ? "1 file" : "\(files.count) files") \(run.place)"
        ]
        lines += heard.prefix(Self.mostLines).map(\.summary)
        if heard.count > Self.mostLines { lines.append("  … and \(heard.count - Self.mostLines) more") }
        let peak = peakDecibels.compactMap(\.value).max().map { "\(fixed($0, 1)) dB" } ?? "silent"
        lines.append(
            "  gain \(signed(gainDecibels)) dB, peak \(peak), clipped \(clippedSamples), non-finite \(nonFiniteSamples)"
        )
        lines.append("  underruns \(underrunFrames) frames, \(run.losses)")
        if let absence = run.absence { lines.append(absence) }
        return lines.joined(separator: "\n")
    }
}
