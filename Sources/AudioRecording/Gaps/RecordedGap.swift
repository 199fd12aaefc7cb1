import AudioRealtime

/// A place in a recording where sound is missing, or was not wanted.
public struct RecordedGap: Sendable, Equatable {
    /// Why nothing was recorded.
    public typealias Cause = GapCause

    /// The number of the file in which it begins: 1 for the first.
    public var segment: Int
    /// The first frame of that file that belongs to the gap or, where it was not filled, comes after it.
    public var frame: Int
    /// When it began, in UTC as ISO 8601 has it, with microseconds.
    public var wallTime: String
    /// The same on the monotonic clock.
    public var monotonicNanoseconds: UInt64
    /// Why the sound is missing.
    public var cause: Cause
    /// How long it is.
    public var lengthNanoseconds: UInt64
    /// The same in frames of the file, to the nearest one.
    public var lengthFrames: Int
    /// How many frames of silence the file has for it.
    public var filledFrames: Int
    /// Frames that the unit had rendered before the first frame after the gap.
    package var endPosition: UInt64
    /// Frames of the recording before it, in all its files together.
    package var recordedFrames: UInt64
}

extension RecordedGap: Encodable {
    private enum CodingKeys: CodingKey {
        case segment, frame, wallTime, monotonicNanoseconds, cause, lengthNanoseconds, lengthFrames, filledFrames
    }
}
