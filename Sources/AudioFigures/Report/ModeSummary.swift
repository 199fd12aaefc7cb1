/// The figures of a mode that records of its callbacks do not tell: a log has them in a line of its own.
public struct ModeSummary: Codable, Sendable, Equatable {
    /// Of a queue's buffers.
    public var bufferCount: Int?
    /// `int16` or `float`; of a queue.
    public var format: String?
    /// See `Lost.nanoseconds`.
    public var lostNanoseconds: UInt64?
    /// See `Lost.gapFrames`.
    public var gapFrames: UInt64?
    /// See `Lost.longIntervals`.
    public var longIntervals: UInt64?
    /// See `Lost.xruns`.
    public var xruns: UInt64?
    /// See `Lost.xrunDelayNanoseconds`.
    public var xrunDelayNanoseconds: UInt64?
    /// Who was late, and how often.
    public var blame: BlameCount?
    /// What the probe measured.
    public var latencyFrames: Double?
    /// How far that may be off.
    public var latencyErrorFrames: Double?
    /// In hertz, while it was measured.
    public var latencySampleRate: Int?
    /// What the unit's ports declare that it adds.
    public var declaredLatencyFrames: Int?
    /// Input that found no free buffer.
    public var droppedFrames: UInt64?
    /// Silence for output that was not there in time.
    public var insertedFrames: UInt64?
    /// Callbacks that the figures know nothing of.
    public var lostRecords: UInt64?
    /// Of all the mode's threads.
    public var cpuNanosecondsPerCallback: Double?
    /// Of all the mode's threads.
    public var contextSwitchesPerSecond: ContextSwitches?

    /// What the mode tells.
    public init(of mode: ModeReport) {
        bufferCount = mode.bufferCount.value
        format = mode.format.value
        lostNanoseconds = mode.lost.nanoseconds
        gapFrames = mode.lost.gapFrames
        longIntervals = mode.lost.longIntervals
        xruns = mode.lost.xruns
        xrunDelayNanoseconds = mode.lost.xrunDelayNanoseconds
        blame = mode.blame.value
        latencyFrames = mode.latencyFrames.value
        latencyErrorFrames = mode.latencyErrorFrames.value
        latencySampleRate = mode.latencySampleRate.value
        declaredLatencyFrames = mode.declaredLatencyFrames
        droppedFrames = mode.droppedFrames
        insertedFrames = mode.insertedFrames
        lostRecords = mode.lostRecords
        cpuNanosecondsPerCallback = mode.cpuNanosecondsPerCallback.value
        contextSwitchesPerSecond = mode.contextSwitchesPerSecond.value
    }

    /// Whether a run could have had all of it: a log may come from anywhere, and sums and quotients are made of this.
    package var isPossible: Bool {
        let counts = [
            lostNanoseconds, gapFrames, longIntervals, xruns, xrunDelayNanoseconds, droppedFrames, insertedFrames,
            lostRecords, blame?.own, blame?.upstream, blame?.wakeup, blame?.unknown,
        ]
        let numbers = [
            latencyFrames, latencyErrorFrames, cpuNanosecondsPerCallback, contextSwitchesPerSecond?.voluntary,
            contextSwitchesPerSecond?.involuntary, declaredLatencyFrames.map { Double($0) },
            bufferCount.map { Double($0) },
        ]
        return counts.allSatisfy { $0 ?? 0 < 1 << 53 } && numbers.allSatisfy { abs($0 ?? 0) < 1e15 }
            && 1...10_000_000 ~= latencySampleRate ?? 1
    }
}

extension ModeReport {
    /// Takes what the summary tells, where a run can have had it.
    public mutating func add(_ summary: ModeSummary) {
        guard summary.isPossible else { return }
        bufferCount = Nullable(summary.bufferCount)
        format = Nullable(summary.format)
        lost.nanoseconds = summary.lostNanoseconds
        lost.gapFrames = summary.gapFrames
        lost.longIntervals = summary.longIntervals
        lost.xruns = summary.xruns
        lost.xrunDelayNanoseconds = summary.xrunDelayNanoseconds
        blame = Nullable(summary.blame)
        latencyFrames = Nullable(summary.latencyFrames)
        latencyErrorFrames = Nullable(summary.latencyErrorFrames)
        latencySampleRate = Nullable(summary.latencySampleRate)
        declaredLatencyFrames = summary.declaredLatencyFrames
        droppedFrames = summary.droppedFrames
        insertedFrames = summary.insertedFrames
        lostRecords = summary.lostRecords ?? lostRecords
        cpuNanosecondsPerCallback = Nullable(summary.cpuNanosecondsPerCallback)
        contextSwitchesPerSecond = Nullable(summary.contextSwitchesPerSecond)
    }
}
