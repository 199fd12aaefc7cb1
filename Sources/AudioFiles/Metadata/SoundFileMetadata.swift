/// What a sound file says about itself beside its sound.
public struct SoundFileMetadata: Sendable, Hashable {
    /// A text of which a file has one.
    public enum Field: String, Sendable, CaseIterable {
        /// What libsndfile's kinds of file have room for.
        case title, artist, album, date, genre, comment, copyright, license, software
        /// As in "3" or "3/12".
        case trackNumber = "track number"
    }

    /// Not every container has each field; AU, W64 and raw samples have none. A text has at most 2000 bytes of UTF-8;
    /// a longer one is cut, and so is what follows a NUL. AIFF has no characters but ASCII's, and of a date MP3 has the
    /// year. To `software`, libsndfile adds its own name and version. A text of WAV that is not UTF-8 is read as Windows-1252.
    public var texts: [Field: String]
    /// Of Broadcast Wave: WAV and RF64 have it.
    public var broadcast: BroadcastInfo?

    /// - Parameter broadcast: the `bext` chunk of WAV and RF64; `nil` for none.
    public init(_ texts: [Field: String] = [:], broadcast: BroadcastInfo? = nil) {
        self.texts = texts
        self.broadcast = broadcast
    }

    /// `nil` where there is none.
    public subscript(field: Field) -> String? {
        get { texts[field] }
        set { texts[field] = newValue }
    }

    /// Whether it says nothing.
    public var isEmpty: Bool { texts.isEmpty && broadcast == nil }
}

/// The `bext` chunk of Broadcast Wave (EBU Tech 3285): where and when a recording began.
public struct BroadcastInfo: Sendable, Hashable {
    /// At most 256 bytes; a longer text is cut, here and below.
    public var description = ""
    /// At most 32 bytes.
    public var originator = ""
    /// At most 32 bytes.
    public var originatorReference = ""
    /// As in "2026-11-22".
    public var originationDate = ""
    /// As in "14:09:15".
    public var originationTime = ""
    /// The first frame of the file, counted from midnight.
    public var timeReferenceFrames: UInt64 = 0

    /// All empty.
    public init() {}
}

/// A stretch of frames that a sampler repeats.
public struct SoundFileLoop: Sendable, Hashable {
    /// In which order its frames are played.
    public enum Direction: String, Sendable, CaseIterable {
        /// From the first frame to the last, or the other way.
        case forward, backward
        /// Forward and backward in turns.
        case alternating
    }

    /// The first frame of the loop.
    public var startFrame: Int
    /// The frame that the loop does not reach.
    public var endFrame: Int
    /// The way in which it is played.
    public var direction: Direction
    /// How often it is played; 0 for without end.
    public var repetitions: Int

    /// Middle C, as MIDI counts.
    public static let usualBaseNote = 60

    /// - Parameters:
    ///   - endFrame: the frame that the loop does not reach, beyond `startFrame`.
    ///   - repetitions: 0 for without end.
    public init(startFrame: Int, endFrame: Int, direction: Direction = .forward, repetitions: Int = 0) {
        self.startFrame = startFrame
        self.endFrame = endFrame
        self.direction = direction
        self.repetitions = repetitions
    }
}
