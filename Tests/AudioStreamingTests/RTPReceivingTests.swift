import AudioFiles
import TestSupport
import Testing
import Threads

@testable import AudioStreaming

@Suite("Receiving RTP") struct RTPReceivingTests {
    private func bytes(
        first: UInt8 = 0x80, type: UInt8 = 96, sequence: UInt16 = 7, time: UInt32 = 1000, source: UInt32 = 5,
        _ rest: [UInt8]
    ) -> [UInt8] {
        var bytes: [UInt8] = [first, type]
        bytes.append(bigEndian: sequence)
        bytes.append(bigEndian: time)
        bytes.append(bigEndian: source)
        return bytes + rest
    }

    @Test func `a packet is read with all that may stand before and behind its payload`() {
        #expect(RTPPacket(bytes([1, 2]))?.payload == [1, 2])
        // Two contributors, an extension of one word, three bytes of padding.
        let rest: [UInt8] = [0, 0, 0, 1, 0, 0, 0, 2, 0xbe, 0xde, 0, 1, 9, 9, 9, 9, 42, 0, 0, 3]
        #expect(RTPPacket(bytes(first: 0xb2, rest))?.payload == [42])
        #expect(RTPPacket(bytes(type: 0x80 | 96, []))?.isMarked == true)
    }

    @Test func `what is no packet is none`() {
        for length in 0..<12 { #expect(RTPPacket(Array(bytes([]).prefix(length))) == nil) }
        #expect(RTPPacket(bytes(first: 0x40, [1])) == nil)
        #expect(RTPPacket(bytes(type: 72, [1])) == nil)
        #expect(RTPPacket(bytes(first: 0x8f, [1])) == nil)
        #expect(RTPPacket(bytes(first: 0x90, [0, 0, 0xff, 0xff])) == nil)
        #expect(RTPPacket(bytes(first: 0xa0, [200])) == nil)
        #expect(RTPPacket(bytes(first: 0xa0, [0])) == nil)
    }

    @Test func `a report tells the time to the nanosecond, and the end`() {
        var report: [UInt8] = [0x80, 200]
        report.append(bigEndian: UInt16(6))
        report.append(bigEndian: UInt32(5))
        // 2026-11-22 22:00:00.75 in UTC.
        report.append(bigEndian: UInt32(1_795_384_800 + 2_208_988_800))
        report.append(bigEndian: UInt32(3) << 30)
        for number in [UInt32(1000), 3, 300] { report.append(bigEndian: number) }
        var bye: [UInt8] = [0x81, 203]
        bye.append(bigEndian: UInt16(1))
        bye.append(bigEndian: UInt32(5))
        let time = RTPReport.time(source: 5, wallNanoseconds: 1_795_384_800_750_000_000, timeStamp: 1000)
        #expect(RTPReport.all(in: report + bye) == [time, .bye(source: 5)])
        for length in 0..<report.count { #expect(RTPReport.all(in: Array(report.prefix(length))).isEmpty) }
        // 2036-02-07 06:28:16.75, just after the counter of seconds has overflowed.
        report.replaceSubrange(8..<12, with: [0, 0, 0, 0])
        let later = RTPReport.time(source: 5, wallNanoseconds: 2_085_978_496_750_000_000, timeStamp: 1000)
        #expect(RTPReport.all(in: report) == [later])
    }

    @Test func `the length of a packet of Opus is told by its first bytes`() {
        // SILK of 60 ms; hybrid of 20 ms; CELT of 2.5 ms twice; five of 20 ms; seven of 20 ms are too long.
        #expect(OpusFrames.count([3 << 3]) == 2880)
        #expect(OpusFrames.count([13 << 3]) == 960)
        #expect(OpusFrames.count([16 << 3 | 1]) == 240)
        #expect(OpusFrames.count([31 << 3 | 3, 5]) == 4800)
        #expect(OpusFrames.count([31 << 3 | 3, 7]) == nil && OpusFrames.count([31 << 3 | 3]) == nil)
        #expect(OpusFrames.count([]) == nil && OpusFrames.count([3, 0]) == nil)
    }

    @Test(arguments: [Codec.opus, .pcm16, .pcm24]) func `what a sender describes is understood`(
        codec: Codec
    ) throws {
        let opening = StreamOpening(
            codec: codec, rate: 48000, channels: 2, bits: codec == .pcm24 ? 24 : 16, packetFrames: 480, firstFrame: 0,
            wallNanoseconds: 0)
        let text = RTPDescription(target: try StreamTarget("rtp://[::1]:5004"), opening: opening).text
        let description = try SessionDescription(Array(text.utf8))
        #expect(description.host == "::1" && description.port == 5004)
        #expect(description.payload == (try RTPPayload(codec, sampleRate: 48000, channels: 2, type: 96)))
    }

    @Test func `a description of a group leaves out the network that is this machine's`() throws {
        let opening = StreamOpening(
            codec: .pcm16, rate: 48000, channels: 2, bits: 16, packetFrames: 480, firstFrame: 0, wallNanoseconds: 0)
        let text = RTPDescription(target: try StreamTarget("rtp://[ff15::1%lo]:5004"), opening: opening).text
        #expect(text.contains("c=IN IP6 ff15::1\r\n"))
    }

    /// Whether this machine has addresses of IPv6.
    private static let hasIPv6 = SmallFile.text("/proc/net/if_inet6")?.contains(" lo") == true

    @Test(.enabled(if: hasIPv6)) func `a group of IPv6 is joined on the network that was named, and left`() throws {
        // As the kernel lists it, with the network's name before it.
        let group = UInt32.random(in: 0x1000_0000 ... .max)
        let address = "ff15::\(String(group >> 16, radix: 16)):\(String(group & 0xffff, radix: 16))"
        func isJoined() -> Bool {
            let lines = SmallFile.text("/proc/net/igmp6", limit: 1 << 20)?.split(separator: "\n") ?? []
            let listed = "ff15" + String(repeating: "0", count: 20) + String(group, radix: 16)
            return lines.contains { $0.contains("lo ") && $0.contains(listed) }
        }
        let waits = { true }
        var socket: DatagramSocket? = try DatagramSocket(
            host: "\(address)%lo", port: 0, operation: "test", waits: waits)
        #expect(socket != nil && isJoined())
        socket = nil
        #expect(!isJoined())
    }

    @Test func `of several payloads the first that can be received is taken, of several streams the first sound`()
        throws
    {
        let text = """
            v=0\r\ns=x\r\nc=IN IP4 10.0.0.1\r\nt=0 0\r\nm=video 7000 RTP/AVP 31\r\nm=audio 6000/2 RTP/AVP 0 97 11\r\n\
            c=IN IP4 224.1.2.3/127\r\na=rtpmap:97 L24/96000/8\r\nm=audio 8000 RTP/AVP 10\r\n
            """
        let description = try SessionDescription(Array(text.utf8))
        #expect(description.host == "224.1.2.3" && description.port == 6000)
        #expect(description.payload == (try RTPPayload(.pcm24, sampleRate: 96000, channels: 8, type: 97)))
    }

    @Test func `the sound is where the session is, and not where a stream before it is`() throws {
        func host(_ session: String, _ sound: String) throws -> String {
            let text = """
                v=0\r\ns=x\r\n\(session)t=0 0\r\nm=video 7000 RTP/AVP 31\r\nc=IN IP4 203.0.113.9\r\n\
                m=audio 6000 RTP/AVP 10\r\n\(sound)
                """
            return try SessionDescription(Array(text.utf8)).host
        }
        let (session, sound) = ("c=IN IP4 10.0.0.1\r\n", "c=IN IP4 10.0.0.2\r\n")
        #expect(try host(session, "") == "10.0.0.1")
        #expect(try host(session, sound) == "10.0.0.2" && host("", sound) == "10.0.0.2")
        #expect(#expect(throws: StreamError.self) { try host("", "") }?.kind == .badData)
    }

    @Test func `a payload is what its description says, whatever its number is`() throws {
        func rate(type: UInt8?, _ sent: UInt8) throws -> Int? {
            let payload = try RTPPayload(.pcm16, sampleRate: 48000, channels: 2, type: type)
            let source = try RTPSource(host: "127.0.0.1", port: 0, payload: payload, operation: "test")
            let events = source.take(bytes(type: sent, [0, 0, 0, 0]), at: 0)
            return events.compactMap { if case .opening(let opening) = $0 { opening.rate } else { nil } }.first
        }
        #expect(try rate(type: 35, 35) == 48000 && rate(type: 10, 10) == 48000 && rate(type: 35, 10) == nil)
        #expect(try rate(type: 97, 97) == 48000 && rate(type: 97, 96) == nil)
        // Without one: any from 96 on, and below it what has a meaning.
        #expect(try rate(type: nil, 96) == 48000 && rate(type: nil, 10) == 44100 && rate(type: nil, 35) == nil)
    }

    @Test func `a source follows one sender, and another when that has ended`() throws {
        let payload = try RTPPayload(.pcm16, sampleRate: 48000, channels: 1)
        let source = try RTPSource(host: "127.0.0.1", port: 0, payload: payload, operation: "test")
        func openings(_ events: [SourceEvent]) -> Int { events.count { if case .opening = $0 { true } else { false } } }
        func packets(_ events: [SourceEvent]) -> [StreamPacket] {
            events.compactMap { if case .packet(let packet, _, _) = $0 { packet } else { nil } }
        }
        let first = source.take(bytes(sequence: 65535, time: .max, [1, 2, 3, 4]), at: 0)
        #expect(openings(first) == 1)
        let one = try #require(packets(first).first)
        #expect(one.payload == [2, 1, 4, 3] && one.frames == 2)
        let two = try #require(packets(source.take(bytes(sequence: 0, time: 1, [0, 0]), at: 1)).first)
        #expect(two.sequence == one.sequence &+ 1 && two.firstFrame == one.firstFrame + 2)
        // Another sender, a payload of another kind.
        #expect(source.take(bytes(source: 6, [0, 0]), at: 2).isEmpty)
        #expect(packets(source.take(bytes(type: 97, sequence: 1, [0, 0]), at: 2)).isEmpty)
        #expect(source.ignoredPackets == 2)
        // Half a frame more than the usual one: the decoder refuses it, and it counts as damaged, not as lost.
        let broken = try #require(packets(source.take(bytes(sequence: 1, time: 2, [0, 0, 0]), at: 2)).first)
        #expect(broken.sequence == two.sequence &+ 1 && broken.frames == 1 && source.ignoredPackets == 2)
        var decoder = try StreamDecoder(
            StreamOpening(
                codec: .pcm16, rate: 48000, channels: 1, bits: 16, packetFrames: 1, firstFrame: 0, wallNanoseconds: 0))
        for payload in [broken.payload, []] {
            var packet = broken
            packet.payload = payload
            #expect(throws: StreamError.self) { try decoder.decode(packet) }
        }
        #expect(openings(source.take(bytes(source: 6, [0, 0]), at: 2_000_000_000)) == 1)
    }

    /// What a source makes of packets of 480 frames that come one after the other, after five of them in order from number and time 0:
    /// an opening, an end, or a packet's number and place behind the first one's.
    private func heard(_ packets: (sequence: UInt16, time: UInt32)...) throws -> (words: [String], strange: Int) {
        let payload = try RTPPayload(.pcm16, sampleRate: 48000, channels: 1)
        let source = try RTPSource(host: "127.0.0.1", port: 0, payload: payload, operation: "test")
        let before = (0..<5).map { (sequence: UInt16($0), time: UInt32($0) * 480) }
        var (words, first): ([String], StreamPacket?) = ([], nil)
        for (index, packet) in (before + packets).enumerated() {
            let sent = bytes(
                sequence: packet.sequence, time: packet.time, [UInt8](repeating: UInt8(index), count: 960))
            for event in source.take(sent, at: 1_000_000_000 + UInt64(index) * 10_000_000) {
                switch event {
                case .opening: (first, words) = (nil, words + ["opening"])
                case .ended: words.append("ended")
                case .packet(let packet, let nanoseconds, _):
                    let start = first ?? packet
                    first = start
                    // Each keeps its sound and the time at which it came.
                    #expect(nanoseconds == 1_000_000_000 + UInt64(packet.payload[0]) * 10_000_000)
                    words.append(
                        "\(packet.sequence &- start.sequence) \(Int(packet.firstFrame) - Int(start.firstFrame))")
                default: break
                }
            }
        }
        return (Array(words.dropFirst(6)), source.ignoredPackets)
    }

    @Test(
        arguments: [
            (20000, 2400), (32773, 2400), (5, 1 << 30), (5, 1 << 31 + 7), (2, 1 << 30), (5, 0 &- 100_000),
            (3, 0 &- 100_000),
        ] as [(UInt16, UInt32)])
    func `one stray packet of a sender is left out, and the stream goes on`(sequence: UInt16, time: UInt32) throws {
        let (words, strange) = try heard((sequence, time), (5, 2400), (6, 2880), (7, 3360))
        #expect(words == ["5 2400", "6 2880", "7 3360"] && strange == 1, "\(words)")
    }

    @Test func `of stray packets none is believed where they do not go together, however many come`() throws {
        let (words, strange) = try heard(
            (20000, 7), (40000, 7), (40000, 7), (60000, 7), (5, 2400), (30000, 1 << 31), (6, 2880), (30001, 7),
            (7, 3360))
        #expect(words == ["5 2400", "6 2880", "7 3360"] && strange == 6, "\(words)")
    }

    @Test(arguments: [(20000, 9_000_000), (5, 1 << 30), (5, 0 &- 100_000)] as [(UInt16, UInt32)])
    func `two packets that go together begin again, and the first of them is heard`(sequence: UInt16, time: UInt32)
        throws
    {
        let (words, strange) = try heard(
            (sequence, time), (sequence + 1, time &+ 480), (sequence + 2, time &+ 960), (5, 2400),
            (sequence + 3, time &+ 1440))
        let due = ["ended", "opening", "0 0", "1 480", "2 960", "3 1440"]
        #expect(words == due && strange == 1, "\(words)")
    }

    @Test func `a pause is no stray packet, however long it was`() throws {
        let payload = try RTPPayload(.pcm16, sampleRate: 48000, channels: 1)
        let source = try RTPSource(host: "127.0.0.1", port: 0, payload: payload, operation: "test")
        let sound = [UInt8](repeating: 0, count: 960)
        var packets = 0
        for (number, second) in [0, 1, 100, 5000, 5001].enumerated() {
            // A mark says that the time steps.
            let sent = bytes(type: 0x80 | 96, sequence: UInt16(number), time: UInt32(second) * 48000, sound)
            for event in source.take(sent, at: UInt64(1 + second) * 1_000_000_000) {
                if case .packet = event { packets += 1 }
            }
        }
        #expect(packets == 5 && source.ignoredPackets == 0)
    }

    @Test func `a sender that begins anew under its old name is heard after a second, with whatever it sends`() throws {
        let second: UInt64 = 1_000_000_000
        let payload = try RTPPayload(.pcm16, sampleRate: 48000, channels: 1)
        let source = try RTPSource(host: "127.0.0.1", port: 0, payload: payload, operation: "test")
        func openings(_ events: [SourceEvent]) -> [StreamOpening] {
            events.compactMap { if case .opening(let opening) = $0 { opening } else { nil } }
        }
        #expect(openings(source.take(bytes([0, 0]), at: 0)).count == 1)
        // L16 of one channel at 44.1 kHz, which its number alone tells.
        #expect(source.take(bytes(type: 11, sequence: 1, [0, 0]), at: second / 2).isEmpty)
        let other = source.take(bytes(type: 11, sequence: 2, [0, 0]), at: 2 * second)
        #expect(openings(other).map(\.rate) == [44100])
    }

    /// What comes of a source until so many senders have ended.
    private func events(of source: RTPSource, ends: Int) -> [SourceEvent] {
        var events: [SourceEvent] = []
        let deadline = MonotonicClock.nanoseconds() + 20_000_000_000
        while events.count(where: { if case .ended = $0 { true } else { false } }) < ends,
            MonotonicClock.nanoseconds() < deadline
        {
            events += source.receive(untilNanoseconds: deadline)
        }
        return events
    }

    /// What they are, a word each.
    private func words(_ events: [SourceEvent]) -> [String] {
        events.compactMap { event in
            switch event {
            case .opening: "opening"
            case .packet: "packet"
            case .failed: "failed"
            case .ended: "ended"
            default: nil
            }
        }
    }

    @Test func `a sender that has said good-bye is heard again a second later`() throws {
        let port = try freePorts()
        let payload = try RTPPayload(.pcm16, sampleRate: 48000, channels: 1)
        let source = try RTPSource(host: "127.0.0.1", port: port, payload: payload, operation: "test")
        let script = """
            import socket, struct, time
            out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            for begin in (0, 100):
                # The source keeps away for a second, from when it hears the good-bye, what that may have overtaken.
                if begin: time.sleep(3)
                for number in range(3):
                    out.sendto(
                        struct.pack("!BBHIIh", 0x80, 96, begin + number, number, 5, 0), ("127.0.0.1", \(port)))
                out.sendto(struct.pack("!BBHI", 0x81, 203, 1, 5), ("127.0.0.1", \(port + 1)))
            """
        let sender = try Program("/usr/bin/python3", ["-c", script])
        let heard = words(events(of: source, ends: 2))
        #expect(heard.count { $0 == "packet" } == 6 && heard.count { $0 == "ended" } == 2)
        #expect(sender.wait(seconds: 20) == 0)
    }

    @Test func `of a sender that was refused nothing is heard, however few packets it sends before its good-bye`()
        throws
    {
        let port = try freePorts()
        let payload = try RTPPayload(.pcm16, sampleRate: 48000, channels: 1)
        let source = try RTPSource(host: "127.0.0.1", port: port, payload: payload, operation: "test")
        // Two frames each with time stamps of 480. After a second the source listens to it once more: two packets are left.
        let script = """
            import socket, struct, time
            out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            for number in range(12):
                # A second by the source's clock, which may have heard the others late.
                if number == 10: time.sleep(3)
                out.sendto(
                    struct.pack("!BBHIIhh", 0x80, 96, number, 480 * number, 5, 0, 0), ("127.0.0.1", \(port)))
            out.sendto(struct.pack("!BBHI", 0x81, 203, 1, 5), ("127.0.0.1", \(port + 1)))
            time.sleep(1.5)
            for number in range(3):
                out.sendto(struct.pack("!BBHIIh", 0x80, 96, number, number, 6, 0), ("127.0.0.1", \(port)))
            out.sendto(struct.pack("!BBHI", 0x81, 203, 1, 6), ("127.0.0.1", \(port + 1)))
            """
        let sender = try Program("/usr/bin/python3", ["-c", script])
        let heard = words(events(of: source, ends: 1))
        #expect(heard == ["failed", "opening", "packet", "packet", "packet", "ended"])
        #expect(sender.wait(seconds: 20) == 0)
    }

    @Test func `a sender that begins right behind the good-bye of another is heard from its first packet on`() throws {
        let port = try freePorts()
        let payload = try RTPPayload(.pcm16, sampleRate: 48000, channels: 1)
        let source = try RTPSource(host: "127.0.0.1", port: port, payload: payload, operation: "test")
        let script = """
            import socket, struct
            out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            for sender in (5, 6):
                for number in range(3):
                    out.sendto(struct.pack("!BBHIIh", 0x80, 96, number, number, sender, 0), ("127.0.0.1", \(port)))
                out.sendto(struct.pack("!BBHI", 0x81, 203, 1, sender), ("127.0.0.1", \(port + 1)))
            """
        _ = try #require(try Program.output(of: "/usr/bin/python3", ["-c", script]))
        let heard = words(events(of: source, ends: 2))
        let one = ["opening", "packet", "packet", "packet", "ended"]
        #expect(heard == one + one && source.ignoredPackets == 0)
    }

    @Test(.enabled(if: hasIPv6)) func `a socket for all addresses hears both versions of IP`() throws {
        let port = try freePorts()
        let socket = try DatagramSocket(host: "", port: port, operation: "test", waits: { true })
        let script = """
            import socket
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"4", ("127.0.0.1", \(port)))
            socket.socket(socket.AF_INET6, socket.SOCK_DGRAM).sendto(b"6", ("::1", \(port)))
            """
        _ = try #require(try Program.output(of: "/usr/bin/python3", ["-c", script]))
        #expect([socket.next(), socket.next()] == [Array("4".utf8), Array("6".utf8)])
    }

    @Test func `what has more bytes than a frame of Opus is none`() throws {
        let payload = try RTPPayload(.opus, sampleRate: 48000, channels: 2)
        let longest: [UInt8] = [31 << 3] + [UInt8](repeating: 1, count: 1275)
        #expect(payload.packetPayload(longest)?.frames == 960 && payload.packetPayload(longest + [1]) == nil)
        // Silence of L16.
        #expect(payload.packetPayload([UInt8](repeating: 0, count: 960)) == nil)
    }

    /// Bytes of samples that are five packets of 20 ms in one by their form, and no packet of Opus.
    @Test(arguments: [[0xff, 5], [0xff, 63], []] as [[UInt8]])
    func `of another codec than is expected one sentence tells, and nothing is handed on`(payload: [UInt8]) throws {
        let port = try freePorts()
        let expected = try RTPPayload(.opus, sampleRate: 48000, channels: 2)
        let source = try RTPSource(host: "127.0.0.1", port: port, payload: expected, operation: "test")
        let script = """
            import socket, struct
            out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            for number in range(40):
                out.sendto(
                    struct.pack("!BBHII", 0x80, 96, number, 480 * number, 5) + bytes(\(payload)), ("127.0.0.1", \(port)))
            out.sendto(struct.pack("!BBHI", 0x81, 203, 1, 5), ("127.0.0.1", \(port + 1)))
            """
        _ = try #require(try Program.output(of: "/usr/bin/python3", ["-c", script]))
        let heard = events(of: source, ends: 1)
        let errors = heard.compactMap { if case .failed(let error) = $0 { error } else { nil } }
        #expect(words(heard) == ["failed", "ended"] && errors.map(\.kind) == [.protocolError])
        #expect(errors.first?.reason.contains("not the expected opus (48000 hertz, channels: 2); say") == true)
        #expect(source.ignoredPackets == 40)
    }

    @Test func `packets of a number that is not expected are told of once, and the right ones are heard after them`()
        throws
    {
        let payload = try RTPPayload(.opus, sampleRate: 48000, channels: 2, type: 97)
        let source = try RTPSource(host: "127.0.0.1", port: 0, payload: payload, operation: "test")
        let strange = (0..<20).flatMap { source.take(bytes(type: 0, sequence: $0, [1, 2]), at: UInt64($0)) }
        #expect(strange.count == 1 && source.ignoredPackets == 20)
        if case .failed(let error)? = strange.first {
            #expect(error.kind == .protocolError)
        } else {
            Issue.record("\(strange)")
        }
        #expect(source.take(bytes(type: 97, source: 6, [31 << 3]), at: 20).count == 3)
    }

    @Test func `loss, silence and a step of the time are no other codec`() {
        var watch = PayloadWatch()
        func packet(_ sequence: UInt16, _ time: UInt32) -> RTPPacket? {
            RTPPacket(bytes(sequence: sequence, time: time, []))
        }
        var time: UInt32 = .max - 1000
        for sequence in UInt16(0)..<300 {
            time &+= sequence % 20 == 7 ? 0 &- 48000 : 480
            guard sequence % 9 != 3, let packet = packet(sequence, time) else { continue }
            watch.add(packet, frames: 480, mayPause: false)
        }
        #expect(watch.state == .trusted)
        // Of Opus a pause has no mark.
        for sequence in UInt16(300)..<400 {
            time &+= 19200
            guard let packet = packet(sequence, time) else { continue }
            watch.add(packet, frames: 960, mayPause: true)
        }
        #expect(watch.state == .trusted)
        // One channel where two are expected.
        for sequence in UInt16(400)..<410 {
            time &+= 480
            guard let packet = packet(sequence, time) else { continue }
            watch.add(packet, frames: 240, mayPause: false)
        }
        #expect(watch.state == .refused)
    }

    @Test func `what was sent before a good-bye is heard, however much of it waits`() throws {
        let payload = try RTPPayload(.pcm16, sampleRate: 48000, channels: 1)
        let port = try freePorts()
        let source = try RTPSource(host: "127.0.0.1", port: port, payload: payload, operation: "test")
        let script = """
            import socket, struct
            out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            for number in range(300):
                out.sendto(struct.pack("!BBHIIh", 0x80, 96, number, number, 5, 0), ("127.0.0.1", \(port)))
            out.sendto(struct.pack("!BBHI", 0x81, 203, 1, 5), ("127.0.0.1", \(port + 1)))
            """
        _ = try #require(try Program.output(of: "/usr/bin/python3", ["-c", script]))
        var (packets, isOver) = (0, false)
        let deadline = MonotonicClock.nanoseconds() + 20_000_000_000
        while !isOver, MonotonicClock.nanoseconds() < deadline {
            for event in source.receive(untilNanoseconds: deadline) {
                switch event {
                case .packet: packets += 1
                case .ended: isOver = true
                default: break
                }
            }
        }
        #expect(isOver && packets == 300 && source.ignoredPackets == 0)
    }
}
