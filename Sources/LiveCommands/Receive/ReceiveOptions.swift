import AudioDSP
import AudioIO
import AudioReports
import AudioStreaming
import CommandSyntax
import LiveRuns
import ServerRuns
import Threads

struct ReceiveOptions: SubcommandOptions {
    private static let channelCount = TypedOption<Int>.number(
        "channels", short: "c", .integer, UnitConfiguration.channelRange, initial: 2, "outputs out_1 to out_N",
        more: "; one channel of a stream goes to all, more than there are come down by ITU-R BS.775")
    private static let streamChannels = TypedOption<Int>.number(
        "stream-channels", .integer, 1...64, initial: 2, "channels of that", more: "; of Opus 1 or 2")

    private static let bufferRange = 0.0...5000
    /// In milliseconds; `nil` for what is measured to be needed.
    private static let buffer = TypedOption<Double?>.number(
        "buffer", placeholder: "MS", .milliseconds, bufferRange, orWord: measured,
        "how long to hold packets, so that late ones are in time: \(bufferRange.words) ms, or "
            + "\(measured), which measures what is needed (\(measured))")
    private static let measured = "auto"
    private static let codecs = StreamTarget.Kind.rtp.codecs
    private static let codec = TypedOption<Codec>.choice(
        "codec", "CODEC", codecs, \.name, initial: .opus, "\(Codec.list(codecs)), of RTP without a description")
    private static let token = SecretSource.option(
        "token", variable: "IOUNIT_TOKEN", "what a server of ws:// or http:// asks for")
    private static let certificates = Option(
        "tls-ca", "FILE", "certificates (PEM) to verify a wss:// or https:// server with (the system's)")
    private static let sampleRate = TypedOption<Int>.number(
        "stream-rate", .hertz, 8000...192_000, initial: 48000, "sample rate of that, as 44.1k")

    static let syntax = Syntax(
        name: "receive",
        summary: "play a stream that comes by RTP, WebSocket, HTTP or TCP, with the sender's clock followed",
        groups: [
            ServerOptions.group,
            optionGroup(
                "Stream",
                buffer.option, undescribed(codec.option), undescribed(sampleRate.option),
                undescribed(streamChannels.option),
                only(
                    token.option, "is for a server: receive from ws://HOST:PORT/PATH or http://HOST:PORT/PATH",
                    of: ["ws", "wss", "http", "https"]),
                only(
                    certificates, "is for TLS: receive from wss://HOST:PORT/PATH or https://HOST:PORT/PATH",
                    of: ["wss", "https"])),
            UnitOptions.group(playing: channelCount.option),
        ] + StreamParts.groups + [RunOptions.group(.json(ReceiveReport.kind), first: [RunOptions.seconds.option])],
        notes: """
            ORIGIN is one of
              rtp://:PORT, rtp://HOST:PORT     RTP sent to this machine, or to a group
              FILE.sdp                         RTP as an SDP file describes it
              ws://HOST:PORT/PATH or wss://…   packets by WebSocket (\(StreamOpening.formName))
              http://HOST:PORT/PATH, https://  an Icecast station or a file: Ogg Opus,
                                               Ogg FLAC, FLAC, WAV or MP3
              tcp://HOST:PORT                  the same from a TCP server
              tcp-listen://[ADDRESS:]PORT      the same from a sender that connects
                                               (to \(PageAddress.loopback))
            A sender that left is waited for, and a server is tried again; a file of known length is played once, but at
            tcp-listen://, which waits for the next one. See iounit help receiving.
            Exit codes: 65 damaged SDP file, 66 no such file, 68 unknown host, 69 nothing came, 73 a port is in use,
            76 wrong protocol, certificate, codec or kind of sound, 77 wrong token.
            \(ExitCode.interruption)
            Keys on a terminal: up down gain, r resume after the server came back, q quit.
            """,
        operands: "ORIGIN")

    /// An option that means something for origins of these schemes alone.
    private static func only(_ option: Option, _ reason: String, of schemes: Set<String>) -> Option {
        option.refused { arguments in
            guard let word = arguments.operands.first, !word.isEmpty else { return nil }
            let scheme = word.firstRange(of: "://").map { String(word[..<$0.lowerBound]) } ?? ""
            return schemes.contains(scheme) ? nil : reason
        }
    }

    private static func undescribed(_ option: Option) -> Option {
        only(option, "is for RTP without a description, which says it itself", of: ["rtp"])
    }

    let unit: UnitOptions
    /// As it was written.
    var word: String
    var payload: RTPPayload
    var settings: ReceiverSettings
    private let token: SecretSource?
    private let certificatesPath: String?
    let seconds: Double?

    init(_ arguments: Arguments) throws(Failure) {
        unit = try UnitOptions(
            playing: arguments, channels: try arguments.value(of: Self.channelCount), parts: StreamParts.self)
        seconds = try arguments.value(of: RunOptions.seconds)
        settings = ReceiverSettings(bufferMilliseconds: try arguments.value(of: Self.buffer))
        token = try arguments.value(of: Self.token)
        certificatesPath = try arguments.file(Self.certificates)
        let origins = arguments.operands
        try arguments.require(
            origins.count == 1 && origins.first?.isEmpty == false,
            "receive needs one origin: iounit receive rtp://HOST:PORT, ws://HOST:PORT/PATH, http://HOST:PORT/PATH, "
                + "tcp://HOST:PORT, tcp-listen://PORT, or the name of an SDP file")
        word = origins.first ?? ""
        do {
            payload = try RTPPayload(
                try arguments.value(of: Self.codec), sampleRate: try arguments.value(of: Self.sampleRate),
                channels: try arguments.value(of: Self.streamChannels))
            if word.contains("://") { _ = try StreamOrigin(word, payload: payload) }
        } catch {
            throw Failure.from(error)
        }
    }

    /// Where the stream comes from.
    ///
    /// - Throws: `noInput`, `badInput`, `usage`.
    func origin() throws -> StreamOrigin {
        if word.contains("://") {
            var origin = try StreamOrigin(word, payload: payload)
            switch origin.kind {
            case .webSocket, .web: origin.access.secret = try token?.read()
            case .rtp, .tcp, .tcpListener: break
            }
            origin.access.certificatesPath = certificatesPath
            return origin
        }
        let bytes: [UInt8]
        do {
            // One that is too long is refused, however long it is.
            bytes = try SmallFile.awaitedBytes(word, limit: SessionDescription.limit + 1)
        } catch {
            throw Failure(.noInput, "\(shown(error.description)); is it meant as rtp://HOST:PORT?")
        }
        do {
            return StreamOrigin(try SessionDescription(bytes))
        } catch {
            var failure = error.failure
            failure.message = error.description.replacing("the description", with: shown(word))
            throw failure
        }
    }

    func run() throws -> ExitCode {
        let signals = try Signals()
        // What cannot be read is said before a server is started.
        let origin = try origin()
        return try unit.perform(
            signals, session: { try ReceiveSession(self, origin, server: $0) },
            loop: { ReceiveLoop($0, signals, seconds: seconds) })
    }
}
