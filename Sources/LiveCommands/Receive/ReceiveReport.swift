import AudioDSP
import AudioFigures
import AudioReports
import AudioStreaming
import TerminalPages

/// What `iounit receive` has played: the object of `--json`, and the summary for people made from it.
struct ReceiveReport: LiveReport {
    private enum CodingKeys: CodingKey {
        case schema, origin, state, container, codec, sampleRate, streamChannels, channels, gainDecibels, streams
        case receivedPackets, playedPackets, latePackets, lostPackets, duplicatePackets, reorderedPackets
        case damagedPackets, droppedPackets, droppedBySender
        case playedFrames, concealedFrames, silentFrames, gapFrames, underrunFrames, jumps
        case driftPartsPerMillion, bufferMilliseconds, delayMilliseconds, latencyMilliseconds
        case recording, peakDecibels, clippedSamples, error
    }

    var schema = "iounit.receive/2"
    var run: RunReport
    var origin: String
    var state: String
    /// The form of a file in which the last stream came; `null` of packets.
    var container: Nullable<String>
    /// Of the last stream; `null` where none came.
    var codec: Nullable<String>
    /// As it came; in the summary alone.
    private let codecName: String?
    var sampleRate: Nullable<Int>
    var streamChannels: Nullable<Int>
    /// Outputs.
    var channels: Int
    var gainDecibels: Double
    var streams: Int
    var receivedPackets: Int
    var playedPackets: Int
    var latePackets: Int
    var lostPackets: Int
    var duplicatePackets: Int
    var reorderedPackets: Int
    var damagedPackets: Int
    var droppedPackets: Int
    var droppedBySender: Int
    var playedFrames: Int
    var concealedFrames: Int
    var silentFrames: Int
    var gapFrames: Int
    var underrunFrames: Int
    var jumps: Int
    var driftPartsPerMillion: Nullable<Double>
    var bufferMilliseconds: Nullable<Double>
    var delayMilliseconds: Nullable<Double>
    var latencyMilliseconds: Nullable<Double>
    /// The file of `--record`.
    var recording: Nullable<String>
    /// Of each output; `null` for silence.
    var peakDecibels: [Nullable<Double>]
    /// Samples at or beyond full scale.
    var clippedSamples: UInt64
    /// Why the sender was not reached, or left.
    var error: Nullable<String>

    init(_ session: ReceiveSession) {
        let figures = session.figures
        channels = session.options.engine.outputChannels
        let totals = (0..<channels).map { session.run.engine.meters.totals($0) }
        run = RunReport(session.run)
        origin = "\(session.receiver.origin)"
        state = figures.state.rawValue
        codecName = figures.codecName
        container = Nullable(figures.container?.name)
        codec = Nullable(figures.opening?.codec.name)
        sampleRate = Nullable(figures.opening?.rate)
        streamChannels = Nullable(figures.opening?.channels)
        gainDecibels = thousandths(session.gain.decibels)
        streams = figures.streams
        receivedPackets = figures.receivedPackets
        playedPackets = figures.playedPackets
        latePackets = figures.latePackets
        lostPackets = figures.lostPackets
        duplicatePackets = figures.duplicatePackets
        reorderedPackets = figures.reorderedPackets
        damagedPackets = figures.damagedPackets
        droppedPackets = figures.droppedPackets
        droppedBySender = figures.droppedBySender
        playedFrames = figures.playedFrames
        concealedFrames = figures.concealedFrames
        silentFrames = figures.silentFrames
        gapFrames = figures.gapFrames
        underrunFrames = figures.underrunFrames
        jumps = figures.jumps
        driftPartsPerMillion = Nullable(figures.driftPartsPerMillion.map { ($0 * 1000).rounded() / 1000 })
        bufferMilliseconds = Nullable(figures.bufferSeconds.map(Self.milliseconds))
        delayMilliseconds = Nullable(figures.delaySeconds.map(Self.milliseconds))
        latencyMilliseconds = Nullable(figures.latencySeconds.map(Self.milliseconds))
        recording = Nullable(session.recorder?.path)
        peakDecibels = totals.map { Nullable($0.peak > 0 ? Decibels.decibels(Double($0.peak)) : nil) }
        clippedSamples = totals.reduce(0) { $0 + $1.clipped }
        error = Nullable(figures.failure?.description)
    }

    /// To the microsecond.
    private static func milliseconds(_ seconds: Double) -> Double { (seconds * 1e6).rounded() / 1000 }

    var summary: String {
        let what =
            codecName.map { "\($0), \(sampleRate.value ?? 0) Hz" } ?? "nothing came"
        let peak = peakDecibels.compactMap(\.value).max().map { "\(fixed($0, 1)) dB" } ?? "silent"
        var lines = [
            "received \(shown(origin)) (\(what)) for \(fixed(run.seconds, 1)) s \(run.place)",
            "  packets: \(receivedPackets) received, \(playedPackets) played, \(lostPackets) lost, \(latePackets) late, "
                + "\(reorderedPackets) reordered, \(duplicatePackets) duplicate"
                + (damagedPackets > 0 ? ", \(damagedPackets) DAMAGED" : "")
                + (droppedPackets > 0 ? ", \(droppedPackets) DROPPED" : ""),
            "  frames: \(playedFrames) played, \(concealedFrames) concealed, \(silentFrames) silent, \(gapFrames) of gaps"
                + (underrunFrames > 0 ? ", \(underrunFrames) UNDERRUN" : ""),
        ]
        let times = [
            driftPartsPerMillion.value.map { "drift \(fixed($0, 1)) ppm" },
            bufferMilliseconds.value.map { "buffer \(fixed($0, 1)) ms" },
            delayMilliseconds.value.map { "delay \(fixed($0, 1)) ms" },
            latencyMilliseconds.value.map { "latency \(fixed($0, 1)) ms by the wall clocks" },
            jumps > 0 ? "jumped \(jumps == 1 ? "once" : "\(jumps) times")" : nil,
            streams > 1 ? "\(streams) streams" : nil,
        ].compactMap(\.self)
        if !times.isEmpty { lines.append("  " + times.joined(separator: ", ")) }
        if let recording = recording.value { lines.append("  recorded to \(shown(recording))") }
        lines.append("  peak \(peak), clipped \(clippedSamples), \(run.losses)")
        if let absence = run.absence { lines.append(absence) }
        return lines.joined(separator: "\n")
    }
}
