import AudioFiles
import AudioRecording
import AudioReports
import CommandSyntax

/// A file of the list, or the pipe, and what was heard of it.
final class PlayedEntry {
    private enum Sound {
        case file(Source)
        case pipe(PipedSource)
    }

    /// `-` is the standard input.
    let path: String
    private let sound: Sound
    /// In hertz.
    let sampleRate: Int
    let channels: Int
    /// Of the part that is played; `nil` where nobody knows.
    let seconds: Double?
    /// In libsndfile's words.
    let formatWords: String
    /// How often something of it was heard.
    private(set) var plays = 0
    /// Whether it comes next, or was heard.
    var isScheduled = false
    private(set) var playedFrames = 0
    private(set) var playedSeconds = 0.0
    private(set) var warnings: [String] = []
    private(set) var failure: SoundFileError?

    /// Opens it and checks it, as far as that is possible.
    ///
    /// - Returns: `nil` where a signal came while the pipe was waited for.
    /// - Throws: `SoundFileError`.
    init?(_ path: String, _ options: PlayOptions, _ signals: Signals) throws {
        self.path = path
        if path == "-" {
            let (start, end) = (options.start, options.end)
            // The header of a pipe may be late, and Ctrl-C is heard while it is waited for.
            let opened = try signals.value("iounit-open") {
                try PipedSource(descriptor: 0, name: "standard input", from: start, to: end)
            }
            guard let pipe = opened else { return nil }
            sound = .pipe(pipe)
            (sampleRate, channels, seconds, formatWords) = (
                pipe.sampleRate, pipe.channels, pipe.seconds, pipe.formatWords
            )
        } else {
            let source = try Source(
                .file(path: path), channels: options.channels, from: options.start, to: options.end,
                accepting: .readablePart)
            sound = .file(source)
            (sampleRate, channels, seconds, formatWords) = (
                source.sampleRate ?? 0, source.channels, source.seconds, source.formatWords ?? ""
            )
        }
        // More outputs than anybody has are not made unless they are asked for.
        guard options.channels != nil || channels <= Self.mostChannels else {
            throw SoundFileError(
                .badInput, "play", path,
                "it has \(channels) channels, and \(Self.mostChannels) are played; add --channels N for more outputs")
        }
        note(source?.flaws ?? pipe?.flaws ?? [])
    }

    /// Outputs that are made of themselves.
    static let mostChannels = 64

    var name: String {
        path == "-" ? "standard input" : shown(String(path.split(separator: "/").last ?? Substring(path)))
    }

    var isRepeatable: Bool { pipe == nil }
    var isReady: Bool { pipe?.isReady ?? true }

    /// What a player plays of it, now that it is scheduled.
    ///
    /// - Parameters:
    ///   - previous: what is heard right before it.
    ///   - following: what is, as far as one knows, heard right behind it.
    func scheduled(between previous: PlayedEntry?, and following: PlayedEntry?) -> any Playable {
        isScheduled = true
        return switch sound {
        case .file(let source): source.between(previous?.source, following?.source)
        case .pipe(let pipe): pipe
        }
    }

    var source: Source? { if case .file(let source) = sound { source } else { nil } }
    var pipe: PipedSource? { if case .pipe(let pipe) = sound { pipe } else { nil } }

    /// Adds what was heard of it. A failure is the first one.
    func note(_ playback: Playback) {
        if playback.hasBegun { plays += 1 }
        playedFrames += playback.playedFrames
        playedSeconds += playback.playedSeconds
        failure = failure ?? playback.failure
        note(playback.flaws)
    }

    /// Takes note of what is wrong with it.
    func note(_ flaws: [SoundFileFlaw]) {
        for flaw in flaws.map(\.description) where !warnings.contains(flaw) { warnings.append(flaw) }
    }
}
