import AudioFiles
import AudioRealtime
import Threads

/// How a recorder makes files of what it hears. The default is what `Recorder(path:sampleRate:channels:)` does.
public struct RecordingSettings: Sendable {
    // The files.

    /// `nil` for what the name's extension stands for.
    public var format: SoundFileFormat?
    /// Quality, compression and bit rate, where the encoding has such.
    public var encoder = EncoderSettings()
    /// The same in each file, but for what `isDated` adds.
    public var metadata = SoundFileMetadata()
    /// Whether each file says when it began: WAV and RF64 in their `bext` chunk, whose time reference counts the file's
    /// frames since midnight in local time, or is the frame of JACK's transport where the recording goes with that
    /// (`RecordingStart.transport`); all that have a date in that.
    public var isDated = false
    /// In hertz, whatever the server has and changes to; `nil` for the server's.
    public var sampleRate: Int?
    /// What the channels of the files are made of; `nil` for those that come.
    public var matrix: ChannelMatrix?
    /// Of the conversion to another rate.
    public var quality = ResamplingQuality.medium
    /// Of integers. `nil`: triangular for 16 bits and fewer, none for more.
    public var dither: Dither?
    /// Whether a regular file of that name is overwritten, and the list of gaps beside it.
    public var replaces = false
    /// Whether beside each file, `take.wav`, come its peaks, `take.wav.dat`: see `PeaksFile`.
    public var writesPeaks = false

    // Missing time, another rate.

    /// What becomes of time that is missing.
    public var gapFill = GapFill.silence
    /// What becomes of the recording when the server comes back at another rate, if it can be done. Without effect where
    /// `sampleRate` is set.
    public var rateChange = RateChange.split

    // From where to where.

    /// When it begins to keep what it hears.
    public var start = RecordingStart.immediately
    /// So much of what came before the start is recorded too, in seconds. It is held in memory, as 32-bit floats: ten
    /// minutes of two channels at 48 kHz take 230 MB. Of a longer time than 2 GiB have room for, the last 2 GiB are kept.
    /// It begins behind the last gap that was at least as long as it and at least a second, as where the server was away.
    public var prerollSeconds = 0.0
    /// Length of the recording in seconds, without the pre-roll, where something ends it: exactly so many frames.
    public var maximumSeconds: Double?
    /// Where the next file begins; `nil` for one file.
    public var split: RecordingSplit?
    /// So many seconds a file goes on after the next has begun, which has them too; of a size, for half of it at the most.
    public var overlapSeconds = 0.0

    /// One file from the first frame on.
    public init() {}

    /// What one is asked for where no more is said.
    init(sampleRate: Int?, force: Bool, gapFill: GapFill, onRateChange: RateChange) {
        self.sampleRate = sampleRate
        replaces = force
        self.gapFill = gapFill
        rateChange = onRateChange
    }

    /// Bytes of memory that all of the pre-roll would take; more than 2 GiB are not kept.
    public func prerollBytes(sampleRate: Int, channels: Int) -> Int {
        frameCount(of: prerollSeconds, at: sampleRate) * Self.frameBytes(channels)
    }

    /// How much of it is held in memory.
    package static let mostPrerollBytes = 2 << 30

    /// Frames of the pre-roll, as far as they are kept.
    package func prerollFrames(sampleRate: Int, channels: Int) -> Int {
        min(frameCount(of: prerollSeconds, at: sampleRate), Self.mostPrerollBytes / Self.frameBytes(channels))
    }

    /// No tap has more channels than 1024.
    private static func frameBytes(_ channels: Int) -> Int { max(1, min(channels, 1024)) * MemoryLayout<Float>.stride }
}

extension RecordingSettings {
    /// What lacks the server's rate, as Opus and MP3 lack some, gets the nearest that it has. A rate that is set stays.
    ///
    /// - Parameters:
    ///   - name: of the files.
    ///   - sampleRate: the server's, in hertz.
    ///   - channels: as many as the tap's.
    package mutating func takeNearestRate(for name: RecordingName, sampleRate: Int, channels: Int) {
        guard self.sampleRate == nil, let format = format ?? (try? SoundFileFormat(path: name.text)) else { return }
        let channels = name.isByChannel ? 1 : channels
        guard !format.takes(sampleRate: sampleRate, channels: channels) else { return }
        self.sampleRate = format.nearest(sampleRate: sampleRate, channels: channels)?.sampleRate
    }

    /// What a file says of itself.
    ///
    /// - Parameters:
    ///   - wall: when it begins, on the wall clock, in nanoseconds.
    ///   - anchor: where a frame of the recording was.
    ///   - frame: of the recording, its first.
    func metadata(
        _ wall: Int64, _ anchor: RecordingAnchor, at frame: Int, _ sampleRate: Int
    ) -> SoundFileMetadata {
        var metadata = metadata
        guard isDated else { return metadata }
        metadata[.date] = metadata[.date] ?? LocalTime(wall).date
        metadata.broadcast = broadcast(wall, anchor, at: frame, sampleRate)
        return metadata
    }

    func broadcast(_ wall: Int64, _ anchor: RecordingAnchor, at frame: Int, _ sampleRate: Int) -> BroadcastInfo {
        let local = LocalTime(wall)
        var broadcast = metadata.broadcast ?? BroadcastInfo()
        if broadcast.description.isEmpty { broadcast.description = metadata[.title] ?? "" }
        if broadcast.originator.isEmpty { broadcast.originator = metadata[.artist] ?? "iounit" }
        broadcast.originationDate = local.date
        broadcast.originationTime = local.time
        broadcast.timeReferenceFrames =
            anchor.transportFrame(at: frame, sampleRate: sampleRate)?.ofFile
            ?? UInt64((Double(local.nanosecondsOfDay) / 1e9 * Double(sampleRate)).rounded())
        return broadcast
    }

    /// Whether silence comes in the place of a gap.
    func fills(_ gap: Gap) -> Bool { gapFill == .silence && !gap.cause.isWanted }

    /// For the encoding's integers.
    func dither(for encoding: SoundFileFormat.Encoding) -> Dither {
        if let dither { return dither }
        switch encoding {
        case .pcm8, .pcm16: return .triangular
        default: return .none
        }
    }
}

/// What becomes of the time that is missing in a recording.
public enum GapFill: String, Sendable, CaseIterable {
    /// It is filled with exactly as many frames of silence, so that the file stays in time with the world. A pause is cut
    /// all the same: it was wanted.
    case silence
    /// What comes after a gap follows what came before it.
    case cut
}

/// What becomes of a recording when the server comes back at another sample rate.
public enum RateChange: String, Sendable, CaseIterable {
    /// The file ends, and the recording goes on in a new one: after `take.wav` in `take-2.wav`. Where no such file can be
    /// made, as an .opus file at 44.1 kHz, what comes is converted and nothing is lost.
    case split
    /// What comes is converted to the file's rate.
    case convert
}
