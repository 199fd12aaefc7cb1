import AudioFiles
import Foundation
import TestSupport
import Testing
import Threads

@testable import AudioStreaming

/// A stream from a web server that is not ours, or by TCP, up to the decoder.
@Suite("A source of a stream in the form of a file") struct BodySourceTests {
    private let folder: TemporaryFolder
    private let sound = steppedNoise(frames: 24_000, channels: 2, bits: 24)
    init() throws { folder = try TemporaryFolder() }

    private func make(_ name: String, _ words: String...) throws {
        let raw = sound.map { Int32(Double($0) * 2_147_483_648) }
        try raw.withUnsafeBytes { try Data($0).write(to: URL(fileURLWithPath: folder("raw"))) }
        let input = ["-y", "-v", "error", "-f", "s32le", "-ar", "48000", "-ac", "2", "-i", folder("raw")]
        _ = try #require(try Program.output(of: "/usr/bin/ffmpeg", input + words + [folder(name)]))
    }

    private func origin(_ word: String, token: String? = nil, authority: String? = nil) throws -> StreamOrigin {
        var origin = try StreamOrigin(word, payload: RTPPayload(.opus, sampleRate: 48000, channels: 2))
        origin.access.secret = try token.map { try Secret($0) }
        origin.access.certificatesPath = authority
        return origin
    }

    private func failure(_ word: String, token: String? = nil, authority: String? = nil) throws -> StreamError {
        do {
            return try #require(try Reception(origin(word, token: token, authority: authority)).failure)
        } catch let error as StreamError {
            return error
        }
    }

    @Test(arguments: ["length", "chunked", "close", "wordy"]) func `gives FLAC and WAV from a web server to the bit`(
        way: String
    ) throws {
        try make("a.flac", "-sample_fmt", "s32")
        try make("a.wav", "-c:a", "pcm_s24le")
        var wav = try Data(contentsOf: URL(fileURLWithPath: folder("a.wav")))
        let place = try #require(wav.firstRange(of: Data("data".utf8))).upperBound
        wav.replaceSubrange(place..<(place + 4), with: [0xff, 0xff, 0xff, 0xff])
        try wav.write(to: URL(fileURLWithPath: folder("endless.wav")))
        let server = try BodyServer(folder)
        let flac = try Reception(origin(server.url("/\(way)/a.flac")))
        #expect(try Heard(flac.pieces).samples == sound && flac.isFinished && flac.container == .flac)
        #expect(flac.failure == nil)
        // What does not say how long it is may go on later.
        let endless = try Reception(origin(server.url("/\(way)/endless.wav")))
        #expect(try Heard(endless.pieces).samples == sound && endless.isFinished == (way == "length"))
        #expect(endless.failure == nil)
        let requests = try server.requests()
        #expect(requests.allSatisfy { $0["icy-metadata"] == "0" && $0["authorization"] == nil })
    }

    @Test func `leaves titles out that a server puts between the sound`() throws {
        try make("a.mp3", "-b:a", "128k")
        let server = try BodyServer(folder)
        let plain = try Reception(origin(server.url("/length/a.mp3")))
        let titled = try Reception(origin(server.url("/titles/a.mp3")))
        #expect(try Heard(titled.pieces).samples == Heard(plain.pieces).samples && titled.container == .mp3)
    }

    @Test func `goes where a server leads, with the token for that server alone`() throws {
        try make("a.flac", "-sample_fmt", "s32")
        let (server, other) = (try BodyServer(folder), try BodyServer(folder))
        let same = try Reception(origin(server.redirection(to: "../secret/a.flac"), token: "sesame"))
        #expect(same.isFinished)
        let away = try failure(server.redirection(to: other.url("/secret/a.flac")), token: "sesame")
        #expect(away.kind == .denied)
        #expect(try other.requests().count == 1 && other.requests()[0]["authorization"] == nil)
        #expect(try Reception(origin(server.redirection(to: other.url("/length/a.flac")))).isFinished)
        let round = try failure(server.url("/round/1"))
        #expect(round.kind == .protocolError && round.reason.contains("more than 5 times"), "\(round)")
        // Four of the streams before, the first of this one, and the five that it led to.
        #expect(try server.requests().count == 4 + 6)
        let nowhere = try failure(server.redirection(to: "ftp://a/b"))
        #expect(nowhere.kind == .protocolError && nowhere.reason.contains("an address that is none"), "\(nowhere)")
    }

    @Test func `is encrypted where the address says so, and never goes on without that with a token`() throws {
        try make("a.flac", "-sample_fmt", "s32")
        let certificate = try WebServer.certificate(for: "DNS:localhost,IP:127.0.0.1", in: folder)
        let (server, plain) = (try BodyServer(folder, certificate: certificate), try BodyServer(folder))
        let heard = try Reception(
            origin(server.url("/secret/a.flac", host: "localhost"), token: "sesame", authority: certificate))
        #expect(try Heard(heard.pieces).samples == sound && heard.isFinished)
        #expect(try failure(server.url("/length/a.flac")).kind == .untrusted)
        let down = try failure(
            server.redirection(to: plain.url("/length/a.flac?key=word")), token: "sesame", authority: certificate)
        #expect(down.kind == .protocolError && down.reason.contains("nothing is encrypted"), "\(down)")
        #expect(down.reason.contains("/length/a.flac?...,"), "\(down)")
        #expect(try plain.requests().isEmpty)
        let refused = try failure(server.url("/length/a.flac").replacing("https", with: "http"))
        #expect([.network, .protocolError].contains(refused.kind), "\(refused)")
    }

    @Test func `says what a server answers`() throws {
        try make("a.flac", "-sample_fmt", "s32")
        let server = try BodyServer(folder)
        #expect(try failure(server.url("/secret/a.flac")).reason.contains("give it with --token"))
        #expect(try failure(server.url("/secret/a.flac"), token: "simsim").kind == .denied)
        #expect(try failure(server.url("/status/403")).kind == .denied)
        for code in [404, 500, 503] { #expect(try failure(server.url("/status/\(code)")).kind == .network, "\(code)") }
        #expect(try failure(server.url("/status/406")).kind == .protocolError)
        for way in ["cut", "break", "huge"] {
            let cut = try failure(server.url("/\(way)/a.flac"))
            #expect(cut.kind == .network && cut.reason.contains("the connection broke"), "\(way): \(cut)")
        }
        try Data("<html>no</html>".utf8).write(to: URL(fileURLWithPath: folder("page")))
        #expect(try failure(server.url("/length/page")).kind == .protocolError)
    }

    /// Gives its bytes, and ends.
    private final class Bytes: ByteSource {
        private var bytes: [UInt8]?
        let isFinite = false

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        func read(untilNanoseconds deadline: UInt64) throws(StreamError) -> [UInt8]? {
            defer { bytes = nil }
            return bytes
        }

        func rest(untilNanoseconds deadline: UInt64) {}
    }

    @Test func `is tried again whatever its server answers once it had sound, and not before`() throws {
        typealias Answer = Result<[UInt8], StreamError>
        func connected(_ answers: [Answer]) -> ConnectedSource {
            var left = answers[...]
            return ConnectedSource(operation: "try it") { _ throws(StreamError) -> (any ByteSource)? in
                guard let answer = left.popFirst() else { return nil }
                return Bytes(try answer.get())
            }
        }
        let unknown: [UInt8] = [255, 255, 255, 255]
        var wav = Array("RIFF".utf8) + unknown + Array("WAVEfmt ".utf8)
        wav += [16, 0, 0, 0, 1, 0, 1, 0, 0x80, 0xbb, 0, 0, 0, 0x77, 1, 0, 2, 0, 16, 0] + Array("data".utf8) + unknown
        wav += [UInt8](repeating: 1, count: 9600)
        let page = Answer.success(Array("<html>no</html>".utf8))
        let refusal = Answer.failure(StreamError(.denied, "try it", "it does not accept the token"))
        let source = connected([.success(wav), page, refusal, .success(wav)])
        var (kinds, openings): ([StreamError.Kind], Int) = ([], 0)
        try waitUntil("it has sound again") {
            for event in try source.receive(untilNanoseconds: MonotonicClock.nanoseconds() + 100_000_000) {
                switch event {
                case .opening: openings += 1
                case .failed(let error): kinds.append(error.kind)
                default: break
                }
            }
            return openings == 2
        }
        #expect(kinds == [.protocolError, .denied])
        for answer in [page, refusal] {
            let silent = connected([answer])
            #expect(throws: StreamError.self) {
                for _ in 0..<3 { _ = try silent.receive(untilNanoseconds: 0) }
            }
        }
    }

    @Test func `lets a server of a long file wait`() throws {
        let frames = 48_000 * 120
        var wav =
            Data("RIFF    WAVEfmt ".utf8) + [16, 0, 0, 0, 1, 0, 2, 0, 0x80, 0xbb, 0, 0, 0, 0xee, 2, 0, 4, 0, 16, 0]
        wav += Data("data".utf8) + withUnsafeBytes(of: UInt32(4 * frames).littleEndian) { Data($0) }
        wav += Data(count: 4 * frames)
        try wav.write(to: URL(fileURLWithPath: folder("long.wav")))
        let server = try BodyServer(folder)
        let source = try origin(server.url("/close/long.wav")).open { true }
        let start = MonotonicClock.nanoseconds()
        let deadline = start + 30_000_000_000
        var (seconds, mostAhead, longest) = (0.0, 0.0, 0.0)
        while seconds < 2.5 && MonotonicClock.nanoseconds() < deadline {
            for case .packet(let packet, _, _) in try source.receive(untilNanoseconds: deadline) {
                let length = Double(packet.frames) / 48000
                (seconds, longest) = (seconds + length, max(longest, length))
            }
            mostAhead = max(mostAhead, seconds - Double(MonotonicClock.nanoseconds() - start) / 1e9)
        }
        // It goes on as it lasts, half a second before its time.
        #expect(seconds >= 2.5 && mostAhead < 0.5 + longest, "\(seconds) s, \(mostAhead) s before its time")
        // Of 23 MB at most 4 wait here, and what the kernel holds.
        #expect(try server.requests().count == 1 && server.sentBodies() == 0)
    }

    @Test func `listens at a port for one sender after the other, and tells of what is no sound`() throws {
        try make("a.flac", "-sample_fmt", "s32")
        let port = try freePorts()
        let source = try origin("tcp-listen://\(port)").open { true }
        func heard(_ bytes: Data) throws -> (samples: [Float], failure: StreamError?) {
            let file = folder("send-\(UUID().uuidString)")
            try bytes.write(to: URL(fileURLWithPath: file))
            let script =
                "import socket,sys; s=socket.create_connection(('127.0.0.1',\(port))); s.sendall(open(sys.argv[1],'rb').read())"
            let sender = try Program("/usr/bin/python3", ["-c", script, file])
            var pieces: [SoundPiece] = []
            let deadline = MonotonicClock.nanoseconds() + 20_000_000_000
            while MonotonicClock.nanoseconds() < deadline {
                for event in try source.receive(untilNanoseconds: MonotonicClock.nanoseconds() + 20_000_000) {
                    switch event {
                    case .opening(let opening): pieces.append(.opening(opening))
                    case .packet(let packet, _, _): pieces.append(.packet(packet))
                    case .failed(let error): return ([], error)
                    case .ended where !pieces.isEmpty: return (try Heard(pieces).samples, nil)
                    default: break
                    }
                }
            }
            sender.end()
            throw DidNotHappen(description: "the sender was heard")
        }
        let flac = try Data(contentsOf: URL(fileURLWithPath: folder("a.flac")))
        #expect(try heard(flac).samples == sound)
        #expect(try heard(Data("GET / HTTP/1.1\r\n\r\n".utf8)).failure?.kind == .protocolError)
        #expect(try heard(flac).samples == sound)
        for address in ["tcp-listen://:\(port)", "tcp-listen://[]:\(port)", "tcp-listen://127.0.0.1:\(port)"] {
            #expect(try origin(address) == origin("tcp-listen://\(port)"))
        }
        let used = #expect(throws: StreamError.self) { try origin("tcp-listen://\(port)").open { true } }
        #expect(used?.kind == .occupied)
    }

    @Test func `a sender that is silent for long gives way to one that waits, and to nobody else`() throws {
        let port = try freePorts()
        let listener = try ListeningSocket.open(PageAddress(port: port), operation: "test", choice: "choose another")
        func connect() throws -> Socket {
            try Socket.connect(.tcp, host: "127.0.0.1", port: port, operation: "test") { true }
        }
        let deadline = MonotonicClock.nanoseconds() + 20_000_000_000
        func accept() -> TCPSource? {
            TCPSource.accept(at: listener, operation: "test", patienceSeconds: 0.02, untilNanoseconds: deadline)
        }
        let silent = try connect()
        let first = try #require(accept())
        let alone = MonotonicClock.nanoseconds() + 100_000_000
        while MonotonicClock.nanoseconds() < alone { #expect(try first.read(untilNanoseconds: alone) == []) }
        let waiting = try connect()
        let error = #expect(throws: StreamError.self) {
            while MonotonicClock.nanoseconds() < deadline {
                _ = try first.read(untilNanoseconds: MonotonicClock.nanoseconds() + 10_000_000)
            }
        }
        #expect(error?.kind == .network && error?.reason.contains("sends nothing") == true)
        let second = try #require(accept())
        #expect(waiting.sendDatagram([7]) == 0)
        #expect(try second.read(untilNanoseconds: deadline) == [7])
        withExtendedLifetime(silent) {}
    }
}
