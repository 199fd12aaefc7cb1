/// Why nothing was recorded.
public enum GapCause: String, Sendable, CaseIterable, Encodable {
    /// The server went away, and came back; or it did not until the recording ended.
    case reset
    /// The unit was stopped and started again.
    case restart
    /// The recording was paused, or JACK's transport stopped, with which it was recorded.
    case pause
    /// Nothing was loud enough to begin the next take.
    case silence
    /// The server left cycles out, as in async mode, and its frame clock says so; or a queue took less, to make up for a late worker.
    case skipped
    /// The server was late and gave the time up, as in sync mode, where its frame clock stands still meanwhile.
    case late
    /// The tap had no room: the disk was too slow.
    case dropped

    /// Whether somebody wanted it so: then it is cut, and no silence takes its place.
    public var isWanted: Bool { self == .pause || self == .silence }
}

/// A gap as it is found, whatever becomes of it in a file.
package struct Gap: Sendable, Equatable {
    package typealias Cause = GapCause

    package var cause: Cause
    /// When it began, on the monotonic clock.
    package var startNanoseconds: UInt64
    package var lengthNanoseconds: UInt64
    /// The same at the sample rate before the gap, to the nearest frame.
    package var lengthFrames: Int
    /// Frames that the unit had rendered before the first frame after the gap.
    package var endPosition: UInt64

    /// What is left of it behind so many frames.
    package func suffix(fromFrame frames: Int) -> Gap {
        let before = prefix(frames: frames)
        var rest = self
        rest.startNanoseconds += before.lengthNanoseconds
        rest.lengthNanoseconds -= before.lengthNanoseconds
        rest.lengthFrames -= before.lengthFrames
        return rest
    }

    /// No more of it than so many frames.
    package func prefix(frames: Int) -> Gap {
        guard frames < lengthFrames else { return self }
        var first = self
        first.lengthFrames = frames
        first.lengthNanoseconds = UInt64(Double(lengthNanoseconds) * Double(frames) / Double(lengthFrames))
        return first
    }
}
