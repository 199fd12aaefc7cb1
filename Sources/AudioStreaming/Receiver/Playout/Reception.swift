import AudioRealtime
import Threads

/// All streams of one origin, one after the other: what a receiver's worker does.
///
/// Thread: the worker's.
final class Reception {
    private let origin: StreamOrigin
    private let settings: ReceiverSettings
    private let exchange: Cell<ReceiverExchange>
    private let channels: Int
    private(set) var stream: ReceivedStream?
    private var opening: StreamOpening?
    /// What the decoder of a stream needs first.
    private var header: StreamPacket?
    /// What has come since the stream ended that is still being played.
    private var waiting = WaitingEvents()
    /// Feeds that the audio thread may look at: the one that it plays, and the one that was offered last. Two at most.
    private var feeds: [FeedLine] = []
    /// Of the streams before.
    private var earlier = ReceiverFigures()
    private var failure: StreamError?
    private var container: StreamContainer?
    private var ignoredPackets = 0
    /// Whether all has come.
    private var isFinished = false

    private static let idleNanoseconds: UInt64 = 50_000_000
    /// A sender that is silent for so long has left.
    private static let silenceNanoseconds: UInt64 = 2_000_000_000

    init(_ origin: StreamOrigin, _ settings: ReceiverSettings, _ exchange: Cell<ReceiverExchange>, channels: Int) {
        self.origin = origin
        self.settings = settings
        self.exchange = exchange
        self.channels = channels
    }

    /// What has become of all streams so far.
    var figures: ReceiverFigures {
        var figures = stream.map { earlier.adding($0.figures) } ?? earlier
        figures.receivedPackets += waiting.droppedPackets
        figures.droppedPackets += waiting.droppedPackets
        figures.state = stream != nil ? .receiving : isFinished ? .ended : .waiting
        figures.failure = stream?.refusal ?? failure
        figures.container = container
        figures.ignoredPackets = ignoredPackets
        return figures
    }

    /// Waits for what is next, and does it.
    ///
    /// - Throws: why nothing more will come.
    func work(_ source: any StreamSource, serverRate: Int) throws(StreamError) {
        let now = MonotonicClock.nanoseconds()
        stream?.follow(serverRate: serverRate, at: now)
        let deadline = stream?.work(at: now) ?? now + Self.idleNanoseconds
        offer()
        for event in try source.receive(untilNanoseconds: deadline) { try take(event, serverRate) }
        ignoredPackets = source.ignoredPackets
        let then = MonotonicClock.nanoseconds()
        if let stream, then > stream.lastArrival + Self.silenceNanoseconds { stream.end() }
        guard let stream, stream.isOver(at: then) else { return }
        finish(stream)
        for event in waiting.take() { try take(event, serverRate) }
    }

    private func take(_ event: SourceEvent, _ serverRate: Int) throws(StreamError) {
        // What belongs to the next stream waits until the last word of this one was heard.
        if stream?.isEnded == true || !waiting.isEmpty { return waiting.append(event) }
        switch event {
        case .reached:
            failure = nil
            container = nil
        case .container(let form): container = form
        case .opening(let opening):
            stream?.end()
            guard stream == nil else { return waiting.append(event) }
            self.opening = opening
            header = nil
        case .packet(let packet, let nanoseconds, let isTimed):
            do throws(StreamError) {
                try begin(serverRate, at: nanoseconds)
            } catch {
                guard origin.servesAnybody else { throw error }
                // Another may send what can be played.
                (failure, opening) = (error, nil)
                return
            }
            if packet.flags.contains(.header) { header = packet }
            guard stream?.take(packet, at: nanoseconds, isTimed: isTimed) == false else { return }
            // It has nothing to do with what came before, as after a restart of the sender.
            stream?.end()
            waiting.append(event)
        case .leftOut(let packets):
            earlier.receivedPackets += packets
            earlier.droppedPackets += packets
        case .time(let frame, let wall): stream?.note(frame: frame, wallNanoseconds: wall)
        case .ended: stream?.end()
        case .finished:
            stream?.end()
            isFinished = true
        case .failed(let error):
            stream?.end()
            failure = error
        }
    }

    private func begin(_ serverRate: Int, at nanoseconds: UInt64) throws(StreamError) {
        guard stream == nil, let opening else { return }
        // SAFETY: the cell keeps the exchange, which is atomic.
        let period = unsafe exchange.pointer.pointee.period
        let stream = try ReceivedStream(
            opening, channels: channels, serverRate: serverRate, period: period, settings: settings,
            first: origin.firstBuffer, at: nanoseconds)
        if let header { _ = stream.take(header, at: nanoseconds) }
        self.stream = stream
    }

    /// Hands the stream's present feed to the audio thread, and lets go of the one that it has left.
    ///
    /// While nobody renders, streams begin and end, and no feed is taken. A feed is megabytes of locked memory, so the
    /// next one waits with its stream until the last one was taken. The last one is out of date by then: it is silent.
    private func offer() {
        // SAFETY: here and below, the cell keeps the exchange, which is atomic.
        if feeds.count > 1, unsafe exchange.pointer.pointee.isTaken { feeds.removeFirst() }
        guard let line = stream?.line, feeds.last !== line else { return }
        guard feeds.count < 2 else {
            feeds.last?.silence()
            return
        }
        feeds.append(line)
        unsafe exchange.pointer.pointee.offer(line.cell)
    }

    private func finish(_ stream: ReceivedStream) {
        earlier = earlier.adding(stream.figures)
        self.stream = nil
    }

    /// Nothing more is played.
    func close() {
        if let stream { finish(stream) }
        unsafe exchange.pointer.pointee.offer(nil)
        // The audio thread may be in the middle of a block of the last one, which the exchange keeps until it is gone itself.
        unsafe exchange.pointer.pointee.keep(feeds.map(\.cell))
    }
}

extension StreamOpening {
    /// Why no server of a rate in hertz can play it: so far the resampler does not reach. `nil` where one can.
    func refusal(serverRate: Int) -> StreamError? {
        guard rate > 8 * serverRate else { return nil }
        return StreamError(
            .unsupported, "receive the stream",
            "its \(rate) hertz are more than eight times the server's \(serverRate)")
    }
}

/// When the sender rendered a frame, by its own wall clock: any time may come.
struct RenderTime: Sendable, Equatable {
    /// Since the stream's beginning, at its rate.
    var frame: Int
    /// Since 1970 in UTC.
    var wallNanoseconds: Int64

    /// How long ago the sender rendered a frame, in seconds; `nil` where its time cannot be: it is too far from ours to be counted.
    ///
    /// - Parameters:
    ///   - streamFrame: at the stream's rate.
    ///   - now: of this machine's wall clock, in nanoseconds since 1970 in UTC.
    ///   - rate: of the stream, in hertz.
    func age(of streamFrame: Double, at now: Int64, rate: Int) -> Double? {
        let (passed, isImpossible) = now.subtractingReportingOverflow(wallNanoseconds)
        guard !isImpossible else { return nil }
        return Double(passed) / 1e9 - (streamFrame - Double(frame)) / Double(rate)
    }
}
