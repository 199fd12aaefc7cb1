import AudioFiles
import AudioReports
import AudioStreaming
import Foundation

/// What is sent, where and how: of `iounit send`, and of `--send` beside other subcommands.
struct StreamOptions {
    /// What is encoded alike, and where it goes.
    struct Stream {
        var settings: CodecSettings
        var targets: [StreamTarget]
    }

    /// - Parameter rate: name of the option of the stream's rate, where `--rate` is another's.
    static func options(rate: String) -> [Option] {
        [
            Option(
                "codec", "CODEC",
                "opus, flac, pcm16, pcm24 or float, of all targets (opus by RTP, which has no flac and float; flac by "
                    + "TCP and into a pipe; of a file as its name says)"),
            Option("bitrate", "RATE", "of Opus by RTP, in bits per second, as 96k (libopus chooses)"),
            Option(
                "frame", "MS",
                "length of RTP's packets in milliseconds: of Opus 2.5, 5, 10, 20, 40 or 60 (20), of PCM up to 1000 "
                    + "(10)"),
            Option(
                flag: "fec",
                "let each packet of Opus by RTP say the one before again, for networks that lose some"),
            Option(rate, "HZ", "sample rate of the stream, as 16000, 16k or 44.1k (the server's; 48k in Opus)"),
            Option("sdp", "FILE", "write the description that a receiver of RTP reads first"),
        ]
    }

    /// The same beside what another subcommand does.
    static let group = (
        heading: "Stream",
        options: [
            Option(
                "send", "TARGET",
                "send it too, as iounit send does, to tcp://HOST:PORT, rtp://HOST:PORT or file:PATH; given several "
                    + "times, to each")
        ] + options(rate: "stream-rate")
    )

    /// In the order in which they were named.
    private(set) var targets: [StreamTarget] = []
    private(set) var streams: [Stream] = []
    /// Path of the description of the RTP stream.
    let descriptionPath: String?
    /// Whether that may be written over a file.
    let replaces: Bool
    private let channels: Int

    /// - Parameters:
    ///   - words: at least one.
    ///   - channels: of what is sent.
    ///   - rate: see `options`.
    init(_ arguments: Arguments, to words: [String], channels: Int, rate: String) throws(Failure) {
        self.channels = channels
        descriptionPath = arguments.value("sdp")
        replaces = arguments.has("force")
        try name(words, arguments)
        try describe(arguments)
        try encode(arguments, rate: rate)
    }

    /// What is sent beside something else; `nil` where no `--send` is given.
    ///
    /// - Parameter server: as far as it is known.
    init?(beside arguments: Arguments, channels: Int, server: ServerOptions) throws(Failure) {
        let words = arguments.values("send")
        guard !words.isEmpty else {
            for option in Self.group.options where arguments.has(option.name) {
                throw arguments.usage("--\(option.name) is for what is sent: use it with --send TARGET")
            }
            return nil
        }
        try self.init(arguments, to: words, channels: channels, rate: "stream-rate")
        try check(server)
    }

    private mutating func name(_ words: [String], _ arguments: Arguments) throws(Failure) {
        for word in words {
            do {
                targets.append(try StreamTarget(word))
            } catch {
                throw Failure(error)
            }
        }
        let (all, twice) = (targets, targets.first { target in targets.count { $0 == target } > 1 })
        try arguments.require(
            all.count == Set(all).count, "\(twice.map { shown("\($0)") } ?? "") is named twice: send to it once")
    }

    private func describe(_ arguments: Arguments) throws(Failure) {
        let described = targets.count { $0.kind == .rtp }
        for name in ["sdp", "frame"] {
            try arguments.require(
                !arguments.has(name) || described > 0, "--\(name) is for RTP: name a target rtp://HOST:PORT")
        }
        try arguments.require(
            descriptionPath == nil || described == 1, "--sdp describes one stream of RTP, and there are \(described)")
        try arguments.require(
            descriptionPath.map { !$0.isEmpty && $0 != "-" } ?? true, "--sdp needs the name of a file")
    }

    private mutating func encode(_ arguments: Arguments, rate: String) throws(Failure) {
        let word = try arguments.choice("codec", StreamCodec.allCases.map(\.rawValue))
        let milliseconds = try arguments.number("frame", 0.1...1000, unit: "ms")
        let bitRate = try arguments.bitRate("bitrate")
        let sampleRate = try arguments.hertz(rate, 1000...768_000)
        for target in targets {
            let codec = word.flatMap { StreamCodec(rawValue: $0) } ?? Self.usualCodec(target)
            var settings = CodecSettings(codec)
            settings.sampleRate = sampleRate
            settings.bitRate = bitRate
            settings.hasForwardErrorCorrection = arguments.has("fec")
            if target.kind == .rtp { settings.frameMilliseconds = milliseconds }
            if let index = streams.firstIndex(where: { $0.settings == settings }) {
                streams[index].targets.append(target)
            } else {
                streams.append(Stream(settings: settings, targets: [target]))
            }
        }
    }

    /// Where nothing is said: what a receiver of that kind takes without a question.
    private static func usualCodec(_ target: StreamTarget) -> StreamCodec {
        switch target.kind {
        case .rtp: return .opus
        case .tcp: return .flac
        case .file:
            switch (target.host as NSString).pathExtension.lowercased() {
            case "opus", "ogg", "oga": return .opus
            case "wav", "wave": return .float
            default: return .flac
            }
        }
    }

    /// As below; where the server's rate is not known yet, it is looked at again when it is.
    func check(_ server: ServerOptions) throws(Failure) { try check(sampleRate: server.dummy?.sampleRate ?? 48000) }

    /// Finds out whether each target can be sent what is wanted, and reaches for none.
    func check(sampleRate: Int) throws(Failure) {
        for stream in streams {
            do {
                try StreamSender.check(
                    stream.targets, stream.settings, sampleRate: sampleRate, channels: channels)
            } catch {
                throw Failure(error)
            }
        }
    }

    /// What a target is sent.
    func codec(of target: StreamTarget) -> StreamCodec? {
        streams.first { $0.targets.contains(target) }?.settings.codec
    }
}
