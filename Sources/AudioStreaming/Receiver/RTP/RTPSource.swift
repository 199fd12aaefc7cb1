import Threads

/// Packets of RTP that are sent to a port of this machine, and the reports beside them at the next one.
///
/// It listens to one sender at a time: to the first, until that says good-bye or is silent for a second and another one sends.
final class RTPSource: StreamSource {
    private let data: DatagramSocket
    private let control: DatagramSocket?
    private let expected: RTPPayload
    private let operation: String

    private struct Sender {
        var source: UInt32
        var payload: RTPPayload
        var payloadType: UInt8
        var sequence = Unwrapper<UInt16>()
        var time = Unwrapper<UInt32>()
        var watch = PayloadWatch()
        var strays = StrayWatch()
        var lastNanoseconds: UInt64
        /// The newest time stamp, made continuous.
        var lastTime = 0
        /// Of the last packet that could be read.
        var lastFrames: Int?
    }

    private var sender: Sender?
    /// Who said good-bye, and when: what comes of it within a second was overtaken by that.
    private var departed: (source: UInt32, nanoseconds: UInt64)?
    /// Whose packets were refused for what they are, and never were sound.
    private var refusedSource: UInt32?
    /// Of which it is not sure yet that all that was sent before them has been taken.
    private var reports: [RTPReport] = []
    /// What came of others before all of a sender that has said good-bye has been taken.
    private var followers: [[UInt8]] = []
    /// Packets that are none, of another kind than was said, or stray ones.
    private(set) var ignoredPackets = 0
    /// Of them those in a row that came while nobody was listened to.
    private var strangersPackets = 0
    /// What has come and is not handed on yet: that of a new sender waits until two of its packets go together.
    private var events: [SourceEvent] = []

    // Taken at once: datagrams, be there anything in them or not.
    private static let mostPackets = 256
    private static let mostReports = 16
    private static let mostStrangersPackets = 4
    private static let silenceNanoseconds: UInt64 = 1_000_000_000
    /// Of the first time stamp, so that one that came before it is not negative.
    private static let firstFrame = 1 << 40

    /// - Parameters:
    ///   - payload: what comes, where the packets' numbers do not say it.
    ///   - waits: as in `DatagramSocket`.
    init(
        host: String, port: Int, payload: RTPPayload, operation: String, waits: () -> Bool = { true }
    ) throws(StreamError) {
        expected = payload
        self.operation = operation
        data = try DatagramSocket(host: host, port: port, operation: operation, waits: waits)
        // Without the reports there is sound all the same.
        control =
            port == 65535 ? nil : try? DatagramSocket(host: host, port: port + 1, operation: operation, waits: waits)
    }

    func receive(untilNanoseconds deadline: UInt64) -> [SourceEvent] {
        let files = [data.descriptor] + (control.map { [$0.descriptor] } ?? [])
        guard InputWait.wait(for: files, untilNanoseconds: deadline) else { return [] }
        let arrival = MonotonicClock.nanoseconds()
        // Read before the packets and taken behind them: whatever was sent before a report is there when that is read, and must
        // not be taken for what comes after a good-bye.
        for _ in 0..<Self.mostReports {
            guard reports.count < Self.mostReports, let bytes = control?.next() else { break }
            reports += RTPReport.all(in: bytes)
        }
        // So many at once, that a flood does not keep the worker from all else.
        for _ in 0..<Self.mostPackets {
            guard let bytes = data.next() else {
                takeReports(at: arrival)
                break
            }
            if follows(bytes) {
                followers.append(bytes)
            } else {
                let taken = take(bytes, at: arrival)
                events += taken
            }
        }
        guard sender?.watch.state != .unknown || events.count > Self.mostPackets else { return [] }
        defer { events = [] }
        return events
    }

    /// Whether it is to wait until the present sender, which has said good-bye, is through.
    private func follows(_ bytes: [UInt8]) -> Bool {
        guard let sender, reports.contains(.bye(source: sender.source)), followers.count < Self.mostPackets else {
            return false
        }
        return RTPPacket(bytes).map { $0.source != sender.source } ?? false
    }

    private func takeReports(at nanoseconds: UInt64) {
        for report in reports {
            let taken = take(report, at: nanoseconds)
            events += taken
            guard sender == nil else { continue }
            for bytes in followers {
                let taken = take(bytes, at: nanoseconds)
                events += taken
            }
            followers = []
        }
        reports = []
    }

    /// Takes a datagram that may be anybody's.
    func take(_ bytes: [UInt8], at nanoseconds: UInt64) -> [SourceEvent] {
        guard let packet = RTPPacket(bytes) else { return ignore() }
        return take(packet, at: nanoseconds)
    }

    /// Leaves a packet out.
    private func ignore(_ events: [SourceEvent] = []) -> [SourceEvent] {
        ignoredPackets += 1
        return events
    }

    private func take(_ packet: RTPPacket, at nanoseconds: UInt64) -> [SourceEvent] {
        var events: [SourceEvent] = []
        if !isOfSender(packet, at: nanoseconds) {
            let isOvertaken = packet.source == departed?.source && !isSilent(departed?.nanoseconds, at: nanoseconds)
            guard !isOvertaken, isSilent(sender?.lastNanoseconds, at: nanoseconds) else { return ignore() }
            guard let payload = payload(of: packet) else {
                strangersPackets += 1
                return ignore(strangersPackets == Self.mostStrangersPackets ? [.failed(refusal(expected))] : [])
            }
            strangersPackets = 0
            events = begin(payload, packet, at: nanoseconds)
        }
        guard packet.payloadType == sender?.payloadType, let payload = sender?.payload, sender?.watch.state != .refused
        else { return ignore(events) }
        let sound = payload.packetPayload(packet.payload)
        sender?.watch.add(packet, frames: sound?.frames, mayPause: payload.codec.rtp?.sampleBytes == nil)
        if let watch = sender?.watch, watch.state == .refused {
            ignoredPackets += 1
            // Of what was never sound nothing is heard.
            if !watch.wasTrusted {
                discard()
                refusedSource = packet.source
            }
            return [.failed(refusal(payload))]
        }
        // One that cannot be read has its place all the same: the decoder will refuse it, and make up for it.
        let isTrusted = sender?.watch.state == .trusted
        let readable = sound ?? (isTrusted ? sender?.lastFrames : nil).map { (packet.payload, $0) }
        if let frames = readable?.frames {
            let arrived = StrayWatch.Arrived(packet: packet, frames: frames, nanoseconds: nanoseconds)
            switch sender?.strays.judge(arrived, rate: payload.sampleRate) {
            case .stray: return ignore(events)
            case .follows(let first):
                ignoredPackets -= 1
                events += begin(payload, first.packet, at: first.nanoseconds)
                events += take(first.packet, at: first.nanoseconds)
                return events + take(packet, at: nanoseconds)
            case .related, nil: break
            }
        }
        guard let sound = readable,
            let sequence = sender?.sequence.unwrap(packet.sequence),
            let time = sender?.time.unwrap(packet.timeStamp)
        else { return ignore(events) }
        sender?.lastNanoseconds = nanoseconds
        sender?.lastTime = time
        sender?.lastFrames = sound.frames
        let made = StreamPacket(
            sequence: UInt32(truncatingIfNeeded: sequence), firstFrame: UInt64(max(0, Self.firstFrame + time)),
            frames: UInt32(sound.frames), wallNanoseconds: 0, payload: sound.bytes)
        return events + [.packet(made, nanoseconds: nanoseconds)]
    }

    /// Lets go of what is not handed on: it is no sound.
    private func discard() {
        ignoredPackets += events.count { if case .packet = $0 { true } else { false } }
        events = []
    }

    /// Listens to who sent a packet from that one on.
    private func begin(_ payload: RTPPayload, _ packet: RTPPacket, at nanoseconds: UInt64) -> [SourceEvent] {
        let ending: [SourceEvent] = sender == nil ? [] : [.ended]
        sender = Sender(
            source: packet.source, payload: payload, payloadType: packet.payloadType, lastNanoseconds: nanoseconds)
        return ending + [.reached, .opening(opening(payload, packet))]
    }

    /// Whether the present sender has sent it. A sender that starts again with another payload counts as a new one, even with
    /// the same SSRC.
    private func isOfSender(_ packet: RTPPacket, at nanoseconds: UInt64) -> Bool {
        guard let sender, sender.source == packet.source else { return false }
        let isTaken = packet.payloadType == sender.payloadType && sender.watch.state != .refused
        return isTaken || !isSilent(sender.lastNanoseconds, at: nanoseconds)
    }

    private func isSilent(_ last: UInt64?, at nanoseconds: UInt64) -> Bool {
        last.map { nanoseconds > $0 + Self.silenceNanoseconds } ?? true
    }

    private func payload(of packet: RTPPacket) -> RTPPayload? {
        if let type = expected.type { return type == packet.payloadType ? expected : nil }
        return packet.payloadType >= 96 ? expected : RTPPayload(staticType: packet.payloadType)
    }

    private func refusal(_ payload: RTPPayload) -> StreamError {
        StreamError(
            .protocolError, operation,
            "what comes is not the expected \(payload.codec) (\(payload.sampleRate) hertz, channels: "
                + "\(payload.channels)); say what is sent with --codec, --stream-rate and --stream-channels, or give the sender's SDP file"
        )
    }

    private func opening(_ payload: RTPPayload, _ packet: RTPPacket) -> StreamOpening {
        StreamOpening(
            codec: payload.codec, rate: payload.sampleRate, channels: payload.channels,
            bits: payload.codec.sampleFormat(nil).integerBits,
            packetFrames: max(1, payload.packetPayload(packet.payload)?.frames ?? 1), firstFrame: 0, wallNanoseconds: 0)
    }

    private func take(_ report: RTPReport, at nanoseconds: UInt64) -> [SourceEvent] {
        switch report {
        case .bye(let source):
            guard let sender, source == sender.source else { return [] }
            self.sender = nil
            departed = (source, nanoseconds)
            // One that was refused is heard once more after a second: too few packets to be refused again are no sound either.
            guard source != refusedSource || sender.watch.state != .unknown else {
                discard()
                return []
            }
            return [.ended]
        case .time(let source, let wall, let timeStamp):
            guard let sender, source == sender.source else { return [] }
            let difference = Int32(bitPattern: timeStamp &- UInt32(truncatingIfNeeded: sender.lastTime))
            return [
                .time(frame: UInt64(max(0, Self.firstFrame + sender.lastTime + Int(difference))), wallNanoseconds: wall)
            ]
        }
    }
}
