/// A place in a recording where sound is missing, or was not wanted.
public struct RecordedGap: Sendable, Equatable {
    /// Why nothing was recorded.
    public enum Cause: String, Sendable, CaseIterable, Encodable {
        /// The server went away, and came back; or it did not until the recording ended.
        case reset
        /// The unit was stopped and started again.
        case restart
        /// The recording was paused, or JACK's transport stopped, with which it was recorded.
        case pause
        /// Nothing was loud enough to begin the next take.
        case silence
        /// The server left cycles out, as in async mode, and its frame clock says so.
        case skipped
        /// The server was late and gave the time up, as in sync mode, where its frame clock stands still meanwhile.
        case late
        /// The tap had no room: the disk was too slow.
        case dropped

        /// Whether somebody wanted it so: then it is cut, and no silence takes its place.
        public var isWanted: Bool { self == .pause || self == .silence }
    }

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
    var endPosition: UInt64
}

extension RecordedGap: Encodable {
    private enum CodingKeys: CodingKey {
        case segment, frame, wallTime, monotonicNanoseconds, cause, lengthNanoseconds, lengthFrames, filledFrames
    }
}

/// A gap as it is found, whatever becomes of it in a file.
package struct Gap: Sendable, Equatable {
    package typealias Cause = RecordedGap.Cause

    package var cause: Cause
    /// When it began, on the monotonic clock.
    package var startNanoseconds: UInt64
    package var lengthNanoseconds: UInt64
    /// The same at the sample rate before the gap, to the nearest frame.
    package var lengthFrames: Int
    /// Frames that the unit had rendered before the first frame after the gap.
    package var endPosition: UInt64

    /// No more of it than so many frames.
    func prefix(frames: Int) -> Gap {
        guard frames < lengthFrames else { return self }
        var first = self
        first.lengthFrames = frames
        first.lengthNanoseconds = UInt64(Double(lengthNanoseconds) * Double(frames) / Double(lengthFrames))
        return first
    }
}
