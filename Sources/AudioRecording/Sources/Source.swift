import AudioFiles

/// What is to be heard, checked when it is made, before anything starts.
public struct Source: Sendable {
    /// What it plays.
    public let kind: SourceKind
    /// In hertz: the file's own rate; for what is generated the engine's, and `nil` where that was not known.
    public let sampleRate: Int?
    /// How many channels it has: the file's; 1 for what is generated.
    public let channels: Int
    /// How it comes down to the unit's channels where it has more; `nil` where it does not, or they were not known.
    public let downMix: ChannelMatrix?
    /// Where the part begins that is played, in seconds of the file.
    public let from: Double
    /// Where it ends; `nil` for the end of the file.
    public let to: Double?
    /// What was found to be wrong with the file, where its readable part is accepted.
    public let flaws: [SoundFileFlaw]
    /// The format of the file in libsndfile's words; `nil` of what is generated.
    public let formatWords: String?
    /// What is heard right before and behind it.
    private var previous: Part?
    private var following: Part?
    private let loops: Bool
    private let acceptance: SoundFileReader.Acceptance
    private let promisedFrames: Int?
    private let estimatedFrames: Int?

    /// Opens what is named, checks that it can be played to its end, and closes it again.
    ///
    /// - Parameters:
    ///   - sampleRate: the engine's, in hertz; `nil` where it is not known yet. A file of another rate is converted while it
    ///     plays.
    ///   - channels: of what plays it; `nil` where it is not known yet. A file may have more, up to 64, and is mixed down
    ///     (`ChannelMatrix`).
    ///   - loop: whether a file begins again at its end, without a seam.
    ///   - from: the time in the file at which it begins, in seconds; the first frame is the nearest one.
    ///   - to: the time in the file at which it ends, in seconds; the nearest frame is not heard any more.
    ///   - accepting: what to do about a file of which only a part can be read.
    /// - Throws: `noInput`; `badInput`, also where the file ends before `from`.
    ///
    /// Thread: control.
    public init(
        _ kind: SourceKind, sampleRate: Int? = nil, channels: Int? = nil, loop: Bool = false, from: Double = 0,
        to: Double? = nil, accepting acceptance: SoundFileReader.Acceptance = .whole
    ) throws(SoundFileError) {
        self.kind = kind
        self.from = max(0, from)
        self.to = to
        self.acceptance = acceptance
        loops = loop
        var file: PlayedFile?
        switch kind {
        case .file(let path):
            let opened = try PlayedFile(path: path, loops: loop, from: from, to: to, accepting: acceptance)
            if let channels { try Self.check(opened, channels: channels) }
            if let sampleRate { try ConvertedSignal.check(from: opened.sampleRate, to: sampleRate, name: path) }
            file = opened
        case .tone(let hertz): try Tone.check(hertz: hertz, sampleRate: sampleRate, name: kind.name)
        case .noise, .silence: break
        }
        let own = file?.channels ?? 1
        self.sampleRate = file?.sampleRate ?? sampleRate
        self.channels = own
        downMix = channels.flatMap { ChannelMatrix.down(from: own, to: $0) }
        promisedFrames = file?.promisedFrames
        estimatedFrames = file?.estimatedFrames
        flaws = file?.flaws ?? []
        formatWords = file?.formatWords
    }

    /// The same, when other sources are heard right before and behind it: where it is converted to another rate, the sound
    /// goes on from the one to the other without a seam. It makes none between files of other rates or numbers of channels.
    public func between(_ previous: Source?, _ following: Source?) -> Source {
        var source = self
        source.previous = previous.flatMap(part)
        source.following = following.flatMap(part)
        return source
    }

    /// Of a file that is like this one.
    private func part(of other: Source) -> Part? {
        guard case .file(let path) = other.kind, other.sampleRate == sampleRate, other.channels == channels,
            !other.loops
        else { return nil }
        return Part(path: path, from: other.from, to: other.to, acceptance: other.acceptance)
    }

    /// A file, or a part of it.
    private struct Part {
        var path: String
        var from: Double
        var to: Double?
        var acceptance: SoundFileReader.Acceptance

        /// - Parameters: of what it is heard beside: since that was found out, another file may have come under its name.
        func open(_ sampleRate: Int, channels: Int) throws(SoundFileError) -> PlayedFile {
            let file = try PlayedFile(path: path, loops: false, from: from, to: to, accepting: acceptance)
            guard file.sampleRate == sampleRate, file.channels == channels else { throw Source.change(of: path) }
            return file
        }
    }

    private static func change(of path: String) -> SoundFileError {
        SoundFileError(.badInput, "play", path, "it was changed since it was checked; start again")
    }

    /// What cannot be read there counts as silence: what can be heard of it is its own matter.
    private func surroundings(from inputRate: Int, to outputRate: Int) -> ConvertedSignal.Surroundings {
        let frames = ConvertedSignal.Surroundings.framesBefore(from: inputRate, to: outputRate)
        var surroundings = ConvertedSignal.Surroundings()
        if frames > 0, let before = try? previous?.open(inputRate, channels: channels).excerpt(frames, ofEnd: true) {
            // What is shorter has silence before it.
            surroundings.before = [Float](repeating: 0, count: frames * channels - before.count) + before
        }
        if let behind = try? following?.open(inputRate, channels: channels).excerpt(ConvertedSignal.Surroundings.frames)
        {
            surroundings.behind = behind
        }
        return surroundings
    }

    /// The path, or `tone:440`, `noise`, `silence`.
    public var name: String { kind.name }

    /// How many ports it takes to play.
    public var ports: Int { downMix?.outputs ?? channels }

    /// How long one pass of it lasts, as the header promises or estimates (MP3); `nil` where nobody knows.
    public var seconds: Double? {
        guard let frames = promisedFrames ?? estimatedFrames, let sampleRate else { return nil }
        return Double(frames) / Double(sampleRate)
    }

    /// Whether it goes on until it is stopped.
    public var isEndless: Bool {
        if case .file = kind { loops } else { true }
    }

    private static func check(_ file: PlayedFile, channels: Int) throws(SoundFileError) {
        let limit = max(64, channels)
        guard file.channels > limit else { return }
        throw SoundFileError(
            .badInput, "play", file.path,
            "it has \(file.channels) channels, the unit has \(channels), and \(limit) can be played;"
                + " raise --channels, or use a file with fewer")
    }
}

extension Source: Playable {
    package var startSeconds: Double { from }

    package func frames(at sampleRate: Int) -> Int? {
        guard !isEndless, let promisedFrames, let own = self.sampleRate else { return nil }
        // A header may promise more than can be counted at another rate.
        return Int(min(Double(promisedFrames) * Double(sampleRate) / Double(own), 1e15).rounded(.up)) + 1
    }

    /// Opens it for playing: once more, because a source can be played more than once. Noise is the same anywhere.
    package func open(
        sampleRate: Int, channels: Int, from seconds: Double = 0
    ) throws(SoundFileError) -> sending any Signal {
        switch kind {
        case .file(let path):
            let file = try PlayedFile(path: path, loops: loops, from: from, to: to, accepting: acceptance)
            guard file.channels == self.channels else { throw Self.change(of: path) }
            try Self.check(file, channels: channels)
            try file.skip(frameCount(of: seconds, at: file.sampleRate))
            let rate = file.sampleRate
            var surroundings = ConvertedSignal.Surroundings()
            if rate != sampleRate, !loops { surroundings = self.surroundings(from: rate, to: sampleRate) }
            // From the middle on, what is before it is its own.
            if seconds > 0 { surroundings.before = [] }
            return try adapted(file, from: rate, to: sampleRate, channels: channels, name: path, surroundings)
        case .tone(let hertz):
            // Another rate than the one that it was checked for, if the server came back with it.
            try Tone.check(hertz: hertz, sampleRate: sampleRate, name: kind.name)
            return Tone(hertz: hertz, sampleRate: sampleRate, position: (seconds * Double(sampleRate)).rounded())
        case .noise: return Noise()
        case .silence: return Silence()
        }
    }
}
