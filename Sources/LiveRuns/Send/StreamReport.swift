import AudioReports
import AudioStreaming

package struct StreamReport: PartReport {
    package static let field = (name: "sent", meaning: "what --send has sent; null where nothing was to be")

    struct Target: Reported {
        var figures: TargetFigures
        var codec: String
        /// When the run ended.
        var state: TargetFigures.State

        static let fields: [ReportField<Self>] = [
            .field("target", "as it was named, without a password and what follows a question mark") {
                "\($0.figures.target)"
            },
            .field("codec", "as in --codec", \.codec),
            .field("sampleRate", "of the stream", unit: .hertz, \.figures.sampleRate),
            .field(
                "state", "at the end: connected, connecting (not reached, or not again) or failed",
                of: ["connected", "connecting", "failed"], \.state.rawValue),
            .field("sentPackets", "that left, marks of missing time among them", \.figures.sentPackets),
            .field(
                "sentBytes", "that left: of RTP the payloads, of WebSockets the messages, else all of the stream",
                \.figures.sentBytes),
            .field(
                "lostPackets", "that did not leave, as the target was not there or took too little",
                \.figures.lostPackets),
            .field("lostFrames", "of sound in those, at the stream's rate", unit: .frames, \.figures.lostFrames),
            .field(
                "unconfirmedPackets",
                "of those that left: by a WebSocket that broke before the receiver said that it has them, or by "
                    + "an Icecast connection that had not taken all of them yet",
                \.figures.unconfirmedPackets),
            .field("reconnections", "how often it was reached again", \.reconnections),
            .field(
                "error", "why it was not reached or was lost, the last time; null where it never was",
                \.figures.failure?.description),
        ]

        private var reconnections: Int { max(0, figures.connections - 1) }

        fileprivate var summary: String {
            var parts = [
                codec, "\(figures.sampleRate) Hz", "\(figures.sentPackets) packets",
                size(Int(clamping: figures.sentBytes)),
            ]
            if figures.lostPackets > 0 { parts.append("\(figures.lostPackets) packets LOST") }
            if figures.unconfirmedPackets > 0 { parts.append("\(figures.unconfirmedPackets) packets NOT CONFIRMED") }
            if reconnections > 0 { parts.append("reached again \(timesInWords(reconnections))") }
            if state == .connecting { parts.append("NOT REACHED at the end") }
            if state == .failed { parts.append("GIVEN UP") }
            return "  \(shown("\(figures.target)")): \(parts.joined(separator: ", "))"
        }
    }

    var targets: [Target]
    var droppedFrames: UInt64
    var sdp: String?

    package static let fields: [ReportField<Self>] = [
        .group("targets", \.targets),
        .field("droppedFrames", "what found no room on its way to the encoders", unit: .frames, \.droppedFrames),
        .field("sdp", "the file that describes the stream of RTP; null where none was asked for", \.sdp),
    ]

    package init(_ stream: StreamRun) {
        let options = stream.options
        let figures = stream.figures
        targets = zip(figures, stream.standing ?? figures).map { figures, before in
            // One may still be reached while the stream is ended.
            let state = figures.connections > before.connections ? .connected : before.state
            return Target(figures: figures, codec: options.codec(of: figures.target)?.name ?? "", state: state)
        }
        droppedFrames = stream.droppedFrames
        sdp = options.descriptionPath
    }

    /// A line for each target.
    package var summary: [String] { targets.map(\.summary) + losses }

    /// The same beside what else the run did.
    package var lines: [String] { targets.map { "  sent to\($0.summary.dropFirst())" } + losses }

    private var losses: [String] {
        droppedFrames > 0 ? ["  \(droppedFrames) frames DROPPED before they were sent: this machine was too slow"] : []
    }
}
