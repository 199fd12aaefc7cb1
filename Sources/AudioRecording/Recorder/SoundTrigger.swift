import AudioDSP
import AudioFiles

/// How loud a sound begins a recording, and how long a silence ends it.
public struct SoundTrigger: Sendable, Equatable {
    /// Of a sample, in decibels of full scale, −120…0: what is below counts as silence.
    public var thresholdDecibels: Double
    /// So long must all channels stay below the threshold, in seconds, until the recording ends. That silence is in the file.
    public var silenceSeconds: Double
    /// Whether the next sound begins the next file. Else the recording is over.
    public var repeats: Bool

    /// - Parameters:
    ///   - thresholdDecibels: −120…0.
    ///   - silenceSeconds: 0 or more.
    ///   - repeats: whether the next sound begins the next file.
    public init(thresholdDecibels: Double, silenceSeconds: Double = 5, repeats: Bool = false) {
        self.thresholdDecibels = thresholdDecibels
        self.silenceSeconds = silenceSeconds
        self.repeats = repeats
    }
}

extension SoundTrigger {
    /// Linear. Something that is silent all through is never loud.
    var threshold: Float { max(Float.leastNormalMagnitude, Float(Decibels.linear(thresholdDecibels))) }

    fileprivate func silenceFrames(_ sampleRate: Int) -> Int {
        max(1, frameCount(of: silenceSeconds, at: sampleRate))
    }
}

/// How many frames lie behind the last one that was as loud as a trigger wants it.
struct SilenceCount {
    private let trigger: SoundTrigger
    private var frames = 0

    init(_ trigger: SoundTrigger) { self.trigger = trigger }

    /// Goes through so many frames of a block, or as many as there are until it is silent for long enough; returns how many.
    mutating func pass(_ count: Int, of block: RecordedBlock) -> Int {
        let limit = trigger.silenceFrames(block.sampleRate)
        var next = 0
        while next < count {
            let loud = block.firstFrame(from: next, asLoudAs: trigger.threshold) ?? block.frames
            let quiet = min(loud, count) - next
            if frames + quiet >= limit {
                let end = next + limit - frames
                frames = limit
                return end
            }
            frames += quiet
            guard loud < count else { return count }
            frames = 0
            next = loud + 1
        }
        return count
    }

    /// Whether they end a recording of this rate in hertz.
    func isEnough(atRate sampleRate: Int) -> Bool { frames >= trigger.silenceFrames(sampleRate) }

    mutating func changeRate(from old: Int, to new: Int) {
        frames = frameCount(of: Double(frames) / Double(old), at: new)
    }

    mutating func reset() { frames = 0 }
}
