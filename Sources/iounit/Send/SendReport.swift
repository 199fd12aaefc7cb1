import AudioDSP
import AudioFigures
import AudioIO
import AudioReports
import AudioStreaming

/// What `iounit send` has sent: the object of `--json`, and the summary for people made from it.
struct SendReport: LiveReport {
    struct Target: Encodable {
        /// As it was named.
        var target: String
        var codec: String
        /// Of the stream, in hertz.
        var sampleRate: Int
        /// When the run ended.
        var state: String
        var sentPackets: UInt64
        var sentBytes: UInt64
        var lostPackets: UInt64
        /// Frames of sound in those, at the stream's rate.
        var lostFrames: UInt64
        /// How often it was reached again.
        var reconnections: Int
        /// Why it was not reached or was lost, the last time; `null` where it never was.
        var error: Nullable<String>

        init(_ figures: TargetFigures, _ codec: StreamCodec?, state: TargetFigures.State) {
            target = "\(figures.target)"
            self.codec = codec?.rawValue ?? ""
            sampleRate = figures.sampleRate
            self.state = state.rawValue
            sentPackets = figures.sentPackets
            sentBytes = figures.sentBytes
            lostPackets = figures.lostPackets
            lostFrames = figures.lostFrames
            reconnections = max(0, figures.connections - 1)
            error = Nullable(figures.failure?.description)
        }

        fileprivate var summary: String {
            var parts = [codec, "\(sampleRate) Hz", "\(sentPackets) packets", size(Int(clamping: sentBytes))]
            if lostPackets > 0 { parts.append("\(lostPackets) packets LOST") }
            if reconnections > 0 { parts.append(reachedAgain(reconnections)) }
            if state == "connecting" { parts.append("NOT REACHED at the end") }
            if state == "failed" { parts.append("GIVEN UP") }
            return "  \(shown(target)): \(parts.joined(separator: ", "))"
        }
    }

    private enum CodingKeys: CodingKey {
        case schema, channels, gainDecibels, targets, droppedFrames, sdp, peakDecibels, clippedSamples
        case nonFiniteSamples
    }

    var schema = "iounit.send/1"
    var run: RunReport
    var channels: Int
    var gainDecibels: Double
    var targets: [Target]
    /// Frames that found no room on their way to the encoders.
    var droppedFrames: UInt64
    /// The file that describes the stream of RTP.
    var sdp: Nullable<String>
    /// Of each input; `null` for silence.
    var peakDecibels: [Nullable<Double>]
    /// Samples at or beyond full scale.
    var clippedSamples: UInt64
    /// Samples that came as NaN or infinite, and are silence.
    var nonFiniteSamples: UInt64

    init(_ session: SendSession) {
        let options = session.options
        channels = options.engine.inputChannels
        let totals = (0..<channels).map { session.run.engine.meters.totals($0) }
        run = RunReport(session.run)
        gainDecibels = options.gainDecibels
        let figures = session.figures
        targets = zip(figures, session.standing ?? figures).map { figures, before in
            // One may still be reached while the stream is ended.
            let state = figures.connections > before.connections ? .connected : before.state
            return Target(figures, options.codec(of: figures.target), state: state)
        }
        droppedFrames = session.droppedFrames
        sdp = Nullable(options.descriptionPath)
        peakDecibels = totals.map { Nullable($0.peak > 0 ? Decibels.decibels(Double($0.peak)) : nil) }
        clippedSamples = totals.reduce(0) { $0 + $1.clipped }
        nonFiniteSamples = session.run.unit.statistics.nonFiniteSamples
    }

    var summary: String {
        let peak = peakDecibels.compactMap(\.value).max().map { "\(fixed($0, 1)) dB" } ?? "silent"
        var lines = [
            "sent \(fixed(run.seconds, 1)) s of \(channels == 1 ? "1 channel" : "\(channels) channels") \(run.place)"
        ]
        lines += targets.map(\.summary)
        if droppedFrames > 0 { lines.append("  \(droppedFrames) frames DROPPED, because this machine was too slow") }
        lines.append(
            "  peak \(peak), clipped \(clippedSamples), non-finite \(nonFiniteSamples), \(run.losses)")
        if let absence = run.absence { lines.append(absence) }
        return lines.joined(separator: "\n")
    }
}

/// How often a target was reached again, in words.
func reachedAgain(_ count: Int) -> String { "reached again \(count == 1 ? "once" : "\(count) times")" }
