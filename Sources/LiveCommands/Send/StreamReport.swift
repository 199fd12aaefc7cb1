import AudioFigures
import AudioReports
import AudioStreaming

/// What was sent to each target.
struct StreamReport: Encodable {
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
        /// That left by a WebSocket that broke, and of which the receiver had not said that it has them.
        var unconfirmedPackets: UInt64
        /// How often it was reached again.
        var reconnections: Int
        /// Why it was not reached or was lost, the last time; `null` where it never was.
        var error: Nullable<String>

        init(_ figures: TargetFigures, _ codec: Codec?, state: TargetFigures.State) {
            target = "\(figures.target)"
            self.codec = codec?.name ?? ""
            sampleRate = figures.sampleRate
            self.state = state.rawValue
            sentPackets = figures.sentPackets
            sentBytes = figures.sentBytes
            lostPackets = figures.lostPackets
            lostFrames = figures.lostFrames
            unconfirmedPackets = figures.unconfirmedPackets
            reconnections = max(0, figures.connections - 1)
            error = Nullable(figures.failure?.description)
        }

        fileprivate var summary: String {
            var parts = [codec, "\(sampleRate) Hz", "\(sentPackets) packets", size(Int(clamping: sentBytes))]
            if lostPackets > 0 { parts.append("\(lostPackets) packets LOST") }
            if unconfirmedPackets > 0 { parts.append("\(unconfirmedPackets) packets NOT CONFIRMED") }
            if reconnections > 0 { parts.append(reachedAgain(reconnections)) }
            if state == "connecting" { parts.append("NOT REACHED at the end") }
            if state == "failed" { parts.append("GIVEN UP") }
            return "  \(shown(target)): \(parts.joined(separator: ", "))"
        }
    }

    var targets: [Target]
    /// Frames that found no room on their way to the encoders.
    var droppedFrames: UInt64
    /// The file that describes the stream of RTP.
    var sdp: Nullable<String>

    init(_ stream: StreamRun) {
        let options = stream.options
        let figures = stream.figures
        targets = zip(figures, stream.standing ?? figures).map { figures, before in
            // One may still be reached while the stream is ended.
            let state = figures.connections > before.connections ? .connected : before.state
            return Target(figures, options.codec(of: figures.target), state: state)
        }
        droppedFrames = stream.droppedFrames
        sdp = Nullable(options.descriptionPath)
    }

    /// A line for each target.
    var summary: [String] {
        targets.map(\.summary)
            + (droppedFrames > 0 ? ["  \(droppedFrames) frames DROPPED, because this machine was too slow"] : [])
    }
}

/// How often a target was reached again, in words.
func reachedAgain(_ count: Int) -> String { "reached again \(count == 1 ? "once" : "\(count) times")" }
