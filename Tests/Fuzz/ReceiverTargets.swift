import AudioReports

@testable import AudioStreaming

extension Target {
    /// What a file that ought to be one of SDP holds.
    static let descriptions = Target(name: "descriptions") { bytes in
        do {
            let description = try SessionDescription(bytes)
            require((1...65535).contains(description.port), "port \(description.port)")
            require(!description.host.isEmpty && !description.host.utf8.contains(0), "host \(description.host)")
            require(
                (8000...192_000).contains(description.payload.sampleRate), "\(description.payload.sampleRate) hertz")
            require((1...64).contains(description.payload.channels), "\(description.payload.channels) channels")
        } catch {
            requireHarmless(shown("\(error)"), "an error")
        }
    }

    /// What comes to a port of RTP: the first byte tells the payload, then each packet has its length before it.
    static let rtp = Target(name: "rtp") { bytes in
        guard let first = bytes.first else { return }
        let codec: Codec = [.opus, .pcm16, .pcm24][Int(first) % 3]
        guard let payload = try? RTPPayload(codec, sampleRate: 48000, channels: 1 + Int(first >> 2) % 2),
            let opening = try? StreamOpening.of(payload), var decoder = try? StreamDecoder(opening)
        else { return }
        var rest = bytes.dropFirst()
        while let length = rest.popFirst() {
            let packet = Array(rest.prefix(Int(length)))
            rest = rest.dropFirst(Int(length))
            for report in RTPReport.all(in: packet) {
                if case .time(_, let wall, _) = report {
                    require(wall > -1 << 62 && wall < 1 << 62, "the time \(wall)")
                }
            }
            guard let read = RTPPacket(packet), let sound = payload.packetPayload(read.payload) else { continue }
            require(sound.frames >= 1 && sound.frames <= 5760, "\(sound.frames) frames")
            let made = StreamPacket(
                sequence: UInt32(read.sequence), firstFrame: 0, frames: UInt32(sound.frames), wallNanoseconds: 0,
                payload: sound.bytes)
            if let heard = try? decoder.decode(made) { require(heard.frames <= sound.frames, "\(heard.frames) frames") }
        }
    }

    /// Packets in any order with any numbers: each byte pair is a step of the number and the time, or a look.
    static let jitter = Target(name: "jitter") { bytes in
        // Some 40 packets.
        var buffer = JitterBuffer(byteLimit: 4096)
        var (sequence, frame, next) = (0, 0, 0)
        var hasBegun = false
        for pair in stride(from: 0, to: bytes.count - 1, by: 2) {
            let (kind, value) = (bytes[pair], Int(Int8(bitPattern: bytes[pair + 1])))
            if kind & 1 == 0 {
                sequence += value
                frame += value * 100 + Int(kind >> 4)
                // A hole of hours.
                if kind == 0xfe { frame += 1 << 31 }
                let packet = JitterBuffer.Packet(
                    sequence: sequence, firstFrame: frame, frames: Int(kind & 0x0e) * 20,
                    flags: kind & 0x80 != 0 ? .gap : [], payload: kind & 0x40 != 0 ? [] : [0])
                if !hasBegun { next = frame }
                hasBegun = true
                _ = buffer.insert(packet)
            } else {
                var steps = 0
                while steps < 5000, let piece = buffer.next(needed: next + value) {
                    steps += 1
                    switch piece {
                    case .packet(let packet, let passed):
                        require(
                            packet.firstFrame + passed == next && passed >= 0,
                            "frame \(packet.firstFrame), and not \(next)")
                        next += packet.frames - passed
                    case .missing(let frames, _), .gap(let frames):
                        require(frames > 0, "\(frames) frames")
                        next += frames
                    }
                }
                require(buffer.nextFrame ?? next == next, "\(buffer.nextFrame ?? 0), and not \(next)")
            }
            let counts = buffer.counts
            require(
                counts.receivedPackets == counts.playedPackets + counts.latePackets + counts.duplicatePackets
                    + counts.damagedPackets + counts.droppedPackets + buffer.waiting,
                "\(counts) and \(buffer.waiting) that wait")
        }
    }
}

extension StreamOpening {
    fileprivate static func of(_ payload: RTPPayload) throws(StreamError) -> StreamOpening {
        StreamOpening(
            codec: payload.codec, rate: payload.sampleRate, channels: payload.channels, packetFrames: 480,
            firstFrame: 0,
            wallNanoseconds: 0)
    }
}
