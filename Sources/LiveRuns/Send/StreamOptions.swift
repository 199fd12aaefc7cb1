import AudioReports
import AudioStreaming
import CommandSyntax
import Threads

/// What is sent, where and how: of `iounit send`, and of `--send` beside other subcommands.
package struct StreamOptions {
    /// What is encoded alike, and where it goes.
    package struct Stream {
        package var settings: CodecSettings
        package var targets: [StreamTarget]
    }

    package static let options: [Option] = [
        codec.option, bitRate.option,
        only(
            packetLength.option,
            "is for RTP, WebSocket and Icecast: name a target rtp://HOST:PORT, ws://HOST:PORT/PATH or "
                + "icecast://HOST:PORT/MOUNT", for: \.hasPackets),
        errorCorrection, sampleRate.option,
        only(token.option, "is for a WebSocket: name a target ws://HOST:PORT/PATH", for: \.isWebSocket),
        ofStation(password.option),
        ofStation(title.option), ofStation(description.option), ofStation(genre.option),
        only(certificates, "is for TLS: name a target wss://HOST:PORT/PATH", for: \.isSecure),
        only(sdp, "is for RTP: name a target rtp://HOST:PORT", for: \.isRTP)
            .refused(beside: ["send"]) { arguments in
                let described = named(arguments).count(where: \.isRTP)
                return described > 1 ? "describes one stream of RTP, and there are \(described)" : nil
            },
    ].map { $0.needs(["send"]) }

    /// An option that means something for some targets alone.
    private static func only(
        _ option: Option, _ reason: String, for isFor: @escaping @Sendable (StreamTarget) -> Bool
    ) -> Option {
        option.refused(beside: ["send"]) { arguments in
            let targets = named(arguments)
            return targets.isEmpty || targets.contains(where: isFor) ? nil : reason
        }
    }

    private static func ofStation(_ option: Option) -> Option {
        only(option, "is for Icecast: name a target icecast://HOST:PORT/MOUNT", for: \.isStation)
    }

    /// The targets that are named; none where one of them cannot be understood.
    private static func named(_ arguments: Arguments) -> [StreamTarget] {
        let words = arguments.knows(send) ? arguments.words(of: send) : arguments.operands
        return (try? words.map { try StreamTarget($0) }) ?? []
    }

    private static let codec = TypedOption<Codec?>.choice(
        "codec", "CODEC", Codec.all, \.name,
        "\(Codec.list(Codec.all)), for all targets. Defaults: rtp \(usual(.rtp)) (has \(kinds(.rtp))); icecast "
            + "\(usual(.icecast)), or as its mount's extension says (has \(kinds(.icecast))); ws \(usual(.ws)) (has "
            + "\(kinds(.ws))); tcp and pipes \(usual(.tcp)); a file as its extension says")
    private static let bitRate = TypedOption<Int?>.bitRate(
        "bitrate", "bit rate per second, as 96k, of \(Codec.bitRatesInWords)")
    private static let packetLength = TypedOption<Double?>.number(
        "frame", placeholder: "MS", .milliseconds, 0.1...1000,
        "length of a packet in milliseconds, for RTP, WebSocket and Icecast: \(Codec.packetLengthsInWords)",
        tellsRange: false)
    private static let errorCorrection = Option(
        flag: "fec", "repeat each packet of Opus in the next one, for RTP on networks that lose packets")
    private static let title = told("stream-title", "name of the stream, for Icecast's listeners")
    private static let description = told("stream-description", "description of the stream")
    private static let genre = told("stream-genre", "genre of the stream, as jazz")
    private static let certificates = Option(
        "tls-ca", "FILE", "certificates (PEM) to verify a wss:// server with (the system's)")
    private static let sdp = Option("sdp", "FILE", "write the SDP description of the RTP stream")

    /// What a station tells its listeners.
    private static func told(_ name: String, _ help: String) -> TypedOption<String?> {
        TypedOption(Option(name, "TEXT", help)) { text, arguments throws(Failure) in
            guard let text else { return nil }
            let lengths = 1...500
            try arguments.require(
                lengths.contains(text.utf8.count) && !text.contains(where: \.isNewline) && !text.utf8.contains(0),
                "--\(name) takes a text of \(lengths.lowerBound) to \(lengths.upperBound) bytes on one line", of: name)
            return text
        }
    }

    private static let token = SecretSource.option("token", variable: "IOUNIT_TOKEN", "token for a WebSocket server")
    private static let password = SecretSource.option(
        "password", variable: "IOUNIT_PASSWORD", "password for the Icecast server",
        more: "; one in TARGET is wiped from the list of processes at once")

    private static let sampleRate = TypedOption<Int?>.number(
        "stream-rate", .hertz, 1000...768_000, usual: "the server's; 48k in Opus",
        "sample rate of the stream, as 16000, 16k or 44.1k")

    private static func usual(_ kind: StreamTarget.Kind) -> String { kind.usualCodec.name }

    private static func kinds(_ kind: StreamTarget.Kind) -> String { Codec.list(kind.codecs, "and") }

    /// In the order in which they were named.
    package private(set) var targets: [StreamTarget] = []
    package private(set) var streams: [Stream] = []
    /// Path of the description of the RTP stream.
    let descriptionPath: String?
    /// Whether that may be written over a file.
    let replaces: Bool
    private let token: SecretSource?
    private let password: SecretSource?

    /// - Parameter words: at least one.
    package init(_ arguments: Arguments, to words: [String]) throws(Failure) {
        descriptionPath = arguments.word(of: Self.sdp)
        replaces = arguments.replaces
        token = try arguments.value(of: Self.token)
        password = try arguments.value(of: Self.password)
        try name(words, arguments)
        if let path = try arguments.file(Self.certificates) {
            for index in targets.indices where targets[index].isSecure { targets[index].access.certificatesPath = path }
        }
        try broadcast(arguments)
        let isOutput = descriptionPath.map(StandardOutput.isNamed) ?? false
        try arguments.permit(
            Self.sdp, if: !isOutput && !["", "-"].contains(descriptionPath), "needs the name of a file")
        try encode(arguments)
    }

    private mutating func name(_ words: [String], _ arguments: Arguments) throws(Failure) {
        for word in words {
            targets.append(try ending(of: ["send"]) { () throws(StreamError) in try StreamTarget(word) })
        }
        let (all, twice) = (targets, targets.first { target in targets.count { $0 == target } > 1 })
        try arguments.require(
            all.count == Set(all).count, "\(twice.map { shown("\($0)") } ?? "") is named twice: send to it once",
            of: "send")
        let others = ([SideRecording.record, Self.sdp].compactMap(arguments.word) + arguments.operands).filter {
            !$0.isEmpty
        }
        let files = targets.filter { $0.kind == .file }
        // However they are spelled: two streams in one pipe are none.
        let taken = (others + files.map(\.host)).map(StandardOutput.place)
        let file = files.first { file in taken.count { $0 == StandardOutput.place(of: file.host) } > 1 }
        try arguments.require(
            file == nil, "\(file.map { shown("\($0)") } ?? "") is named twice: give each file a name of its own",
            of: "send")
    }

    private mutating func broadcast(_ arguments: Arguments) throws(Failure) {
        let (title, description) = (try arguments.value(of: Self.title), try arguments.value(of: Self.description))
        let genre = try arguments.value(of: Self.genre)
        for index in targets.indices where targets[index].isStation {
            targets[index].station.title = title
            targets[index].station.description = description
            targets[index].station.genre = genre
        }
    }

    /// The same, with what is secret and not on the command line, and is read here.
    func unlocked() throws(Failure) -> StreamOptions {
        let token = targets.contains(where: \.isWebSocket) ? try token?.read() : nil
        let password = targets.contains(where: \.isStation) ? try password?.read() : nil
        func unlocked(_ target: StreamTarget) -> StreamTarget {
            var target = target
            let found = target.isWebSocket ? token : target.isStation ? password : nil
            target.access.secret = found ?? target.access.secret
            return target
        }
        var options = self
        options.targets = targets.map(unlocked)
        for index in streams.indices { options.streams[index].targets = streams[index].targets.map(unlocked) }
        return options
    }

    private mutating func encode(_ arguments: Arguments) throws(Failure) {
        let wantedCodec = try arguments.value(of: Self.codec)
        let milliseconds = try arguments.value(of: Self.packetLength)
        let bitRate = try arguments.value(of: Self.bitRate)
        let sampleRate = try arguments.value(of: Self.sampleRate)
        for target in targets {
            let codec = wantedCodec ?? target.usualCodec
            var settings = CodecSettings(codec)
            settings.sampleRate = sampleRate
            settings.bitRate = bitRate
            settings.hasForwardErrorCorrection = arguments.has(Self.errorCorrection)
            if target.hasPackets { settings.frameMilliseconds = milliseconds }
            if let index = streams.firstIndex(where: { $0.settings == settings }) {
                streams[index].targets.append(target)
            } else {
                streams.append(Stream(settings: settings, targets: [target]))
            }
        }
    }

    /// Finds out whether each target can be sent what is wanted, and reaches for none.
    func check(sampleRate: Int, channels: Int) throws(Failure) {
        for stream in streams {
            let (targets, settings) = (stream.targets, stream.settings)
            func blamed() -> [String] {
                StreamSender.refusedParts(targets, settings, sampleRate: sampleRate, channels: channels).map(
                    Self.option)
            }
            try ending(of: blamed()) { () throws(StreamError) in
                try StreamSender.check(targets, settings, sampleRate: sampleRate, channels: channels)
            }
        }
    }

    private static func option(_ part: StreamSender.RefusedPart) -> String {
        switch part {
        case .codec: codec.option.name
        case .channels: "channels"
        case .sampleRate: sampleRate.option.name
        case .frameMilliseconds: packetLength.option.name
        case .bitRate: bitRate.option.name
        case .forwardErrorCorrection: errorCorrection.name
        }
    }

    package var usesOutput: Bool {
        targets.contains { $0.kind == .file && StandardOutput.isNamed(by: $0.host) }
    }

    package func codec(of target: StreamTarget) -> Codec? {
        streams.first { $0.targets.contains(target) }?.settings.codec
    }
}

extension StreamTarget {
    fileprivate var isWebSocket: Bool { kind == .ws || kind == .wss }
    fileprivate var isSecure: Bool { kind == .wss }
    fileprivate var isStation: Bool { kind == .icecast }
    fileprivate var isRTP: Bool { kind == .rtp }
    /// Whether packets go there, of a length that can be chosen.
    fileprivate var hasPackets: Bool { isRTP || isStation || isWebSocket }
}
