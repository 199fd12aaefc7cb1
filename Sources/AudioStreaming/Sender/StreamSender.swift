import AudioFiles
import Jack
import Synchronization
import Threads

/// Sends one sound to any number of targets, each in the form that it understands.
///
/// What targets want in the same form is encoded once. Each has a worker and a bounded queue of its own: one that is slow, is
/// not there or goes away is no concern of the others', and none keeps `send` waiting. A target that takes too little loses
/// whole packets, the oldest first; they are counted, and the next packet says how many. One that was lost is tried
/// again after half a second, then less and less often.
///
/// Thread: `send`, `gap` and `finish` one at a time, any that may block; the figures any but audio.
public final class StreamSender: Sendable {
    /// One form, and the queues of the targets that want it.
    private final class Encoding: Sendable {
        let encoder: Mutex<StreamEncoder>
        let queues: [PacketQueue]

        init(_ encoder: consuming sending StreamEncoder, _ queues: [PacketQueue]) {
            self.encoder = Mutex(encoder)
            self.queues = queues
        }

        /// Hands what is encoded to all targets.
        func push(
            _ encode: (inout StreamEncoder) throws(StreamError) -> [StreamPacket]
        ) throws(StreamError) {
            let packets = try encoder.withLock { (encoder) throws(StreamError) in try encode(&encoder) }
            for packet in packets { for queue in queues { queue.push(packet) } }
        }
    }

    private let encodings: [Encoding]
    private let sessions: [TargetSession]
    /// How long the shortest packets are.
    let packetNanoseconds: UInt64
    /// Whether packets are for somebody who plays them as soon as they come.
    let isUrgent: Bool
    private let workers: [Worker]
    /// So much longer is a target waited for: only a disk that hangs takes it.
    private static let patienceSeconds = 60.0
    private let endFailure = Mutex<StreamError?>(nil)
    /// What a receiver of RTP has to read first, for each such target: the text of an SDP file.
    public let sessionDescriptions: [(target: StreamTarget, text: String)]

    /// Begins to reach for the targets.
    ///
    /// - Parameters:
    ///   - targets: at least one, each once.
    ///   - settings: of the codec, for all of them.
    ///   - sampleRate: of what comes first, in hertz.
    ///   - firstFrame: the number of the first frame that comes.
    ///   - queueSeconds: how much may wait for each target; 0.1…60, beyond which it counts as that.
    /// - Throws: `unsupported`, where a target cannot be sent such a stream; `codec`, `resources`.
    public init(
        to targets: [StreamTarget], _ settings: CodecSettings, sampleRate: Int, channels: Int,
        firstFrame: UInt64 = 0,
        queueSeconds: Double = 2
    ) throws(StreamError) {
        let groups = try Self.groups(targets, settings, sampleRate: sampleRate, channels: channels)
        var (encodings, sessions): ([Encoding], [TargetSession]) = ([], [])
        var descriptions: [(target: StreamTarget, text: String)] = []
        var shortest = UInt64.max
        let wall = WallClock.nanoseconds()
        for group in groups {
            let encoder = try StreamEncoder(
                group.settings, sampleRate: sampleRate, channels: channels, firstFrame: firstFrame)
            let opening = encoder.opening(firstFrame: firstFrame, wallNanoseconds: wall)
            let seconds = min(max(0.1, queueSeconds), 60)
            let frames = Int(seconds * Double(opening.rate)) + Int(opening.packetFrames)
            let queues = group.targets.map { _ in PacketQueue(frames: frames, bytes: 64 << 20) }
            for (target, queue) in zip(group.targets, queues) {
                sessions.append(
                    TargetSession(target, settings, opening: opening, header: encoder.header, queue: queue))
                guard target.kind == .rtp else { continue }
                let description = RTPDescription(
                    target: target, opening: opening,
                    hasForwardErrorCorrection: settings.hasForwardErrorCorrection)
                descriptions.append((target, description.text))
            }
            shortest = min(shortest, UInt64(Double(opening.packetFrames) * 1e9 / Double(opening.rate)))
            encodings.append(Encoding(encoder, queues))
        }
        self.encodings = encodings
        self.sessions = sessions
        sessionDescriptions = descriptions
        packetNanoseconds = shortest
        isUrgent = targets.contains { $0.kind == .rtp }
        var workers: [Worker] = []
        do throws(ResourceError) {
            for session in sessions {
                workers.append(
                    try Worker("iounit-send") {
                        if session.isUrgent { Self.hurry() }
                        session.run()
                    })
            }
        } catch {
            for session in sessions { session.end(byNanoseconds: 0) }
            for worker in workers { worker.join() }
            throw StreamError(.resources, error.operation, error.reason)
        }
        self.workers = workers
    }

    deinit { end(byNanoseconds: 0) }

    /// Has the calling thread run before all that is not real time, and after all of JACK: what waits on its way to a receiver is part of the
    /// jitter that this must buffer. Where the kernel refuses it, it runs as any other.
    static func hurry() { Scheduling(policy: .fifo, priority: 1).request() }

    /// Finds out whether targets can be sent such a stream, and reaches for none of them.
    ///
    /// - Parameters:
    ///   - targets, settings, sampleRate, channels: as above.
    /// - Throws: `unsupported`, where a target cannot be sent such a stream; `codec`.
    public static func check(
        _ targets: [StreamTarget], _ settings: CodecSettings, sampleRate: Int, channels: Int
    ) throws(StreamError) {
        _ = try groups(targets, settings, sampleRate: sampleRate, channels: channels)
    }

    /// The targets of each form.
    private static func groups(
        _ targets: [StreamTarget], _ settings: CodecSettings, sampleRate: Int, channels: Int
    ) throws(StreamError) -> [(settings: CodecSettings, targets: [StreamTarget])] {
        guard !targets.isEmpty, Set(targets).count == targets.count else {
            throw StreamError(
                .unsupported, "send a stream", "name at least one target, and each of them once")
        }
        // What was asked for is refused as a whole, whatever a target makes of it.
        _ = try settings.makeEncoder(inputRate: sampleRate, channels: channels)
        var groups: [(settings: CodecSettings, targets: [StreamTarget])] = []
        for target in targets {
            let wanted = try target.packetSettings(settings, sampleRate: sampleRate, channels: channels)
            if let index = groups.firstIndex(where: { $0.settings == wanted }) {
                groups[index].targets.append(target)
            } else {
                groups.append((wanted, [target]))
            }
        }
        return groups
    }

    /// Why what an encoder held back at the end is lost; `nil` where nothing is.
    var failure: StreamError? { endFailure.withLock { $0 } }

    /// What has become of each target, in the order in which they were named first for each form.
    public var figures: [TargetFigures] { sessions.map(\.present) }

    /// Sends the frames that follow the ones before.
    ///
    /// - Parameters:
    ///   - buffer: of 32-bit float, interleaved, at any rate.
    ///   - wallNanoseconds: when its first frame was rendered, since 1970 in UTC.
    /// - Throws: `unsupported` for a buffer of another kind; `codec`. No target is the reason of an error.
    public func send(_ buffer: PCMBuffer, wallNanoseconds: Int64) throws(StreamError) {
        for encoding in encodings {
            try encoding.push { (encoder) throws(StreamError) in
                try encoder.encode(buffer, wallNanoseconds: wallNanoseconds)
            }
        }
    }

    /// Says that time passed of which there is no sound. See `StreamEncoder.gap`.
    public func gap(nanoseconds: UInt64, cause: String, wallNanoseconds: Int64) throws(StreamError) {
        for encoding in encodings {
            try encoding.push { (encoder) throws(StreamError) in
                try encoder.gap(nanoseconds: nanoseconds, cause: cause, wallNanoseconds: wallNanoseconds)
            }
        }
    }

    /// Ends the stream: what is held back and what waits still goes out, to targets that take it in time. Returns when all
    /// connections are closed, but for one that hangs on a disk for a minute more. Calling it again does nothing.
    ///
    /// - Parameter seconds: how long to wait for slow targets.
    public func finish(within seconds: Double = 2) {
        for encoding in encodings where encoding.queues.contains(where: { !$0.isEnded }) {
            do throws(StreamError) {
                try encoding.push { (encoder) throws(StreamError) in try encoder.finish() }
            } catch {
                endFailure.withLock { $0 = $0 ?? error }
            }
        }
        end(byNanoseconds: MonotonicClock.nanoseconds() + UInt64(max(0, min(seconds, 3600)) * 1e9))
    }

    private func end(byNanoseconds time: UInt64) {
        for session in sessions where !session.queue.isEnded { session.end(byNanoseconds: time) }
        let patience = Self.patienceSeconds
        let deadline = max(time, MonotonicClock.nanoseconds()) + UInt64(patience * 1e9)
        for (session, worker) in zip(sessions, workers) where !session.isLeft {
            if !worker.join(untilNanoseconds: deadline) { session.leave(afterSeconds: patience) }
        }
    }
}
