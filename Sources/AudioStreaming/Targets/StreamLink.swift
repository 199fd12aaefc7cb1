import AudioFiles
import Threads

/// A connection to one target. Made, used and closed on the target's worker.
protocol StreamLink: AnyObject {
    /// Sends a packet; may wait as long as `LinkContext.waits` permits.
    ///
    /// - Returns: whether it left; `false` where it is lost and the connection is not.
    /// - Throws: the connection is over.
    func send(_ packet: StreamPacket) throws(StreamError) -> Bool

    /// Called now and then while there is nothing to send.
    ///
    /// - Throws: the connection is over.
    func idle() throws(StreamError)

    /// Ends the stream in the way that its receiver expects; what cannot be sent at once is left out.
    func close() throws(StreamError)

    /// Bytes that left so far.
    var sentBytes: UInt64 { get }

    /// Packets that left so far, of which the receiver has not said that it has them, or which still wait in the library that sends
    /// them; 0 where nobody can know.
    var unconfirmedPackets: UInt64 { get }

    /// Whether the packet before the last one, or the last one where the stream is closed, was sent and then refused; asked
    /// once after each.
    func takeRefusal() -> Bool
}

extension StreamLink {
    func idle() throws(StreamError) {}
    var unconfirmedPackets: UInt64 { 0 }
    func takeRefusal() -> Bool { false }
}

/// What a connection is made for.
struct LinkContext: Sendable {
    var target: StreamTarget
    /// As asked for; what a file says itself is made from this.
    var settings: CodecSettings
    /// Of the packets, but for the place and time of the first.
    var opening: StreamOpening
    /// What a decoder needs before the first packet; empty where it needs nothing.
    var header: [UInt8] = []
    /// Asked ten times a second while the receiver takes nothing: whether to go on waiting.
    var waits: @Sendable () -> Bool
    /// How long a receiver may take nothing before the connection counts as lost.
    var silenceSeconds = 90.0
    /// How long one that can be asked may give no answer before the connection counts as lost.
    var answerSeconds = 15.0
    /// Monotonic, in nanoseconds.
    var clock: @Sendable () -> UInt64 = { MonotonicClock.nanoseconds() }

    var operation: String { "send to \(target)" }

    func fail(_ kind: StreamError.Kind, _ reason: String) -> StreamError { StreamError(kind, operation, reason) }

    /// - Parameter port: another one than the target's.
    func openSocket(_ kind: HostLookup.Kind, port: Int? = nil) throws(StreamError) -> Socket {
        try Socket.connect(kind, host: target.host, port: port ?? target.port, operation: operation, waits: waits)
    }

    func connect() throws(StreamError) -> any StreamLink {
        switch target.kind {
        case .tcp, .file: try SoundFileLink(self)
        case .rtp: try RTPLink(self)
        case .ws, .wss: try WebSocketLink(self)
        case .icecast: try IcecastLink(self)
        }
    }
}

extension StreamTarget.Kind {
    /// What is sent there.
    public var codecs: [Codec] {
        Codec.all.filter {
            switch self {
            case .tcp, .file: $0.file != nil
            case .rtp: $0.rtp != nil
            case .icecast: $0.icecast != nil
            case .ws, .wss: $0.hasPackets
            }
        }
    }

    /// What is sent there unless something else is asked for, or said by a name's extension.
    public var usualCodec: Codec {
        switch self {
        case .rtp, .icecast: .opus
        case .ws, .wss, .tcp, .file: .flac
        }
    }

    /// For a sentence.
    fileprivate var title: String {
        switch self {
        case .tcp: "TCP"
        case .file: "a file"
        case .rtp: "RTP"
        case .icecast: "Icecast"
        case .ws, .wss: "a WebSocket"
        }
    }
}

extension StreamTarget {
    /// What a receiver there takes without being asked: of a file or a mount what its extension says.
    public var usualCodec: Codec {
        let word = (kind == .icecast ? path : host).split(separator: "/").last?.split(separator: ".").dropFirst().last
        func said(_ extensions: (Codec) -> [String]?) -> Codec? {
            word.flatMap { word in Codec.all.first { extensions($0)?.contains(word.lowercased()) == true } }
        }
        let said: Codec? =
            switch kind {
            case .icecast: said { $0.icecast?.extensions }
            case .file: said { $0.file?.extensions }
            case .rtp, .ws, .wss, .tcp: nil
            }
        return said ?? kind.usualCodec
    }

    /// What fits into one packet of RTP in nearly any network, in bytes.
    static let datagramLimit = 1400

    /// How the packets are encoded that this target needs for what was asked for.
    ///
    /// - Parameters:
    ///   - sampleRate, channels: of what comes in.
    /// - Throws: `unsupported`.
    func packetSettings(
        _ settings: CodecSettings, sampleRate: Int, channels: Int
    ) throws(StreamError) -> CodecSettings {
        let codec = settings.codec
        guard kind.codecs.contains(codec) else {
            throw refused("\(kind.title) is sent \(Codec.list(kind.codecs)), and not \(codec.name)")
        }
        switch kind {
        case .tcp, .file: return try soundFilePackets(settings, sampleRate: sampleRate, channels: channels)
        case .rtp:
            guard let most = codec.rtp?.mostChannels, channels <= most else {
                throw refused(
                    "RTP carries up to \(codec.rtp?.mostChannels ?? 0) channels of \(codec.name), and not \(channels)")
            }
        case .icecast: break
        case .ws, .wss:
            let encoder = try settings.makeEncoder(inputRate: sampleRate, channels: channels)
            guard channels <= 255, encoder.frames * encoder.format.bytesPerFrame <= StreamPacket.payloadLimit else {
                throw refused(
                    "a packet has up to 255 channels and \(StreamPacket.payloadLimit >> 20) MiB; choose shorter packets"
                )
            }
        }
        return settings
    }

    private func refused(_ reason: String) -> StreamError { StreamError(.unsupported, "send to \(self)", reason) }

    /// Samples, which the file's own encoder takes.
    private func soundFilePackets(
        _ settings: CodecSettings, sampleRate: Int, channels: Int
    ) throws(StreamError) -> CodecSettings {
        let (codec, form) = (settings.codec, settings.codec.file)
        if settings.hasForwardErrorCorrection {
            throw refused("a stream in the form of a file has no forward error correction")
        }
        var packets = CodecSettings(form?.packets?(settings.bits) ?? codec)
        let rate = settings.streamRate(inputRate: sampleRate)
        packets.sampleRate = codec.sampleRates == nil ? settings.sampleRate : rate
        _ = try form?.encoder?(settings, StreamFormat(sampleRate: rate, channels: channels))
        if let format = form?.format(settings.bits), !format.takes(sampleRate: rate, channels: channels) {
            let nearest = format.nearest(sampleRate: rate, channels: channels)
            let help = nearest.map { "; \($0.channels) channels at \($0.sampleRate) hertz are the nearest that it has" }
            throw refused("a stream of \(format) has no \(channels) channels at \(rate) hertz\(help ?? "")")
        }
        return packets
    }
}
