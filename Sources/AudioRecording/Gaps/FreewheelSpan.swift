/// Frames of a recording that were rendered while the server freewheeled, because another client wanted it to: none is
/// missing, but they took another time than they last.
///
/// JACK announces the change on another thread than the one that renders, so that the span may begin or end a few periods
/// beside it.
public struct FreewheelSpan: Sendable, Equatable, Encodable {
    /// The number of the file that has them: 1 for the first.
    public var segment: Int
    /// The first of them in that file.
    public var frame: Int
    /// How many.
    public var frames: Int
    /// When they began, in UTC as ISO 8601 has it, with microseconds.
    public var wallTime: String
    /// The same on the monotonic clock.
    public var monotonicNanoseconds: UInt64
    /// How long the server took for them.
    public var lengthNanoseconds: UInt64
}
