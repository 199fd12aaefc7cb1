/// What a heartbeat meter shows of the last 10 s.
public struct HeartbeatReading: Sendable, Equatable {
    /// Why there is no number, in the order in which it is asked.
    public enum Absence: String, Sendable, Hashable, CaseIterable {
        /// Fewer than 10 s were heard.
        case tooShort
        /// There is nothing but silence.
        case silence
        /// Sounds above 1 kHz come and go, as in speech and music.
        case otherSounds
        /// Nothing repeats 40 to 200 times a minute, or not clearly enough.
        case noPulse
        /// Something repeats, but in single strokes, or at even distances: it is not made of first and second heart sounds.
        case noSecondSound
        /// A rate above 200 a minute fits as well as one below: see `candidates`.
        case ambiguous
    }

    /// A rate that may be the heart's.
    public struct Candidate: Sendable, Equatable {
        /// 60…300
        public var beatsPerMinute: Double
        /// How alike the sound is to itself one such beat later, 0…1.
        public var strength: Double
    }

    /// 40…200, or `nil` where no number can be answered for: see `absence`.
    public var beatsPerMinute: Double?
    /// Why there is none; `nil` where there is.
    public var absence: Absence?
    /// How alike the sound is to itself one beat later, 0…1: noise and speech stay below 0.3. Numbers are given from
    /// `lowestConfidence` on.
    public var confidence = 0.0
    /// Where no sound tells which of two rates it is, one of them above 200 a minute: both, rising; else none.
    public var candidates: [Candidate] = []
    /// The first of the two sounds of each beat, in seconds from the start of the meter; rising.
    public var beats: [Double] = []
    /// How long the second sound comes after the first, in seconds, where it was found.
    public var secondSoundSeconds: Double?
    /// Variability: the root mean square of the differences between successive intervals (RMSSD), in milliseconds, without those
    /// of more than four times the usual one, where sound is missing or a beat came too early. `nil` where the confidence is
    /// below `lowestVariabilityConfidence`, or there are fewer than eight beats. Beats are found to some 5 ms, so that values
    /// below 10 ms say "none".
    public var variabilityMilliseconds: Double?

    /// From this on the rate is given.
    public static let lowestConfidence = 0.44
    /// From this on the variability is given.
    public static let lowestVariabilityConfidence = 0.5
    /// The rates that are given, in beats per minute.
    public static let rates = 40.0...200.0

    /// That of a meter which has heard nothing.
    public init() { absence = .tooShort }

    init(_ absence: Absence, confidence: Double = 0, candidates: [Candidate] = []) {
        self.absence = absence
        self.candidates = candidates
        self.confidence = confidence
    }
}
