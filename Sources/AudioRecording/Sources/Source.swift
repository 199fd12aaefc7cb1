/// What is to be heard, checked when it is made, before anything starts.
public struct Source: Sendable {
    public let kind: SourceKind
    /// In hertz: the file's own rate; the server's for what is generated.
    public let sampleRate: Int
    /// How many channels it has: the file's; 1 for what is generated.
    public let channels: Int
    /// How it comes down to the unit's channels where it has more; `nil` where it does not.
    public let downMix: DownMix?
    private let loops: Bool
    private let channelLimit: Int

    /// Opens what is named, checks that it can be played to its end, and closes it again.
    ///
    /// - Parameters:
    ///   - sampleRate: the server's, in hertz. A file of another rate is converted while it plays.
    ///   - channels: the unit's. A file may have more, up to 64, and is mixed down (`DownMix`).
    ///   - loop: whether a file begins anew at its end, without a seam.
    /// - Throws: `noInput`, `badInput`.
    ///
    /// Thread: control.
    public init(
        _ kind: SourceKind, sampleRate: Int, channels: Int, loop: Bool = false
    ) throws(RecordingError) {
        self.kind = kind
        loops = loop
        channelLimit = max(64, channels)
        if case .file(let path) = kind {
            let file = try SoundFileReader(path: path, loops: loop)
            try Self.check(file, channelLimit: channelLimit, unitChannels: channels)
            try RateConverter.check(file, outputRate: sampleRate)
            self.sampleRate = file.sampleRate
            self.channels = file.channels
            downMix = DownMix(channels: file.channels, inputs: channels)
        } else {
            self.sampleRate = sampleRate
            self.channels = 1
            downMix = nil
            if case .tone(let hertz) = kind { try Tone.check(hertz: hertz, sampleRate: sampleRate, name: kind.name) }
        }
    }

    /// The path, or `tone:440`, `noise`, `silence`.
    public var name: String { kind.name }

    /// How many ports it takes to play.
    public var ports: Int { downMix?.weights.count ?? channels }

    /// Whether it goes on until it is stopped.
    public var isEndless: Bool {
        if case .file = kind { loops } else { true }
    }

    /// Opens it for playing at a rate: once more, because a source can be played more than once.
    ///
    /// - Parameter seconds: what was heard of it already. Noise is the same anywhere.
    package func open(sampleRate: Int, from seconds: Double = 0) throws(RecordingError) -> sending any Signal {
        switch kind {
        case .file(let path):
            let file = try SoundFileReader(path: path, loops: loops)
            guard file.channels == channels else {
                throw RecordingError(.badInput, "play", path, "it was changed since it was checked; start again")
            }
            try file.skip(Int((seconds * Double(file.sampleRate)).rounded()))
            guard let downMix else { return try converted(file, to: sampleRate) }
            return MixedSignal(try converted(file, to: sampleRate), downMix)
        case .tone(let hertz):
            // Another rate than the one that it was checked for, if the server came back with it.
            try Tone.check(hertz: hertz, sampleRate: sampleRate, name: kind.name)
            return Tone(hertz: hertz, sampleRate: sampleRate, position: (seconds * Double(sampleRate)).rounded())
        case .noise: return Noise()
        case .silence: return Silence()
        }
    }

    private func converted(
        _ file: sending SoundFileReader, to sampleRate: Int
    ) throws(RecordingError) -> sending any Signal {
        file.sampleRate == sampleRate ? file : try RateConverter(file, outputRate: sampleRate)
    }

    private static func check(
        _ file: SoundFileReader, channelLimit: Int, unitChannels: Int
    ) throws(RecordingError) {
        guard file.channels > channelLimit else { return }
        throw RecordingError(
            .badInput, "play", file.path,
            "it has \(file.channels) channels, the unit has \(unitChannels), and \(channelLimit) can be played;"
                + " raise --channels, or use a file with fewer")
    }
}
