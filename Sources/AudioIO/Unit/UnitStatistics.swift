import Jack

/// What a unit has counted since it was made. Of a queue's buffers a unit in callback mode counts none.
public struct UnitStatistics: Sendable, Equatable {
    /// How often the callback was called.
    public var cycles: UInt64
    /// How many were rendered.
    public var frames: UInt64
    /// What JACK reported.
    public var xruns: UInt64
    /// The sum of the delays that JACK named with them: right in sync mode, about 0 in async.
    public var xrunDelayNanoseconds: UInt64
    /// Callbacks of ours that ran longer than their period. While the server freewheels, none is counted, nor late cycles, nor lost
    /// time.
    public var overruns: UInt64
    /// Times that the server skipped cycles.
    public var frameGaps: UInt64
    /// Frames of the frame clock that were not rendered.
    public var gapFrames: UInt64
    /// Cycles that began later than 1.5 periods after the one before.
    public var lateCycles: UInt64
    /// Wall time for which no frame was rendered, in sync and async mode alike. Of a late cycle it is provisional until sixteen
    /// more have come in time, and falls again by what the server catches up with.
    public var lostNanoseconds: UInt64
    /// What of it is known for good: it never falls, so that a counter can be made of it.
    public var settledLostNanoseconds: UInt64
    /// Time for which the unit was in no graph, from the end of its last cycle in one to the first in the next.
    public var absentNanoseconds: UInt64
    /// Cycles that the account above knows nothing of.
    public var lostRecords: UInt64
    /// Samples that were NaN, infinite or absurd, in the inputs or because nodes amplified them so far, and became silence.
    public var nonFiniteSamples: UInt64
    /// Calls of a queue's worker.
    public var buffers: UInt64
    /// Calls of the worker that took longer than their buffer lasts.
    public var bufferOverruns: UInt64
    /// Calls of the worker whose record was lost.
    public var lostBufferRecords: UInt64
    /// Frames of input that a queue did not take, to make up for silence that was inserted.
    public var droppedFrames: UInt64
    /// Frames of silence that a queue played because no buffer was ready. Not the silence that a start begins with.
    public var insertedFrames: UInt64

    private static let counts: [WritableKeyPath<Self, UInt64> & Sendable] = [
        \.cycles, \.frames, \.xruns, \.xrunDelayNanoseconds, \.overruns, \.frameGaps, \.gapFrames, \.lateCycles,
        \.lostNanoseconds, \.settledLostNanoseconds, \.absentNanoseconds, \.lostRecords, \.nonFiniteSamples, \.buffers,
        \.bufferOverruns, \.lostBufferRecords, \.droppedFrames, \.insertedFrames,
    ]

    /// What was counted between two times of one unit; of what has fallen meanwhile, 0.
    public static func - (later: Self, earlier: Self) -> Self {
        counts.reduce(into: later) { $0[keyPath: $1] -= min($0[keyPath: $1], earlier[keyPath: $1]) }
    }
}

/// What a running unit is connected to.
public struct UnitConnection: Sendable, Equatable {
    /// The name that the server gave.
    public var clientName: String
    /// The server's, in hertz.
    public var sampleRate: Int
    /// The server's.
    public var periodFrames: Int
    /// Whether the server asks for real-time scheduling.
    public var isRealtime: Bool
    /// What the kernel gave the audio thread; `nil` where it cannot be asked.
    public var scheduling: Scheduling?
    /// Full names of the ports that sound comes in by.
    public var inputs: [String]
    /// Full names of the ports that it leaves by.
    public var outputs: [String]
}

extension UnitClient {
    /// What the control side has counted, with what the audio thread has.
    var statistics: UnitStatistics {
        let account = controlSide.telemetry.account
        let buffers = queue?.thread.counts
        // SAFETY: counters are atomic, and the cells keep them.
        return unsafe UnitStatistics(
            cycles: audio.pointer.pointee.unit.counters.cycles.load(ordering: .relaxed),
            frames: audio.pointer.pointee.unit.counters.frames.load(ordering: .relaxed),
            xruns: controlSide.xruns.load(ordering: .relaxed),
            xrunDelayNanoseconds: controlSide.xrunDelayNanoseconds.load(ordering: .relaxed),
            overruns: account?.overruns ?? 0,
            frameGaps: account?.frameGaps ?? 0,
            gapFrames: account?.gapFrames ?? 0,
            lateCycles: account?.lateCycles ?? 0,
            lostNanoseconds: account?.lostNanoseconds ?? 0,
            settledLostNanoseconds: account?.settledLostNanoseconds ?? 0,
            absentNanoseconds: account?.absentNanoseconds ?? 0,
            lostRecords: audio.pointer.pointee.unit.counters.lostRecords.load(ordering: .relaxed),
            nonFiniteSamples: audio.pointer.pointee.unit.counters.nonFinite.load(ordering: .relaxed)
                + (buffers?.nonFinite ?? 0) + graph.runawaySamples,
            buffers: buffers?.buffers ?? 0,
            bufferOverruns: queue?.buffers.account?.overruns ?? 0,
            lostBufferRecords: buffers?.lostRecords ?? 0,
            droppedFrames: queue?.droppedFrames ?? 0,
            insertedFrames: queue?.insertedFrames ?? 0)
    }
}
