import AudioReports
import AudioStreaming
import CommandSyntax
import Jack
import LiveRuns
import TerminalPages

/// One run of an engine that plays a stream.
final class ReceiveSession: LiveSession {
    let unit: UnitRun
    private(set) lazy var controls = ControlTable(unit.controls + run.controls)
    let receiver: StreamReceiver
    /// The figures at the end, once that has come.
    private var final: ReceiverFigures?

    init(_ options: ReceiveOptions, _ origin: StreamOrigin, server: Server?) throws {
        receiver = StreamReceiver(from: origin, options.settings, channels: options.unit.engine.outputChannels)
        unit = try UnitRun(options.unit, on: server, from: receiver)
        try parts.begin(run)
    }

    func start() throws { try unit.start() }

    /// What came of the stream.
    var stream: ReceiverFigures { final ?? receiver.figures }

    // The end.

    /// Before the node is left, whose worker ends with it.
    func noteEnd() { if final == nil { final = receiver.figures } }

    /// What went wrong, or that nothing was received at all, which is no failure before the end.
    func ownTrouble(_ rank: TroubleRank, isOver: Bool) -> Failure? {
        guard rank == .sound else { return nil }
        let figures = stream
        guard isOver else { return figures.failure?.failure }
        // Of RTP an error tells what was sent last, and is gone when a stream begins.
        let isRTP = if case .rtp = receiver.origin.kind { true } else { false }
        guard figures.streams == 0 || figures.failure != nil && (figures.state == .failed || isRTP) else { return nil }
        if let error = figures.failure { return error.failure }
        return Failure(
            .noServer,
            "nothing came from \(shown("\(receiver.origin)")); does the sender send to this address, and does a firewall keep "
                + "it away?")
    }

    var words: [String] {
        [shown("\(receiver.origin)")] + [streamWords(stream)].compactMap(\.self) + stream.words
    }

    func report() -> ReceiveReport {
        ReceiveReport(
            origin: "\(receiver.origin)", figures: stream, recording: parts.recorders.first?.path,
            unit: UnitReport(self))
    }
}

struct ReceiveReport: LiveReport {
    var origin: String
    var figures: ReceiverFigures
    /// The file of `--record`.
    var recording: String?
    var unit: UnitReport<StreamParts>

    static let kind = document("receive", 2)
    static let fields: [ReportField<Self>] =
        stream + packets + sound + times
        + [
            .field("recording", "the file of --record; null for none", \.recording),
            .inline(\.unit.levels),
            .field(
                "error", "why the sender was not reached, or left, the last time; null where it never was so",
                \.figures.failure?.description),
            .inline(\.unit.parts), .duration(\.unit.run.seconds), .inline(\.unit.run),
        ]

    private static let stream: [ReportField<Self>] = [
        .field("origin", "where the stream comes from", \.origin),
        .field(
            "state", "at the end: receiving, waiting for the sender, ended of a file, or failed",
            \.figures.state.rawValue),
        .field(
            "container",
            "the form of a file in which the last stream came, as ogg; null where packets come by themselves",
            \.figures.container?.name),
        .field(
            "codec", "of the last stream, as in --codec of send; float where mp3 came; null where none came",
            \.figures.opening?.codec.name),
        .field("sampleRate", "of the stream", unit: .hertz, \.figures.opening?.rate),
        .field("streamChannels", "of the stream", \.figures.opening?.channels),
        .field("channels", "outputs", \.unit.channels),
        .field("gainDecibels", "at the end; 0 changes no bit", unit: .decibels, \.unit.gainDecibels),
        .field("streams", "that began: more than one where the sender left and came back", \.figures.streams),
    ]

    private static let packets: [ReportField<Self>] = [
        .field(
            "receivedPackets", "that came: played, late, duplicate, damaged or dropped ones, and those that wait",
            \.figures.receivedPackets),
        .field("playedPackets", "that were in time", \.figures.playedPackets),
        .field("latePackets", "that came after their time", \.figures.latePackets),
        .field("lostPackets", "that never came", \.figures.lostPackets),
        .field("duplicatePackets", "that had come before", \.figures.duplicatePackets),
        .field("reorderedPackets", "that another one had overtaken, in time or not", \.figures.reorderedPackets),
        .field(
            "damagedPackets",
            "that could not be decoded; of the form of a file also what is missing there, at most 16 in one place",
            \.figures.damagedPackets),
        .field(
            "ignoredPackets", "of RTP that came beside: of another payload or sender, or far from the others",
            \.figures.ignoredPackets),
        .field(
            "droppedPackets",
            "dropped before their time: more waited than memory is kept for, or a station began with a burst of older sound",
            \.figures.droppedPackets),
        .field("droppedBySender", "of the lost ones, those that the sender says it dropped", \.figures.droppedBySender),
    ]

    private static let sound: [ReportField<Self>] = [
        .field("playedFrames", "decoded, at the stream's rate", unit: .frames, \.figures.playedFrames),
        .field(
            "concealedFrames", "that the codec made up for, or the next packet repeated", unit: .frames,
            \.figures.concealedFrames),
        .field("silentFrames", "of silence, where nothing helped", unit: .frames, \.figures.silentFrames),
        .field("gapFrames", "of silence of which the sender had no sound", unit: .frames, \.figures.gapFrames),
        .field(
            "underrunFrames", "that this machine was too slow for, and silence", unit: .frames, \.figures.underrunFrames
        ),
        .field("jumps", "of the sound: after lost time, or for a buffer that had to grow at once", \.figures.jumps),
    ]

    private static let times: [ReportField<Self>] = [
        .field(
            "driftPartsPerMillion", "how much faster the sender's clock is than the sound card's; null at first"
        ) { $0.figures.driftPartsPerMillion.map(thousandths) },
        .field(
            "bufferMilliseconds", "held against late packets, at the end", unit: .milliseconds
        ) { milliseconds($0.figures.bufferSeconds) },
        .field(
            "delayMilliseconds", "from a packet's arrival to the sound card: buffer, period, resampler",
            unit: .milliseconds
        ) { milliseconds($0.figures.delaySeconds) },
        .field(
            "latencyMilliseconds", "from the sender's rendering to the sound card, by both wall clocks; or null",
            unit: .milliseconds
        ) { milliseconds($0.figures.latencySeconds) },
    ]

    /// To the microsecond.
    private static func milliseconds(_ seconds: Double?) -> Double? { seconds.map { ($0 * 1e6).rounded() / 1000 } }

    var summary: String {
        let (run, levels) = (unit.run, unit.levels)
        let what =
            figures.codecName.map { "\($0), \(figures.opening?.rate ?? 0) Hz" }
            ?? (figures.failure?.kind == .protocolError ? "nothing was understood" : "nothing came")
        var lines = [
            "received \(shown(origin)) (\(what)) for \(fixed(run.seconds, 1)) s \(run.place)",
            "  packets: \(figures.receivedPackets) received, \(figures.playedPackets) played, \(figures.lostPackets) lost, \(figures.latePackets) late, "
                + "\(figures.reorderedPackets) reordered, \(figures.duplicatePackets) duplicate"
                + (figures.damagedPackets > 0 ? ", \(figures.damagedPackets) DAMAGED" : "")
                + (figures.droppedPackets > 0 ? ", \(figures.droppedPackets) DROPPED" : "")
                + (figures.ignoredPackets > 0 ? ", \(figures.ignoredPackets) ignored" : ""),
            "  frames: \(figures.playedFrames) played, \(figures.concealedFrames) concealed, \(figures.silentFrames) silent, \(figures.gapFrames) of gaps"
                + (figures.underrunFrames > 0 ? ", \(figures.underrunFrames) UNDERRUN" : ""),
        ]
        let times = [
            figures.driftPartsPerMillion.map { "drift \(fixed($0, 1)) ppm" },
            Self.milliseconds(figures.bufferSeconds).map { "buffer \(fixed($0, 1)) ms" },
            Self.milliseconds(figures.delaySeconds).map { "delay \(fixed($0, 1)) ms" },
            Self.milliseconds(figures.latencySeconds).map { "latency \(fixed($0, 1)) ms by the wall clocks" },
            figures.jumps > 0 ? "jumped \(timesInWords(figures.jumps))" : nil,
            figures.streams > 1 ? "\(figures.streams) streams" : nil,
        ].compactMap(\.self)
        if !times.isEmpty { lines.append("  " + times.joined(separator: ", ")) }
        lines.append("  peak \(levels.peak), clipped \(levels.clippedSamples), \(run.losses)")
        lines += run.ending(unit.parts)
        return lines.joined(separator: "\n")
    }
}

struct ReceiveLoop: LiveLoop {
    private let session: ReceiveSession
    var watch: RunWatch
    /// What was said of the sender last.
    private var told: (streams: Int, isThere: Bool, failure: StreamError?) = (0, false, nil)

    init(_ session: ReceiveSession, _ signals: Signals, seconds: Double?) {
        self.session = session
        watch = RunWatch(session, signals, Terminal(), seconds: seconds)
    }

    /// - Throws: why nothing can be received at all.
    mutating func turn() throws -> RunEnd? {
        let figures = session.stream
        if figures.state == .failed {
            if figures.streams == 0, let failure = figures.failure { throw failure }
            return .done
        }
        tellSender(figures)
        return figures.state == .ended ? .done : nil
    }

    func press(_ key: Key) { if [.up, .down].contains(key) { session.changeGain(key) } }

    /// Where there is no page to see it on: a line when the sender comes, leaves, or cannot be reached.
    private mutating func tellSender(_ figures: ReceiverFigures) {
        let isThere = figures.state == .receiving
        defer { told = (figures.streams, isThere, figures.failure) }
        guard !isPageShown else { return }
        if figures.streams > told.streams, let words = streamWords(figures) {
            StandardError.complain("receiving from \(session.receiver.origin) (\(words))")
        } else if told.isThere, !isThere {
            let isOver = figures.state == .ended
            StandardError.complain(isOver ? "the stream has come to its end" : "the sender has left; waiting for it")
        }
        if let failure = figures.failure, failure != told.failure {
            // Where anybody may send nobody is asked again: whose stream cannot be understood goes on, or leaves.
            StandardError.complain("\(failure)" + (session.receiver.origin.servesAnybody ? "" : "; it is tried again"))
        }
    }

    mutating func show() {
        let figures = session.stream
        guard let terminal else {
            guard watch.takeLine() else { return }
            return watch.writeLine([session.run.engine.meters.peakWords] + figures.words)
        }
        terminal.draw(
            Page(terminal).lines(
                watch.scene(trouble: figures.failure.map { shown($0.description) }),
                from: shown("\(session.receiver.origin)"), figures, gainDecibels: session.unit.gainDecibels))
    }
}

/// What the last stream is, in words; `nil` before the first.
func streamWords(_ figures: ReceiverFigures) -> String? {
    guard let opening = figures.opening, let codec = figures.codecName else { return nil }
    return "\(codec), \(opening.rate) Hz, \(counted(opening.channels, "channel"))"
}

extension Page {
    func lines(_ scene: RunScene, from origin: String, _ stream: ReceiverFigures, gainDecibels: Double) -> [String] {
        var state = live(scene, .green)
        if stream.state != .receiving { state[0] = [(" WAIT ", .active)] }
        state.append([(plain(origin), .bold)])
        if let words = streamWords(stream) { state.append([(plain(words), .plain)]) }
        return lines(
            scene, state: flow(state), body: { $0.take(flow(stream.words.map { [(plain($0), .plain)] })) },
            figures: [[("gain \(fixed(gainDecibels, 1)) dB", .plain)]] + losses(scene),
            keys: ["up down gain", "q quit"])
    }
}

extension ReceiverFigures {
    /// What is worth a look, in the order of its weight.
    var words: [String] {
        guard streams > 0 else { return ["waiting for the sender"] }
        return [
            "\(receivedPackets) packets",
            "lost \(lostPackets)", "late \(latePackets)", "reordered \(reorderedPackets)",
            damagedPackets > 0 ? "damaged \(damagedPackets)" : nil,
            droppedPackets > 0 ? "dropped \(droppedPackets)" : nil,
            underrunFrames > 0 ? "underrun \(underrunFrames) frames" : nil,
            bufferSeconds.map { "buffer \(fixed($0 * 1000, 1)) ms" },
            latencySeconds.map { "latency \(fixed($0 * 1000, 1)) ms" },
            driftPartsPerMillion.map { "drift \(fixed($0, 1)) ppm" },
        ].compactMap(\.self)
    }
}
