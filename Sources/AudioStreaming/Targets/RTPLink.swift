import AudioFiles

/// RTP by UDP (RFC 3550): L16 and L24 (RFC 3551, 3190) or Opus (RFC 7587), with sender reports to the next port.
///
/// UDP has no connection: it sends whether or not somebody receives. Where the receiver's machine says that nobody does, the
/// datagram that it speaks of is lost. A gap is a step of the time stamps, and a marked packet after it.
final class RTPLink: StreamLink {
    private static let reportNanoseconds: UInt64 = 5_000_000_000

    private let description: RTPDescription
    private let data: Socket
    private let control: Socket?
    private let bytesPerFrame: Int
    private let source = UInt32.random(in: .min ... .max)
    private let timeOffset = UInt32.random(in: .min ... .max)
    private var sequence = UInt16.random(in: .min ... .max)
    private var sentPackets: UInt32 = 0
    private var sentOctets: UInt32 = 0
    private(set) var sentBytes: UInt64 = 0
    /// Of the last datagram that left, which may still be refused.
    private var lastBytes: UInt64 = 0
    /// Whether a datagram of the present packet has left, and one was refused.
    private var present = (hasBegun: false, isRefused: false)
    private var isPreviousRefused = false
    /// Whether the loss that the next packet says was marked in the one before.
    private var isLossMarked = false
    private let clock: @Sendable () -> UInt64
    private var nextReport: UInt64 = 0
    /// Where the next packet that goes as it is begins, the codec's delay included, and its number.
    private var follower: (frame: Int64, sequence: UInt32)?
    private var isAfterGap = true

    init(_ context: LinkContext) throws(StreamError) {
        let target = context.target
        description = RTPDescription(target: target, opening: context.opening)
        bytesPerFrame = context.opening.format.bytesPerFrame
        clock = context.clock
        data = try context.openSocket(.udp)
        control = target.port == 65535 ? nil : try context.openSocket(.udp, port: target.port + 1)
    }

    func send(_ packet: StreamPacket) throws(StreamError) -> Bool {
        guard !packet.isGap else {
            isAfterGap = true
            return true
        }
        // What was refused is marked already, in the packet that took the answer.
        if packet.flags.contains(.loss), !isLossMarked { isAfterGap = true }
        isLossMarked = false
        var hasLeft = true
        present = (false, false)
        if let sampleBytes = description.opening.codec.rtp?.sampleBytes {
            let payload = RTPForm.swapped(packet.payload, sampleBytes)
            let most = StreamTarget.datagramLimit / bytesPerFrame * bytesPerFrame
            for start in stride(from: 0, to: payload.count, by: most) {
                let part = Array(payload[start..<min(payload.count, start + most)])
                let frame = Int64(bitPattern: packet.firstFrame) + Int64(start / bytesPerFrame)
                hasLeft = try send(part, at: frame) && hasLeft
            }
        } else {
            hasLeft = try send(packet.payload, at: frame(of: packet))
        }
        report(packet)
        return hasLeft && !present.isRefused
    }

    func takeRefusal() -> Bool {
        defer { isPreviousRefused = false }
        isLossMarked = isPreviousRefused
        return isPreviousRefused
    }

    func close() throws(StreamError) {
        // BYE.
        var bytes: [UInt8] = [0x81, 203]
        bytes.append(bigEndian: UInt16(1))
        bytes.append(bigEndian: source)
        tell(bytes)
        if data.takeError() == refusedDatagram {
            present.hasBegun = false
            noteRefusal()
        }
    }

    /// Where a packet that goes as it is begins: with the decoder's delay, which its frames leave out.
    private func frame(of packet: StreamPacket) -> Int64 {
        let opening = description.opening
        var frame = Int64(bitPattern: packet.firstFrame)
        if packet.flags.contains(.start) {
            frame -= Int64(opening.delayFrames)
        } else if let follower, follower.sequence == packet.sequence {
            frame = follower.frame
        }
        follower = (frame + Int64(opening.packetFrames), packet.sequence &+ 1)
        return frame
    }

    private func timeStamp(_ frame: Int64) -> UInt32 {
        let ticks = frame &* Int64(description.clockRate / description.opening.rate)
        return timeOffset &+ UInt32(truncatingIfNeeded: ticks)
    }

    private func send(_ payload: [UInt8], at frame: Int64) throws(StreamError) -> Bool {
        var bytes: [UInt8] = [0x80, (isAfterGap ? 0x80 : 0) | RTPDescription.payloadType]
        bytes.append(bigEndian: sequence)
        bytes.append(bigEndian: timeStamp(frame))
        bytes.append(bigEndian: source)
        sequence &+= 1
        isAfterGap = false
        var code = data.sendDatagram(bytes + payload)
        if code == refusedDatagram {
            // The answer to the datagram before, and this one has not left yet. Nobody receives yet, or any more, which is the
            // receiver's own affair.
            noteRefusal()
            bytes[1] |= 0x80
            code = data.sendDatagram(bytes + payload)
        }
        switch code {
        case 0:
            sentPackets &+= 1
            sentOctets &+= UInt32(payload.count)
            lastBytes = UInt64(payload.count)
            sentBytes += lastBytes
            present.hasBegun = true
            return true
        case refusedDatagram: return false
        case let code where fullDatagrams.contains(code): return false
        case let code: throw StreamError(.network, "send to \(description.target)", networkError(code))
        }
    }

    private func noteRefusal() {
        sentBytes -= lastBytes
        lastBytes = 0
        if present.hasBegun { present.isRefused = true } else { isPreviousRefused = true }
    }

    /// Says every five seconds which time stamp belongs to which time of day, so that a receiver can follow the sender's clock.
    private func report(_ packet: StreamPacket) {
        let now = clock()
        guard now >= nextReport else { return }
        nextReport = now + Self.reportNanoseconds
        var bytes: [UInt8] = [0x80, 200]
        bytes.append(bigEndian: UInt16(6))
        bytes.append(bigEndian: source)
        // Seconds since 1900, and parts of 2³².
        let wall = packet.wallNanoseconds
        bytes.append(bigEndian: UInt32(truncatingIfNeeded: wall / 1_000_000_000 + 2_208_988_800))
        bytes.append(
            bigEndian: UInt32(truncatingIfNeeded: (wall % 1_000_000_000) << 32 / 1_000_000_000))
        bytes.append(bigEndian: timeStamp(Int64(bitPattern: packet.firstFrame)))
        bytes.append(bigEndian: sentPackets)
        bytes.append(bigEndian: sentOctets)
        // The name that RFC 3550 wants: the source's own number, which says nothing of the machine or its user.
        let name = Array("\(source)@iounit".utf8)
        var items: [UInt8] = [1, UInt8(name.count)] + name + [0]
        items += [UInt8](repeating: 0, count: (4 - items.count % 4) % 4)
        bytes += [0x81, 202]
        bytes.append(bigEndian: UInt16(1 + items.count / 4))
        bytes.append(bigEndian: source)
        tell(bytes + items)
    }

    private func tell(_ bytes: [UInt8]) {
        // The answer to the one before is not to keep this one back.
        if control?.sendDatagram(bytes) == refusedDatagram { _ = control?.sendDatagram(bytes) }
    }
}
