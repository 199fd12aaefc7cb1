import AudioRealtime
import Threads

/// Lists which spans of a recording were rendered while the server freewheeled.
struct FreewheelList {
    private let figures: RecordingFigures
    /// The frame of the files where the last span began.
    private var start = 0
    /// Whether the last block was rendered while the server freewheeled, in the present file.
    private var isFreewheeling = false
    /// When a gap began behind the last block; `nil` where there is none.
    private var gapStart: UInt64?

    init(_ figures: RecordingFigures) { self.figures = figures }

    /// Begins a span with a block, or ends the span before it. Returns whether the list has changed.
    mutating func note(_ block: TapBlock, in files: RecordingFiles) -> Bool {
        let wasFreewheeling = isFreewheeling
        isFreewheeling = block.isFreewheeling
        defer { gapStart = nil }
        figures.freewheels.withLock { spans in
            // Spans beyond the limit are only counted: the last one in the list is not the present one then.
            let isListed = figures.omittedFreewheels.load(ordering: .relaxed) == 0
            if wasFreewheeling, isListed, let last = spans.indices.last {
                let end = isFreewheeling ? block.entryNanoseconds : gapStart ?? block.entryNanoseconds
                spans[last].lengthNanoseconds = end - min(end, spans[last].monotonicNanoseconds)
            }
            guard isFreewheeling, !wasFreewheeling else { return }
            guard isListed, spans.count < Recording.spanLimit else {
                figures.omittedFreewheels.add(1, ordering: .relaxed)
                return
            }
            spans.append(
                FreewheelSpan(
                    segment: files.segmentNumber, frame: files.position, frames: 0,
                    wallTime: WallClock.text(ofMonotonic: block.entryNanoseconds),
                    monotonicNanoseconds: block.entryNanoseconds, lengthNanoseconds: 0))
            start = files.frames
        }
        return wasFreewheeling || isFreewheeling
    }

    /// A gap comes next. Where it ends the span, its time is none of it.
    mutating func note(gapAtNanoseconds nanoseconds: UInt64) { gapStart = gapStart ?? nanoseconds }

    /// Counts the frames that the present span has in the files.
    func extend(in files: RecordingFiles) {
        // Whether what fills a gap is of the span, the next block tells.
        guard isFreewheeling, gapStart == nil, figures.omittedFreewheels.load(ordering: .relaxed) == 0 else { return }
        figures.freewheels.withLock { spans in
            guard let last = spans.indices.last else { return }
            spans[last].frames = files.frames - start
        }
    }

    /// The next block goes to another file.
    mutating func endSpan() { isFreewheeling = false }
}

/// Frames of a recording that were rendered while the server freewheeled, because another client wanted it to: none is
/// missing, but they took another time than they last.
///
/// JACK announces the change on another thread than the one that renders, so that the span may begin or end a few periods
/// beside it.
public struct FreewheelSpan: Sendable, Equatable, Encodable {
    /// The number of the file in which they begin: 1 for the first.
    public var segment: Int
    /// The first of them in that file.
    public var frame: Int
    /// How many, also in the files behind it, where it was split meanwhile.
    public var frames: Int
    /// When they began, in UTC as ISO 8601 has it, with microseconds.
    public var wallTime: String
    /// The same on the monotonic clock.
    public var monotonicNanoseconds: UInt64
    /// How long the server took for them, without a gap behind them.
    public var lengthNanoseconds: UInt64
}
