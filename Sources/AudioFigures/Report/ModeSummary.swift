/// The figures of a mode that records of its callbacks do not tell: a log has them in a line of its own.
///
/// Unknown figures are left out.
public struct ModeSummary: Codable, Sendable {
    /// A figure that is kept: how it is written, read and taken over.
    private struct Kept: Sendable {
        let write: @Sendable (ModeReport, inout KeyedEncodingContainer<FieldKey>) throws -> Void
        let read: @Sendable (inout ModeReport, KeyedDecodingContainer<FieldKey>) throws -> Void
        let copy: @Sendable (ModeReport, inout ModeReport) -> Void
        /// Whether a run could have had it: a log may come from anywhere, and sums and quotients are made of this.
        let isPossible: @Sendable (ModeReport) -> Bool

        init<Value: Codable & Sendable>(
            _ name: String, _ path: WritableKeyPath<ModeReport, Value?> & Sendable,
            isPossible: @escaping @Sendable (Value) -> Bool
        ) {
            let key = FieldKey(name)
            write = { try $1.encodeIfPresent($0[keyPath: path], forKey: key) }
            read = { $0[keyPath: path] = try $1.decodeIfPresent(Value.self, forKey: key) }
            copy = { $1[keyPath: path] = $0[keyPath: path] }
            self.isPossible = { $0[keyPath: path].map(isPossible) ?? true }
        }
    }

    private static let kept: [Kept] = [
        Kept("bufferCount", \.bufferCount.value) { isPossible(Double($0)) },
        Kept("format", \.format.value) { ["int16", "float"].contains($0) },
        Kept("lostNanoseconds", \.lost.nanoseconds, isPossible: isPossible),
        Kept("gapFrames", \.lost.gapFrames, isPossible: isPossible),
        Kept("longIntervals", \.lost.longIntervals, isPossible: isPossible),
        Kept("xruns", \.lost.xruns, isPossible: isPossible),
        Kept("xrunDelayNanoseconds", \.lost.xrunDelayNanoseconds, isPossible: isPossible),
        Kept("blame", \.blame.value) { [$0.own, $0.upstream, $0.wakeup, $0.unknown].allSatisfy(isPossible) },
        Kept("latencyFrames", \.latencyFrames.value, isPossible: isPossibleLatency),
        Kept("latencyErrorFrames", \.latencyErrorFrames.value, isPossible: isPossible),
        Kept("latencySampleRate", \.latencySampleRate.value) { 1...10_000_000 ~= $0 },
        Kept("declaredLatencyFrames", \.declaredLatencyFrames) { isPossibleLatency(Double($0)) },
        Kept("droppedFrames", \.droppedFrames, isPossible: isPossible),
        Kept("insertedFrames", \.insertedFrames, isPossible: isPossible),
        Kept("lostRecords", \.keptLostRecords, isPossible: isPossible),
        Kept("cpuNanosecondsPerCallback", \.cpuNanosecondsPerCallback.value, isPossible: isPossible),
        Kept("contextSwitchesPerSecond", \.contextSwitchesPerSecond.value) {
            isPossible($0.voluntary) && isPossible($0.involuntary)
        },
    ]

    @Sendable private static func isPossible(_ count: UInt64) -> Bool { count < 1 << 53 }
    @Sendable private static func isPossible(_ number: Double) -> Bool { 0..<1e15 ~= number }
    /// One of about none is measured as a little less too.
    @Sendable private static func isPossibleLatency(_ frames: Double) -> Bool { abs(frames) < 1e15 }

    /// Only the kept figures count.
    private var mode: ModeReport
    private var hasLostRecords = true
    /// How many were measured; `nil` of an older log.
    private var callbacks: UInt64?

    /// What the mode tells.
    public init(of mode: ModeReport) { (self.mode, callbacks) = (mode, mode.cycles) }

    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: FieldKey.self)
        mode = ModeReport(mode: .callback, name: "", periodFrames: 0, sampleRate: 1, nominalNanoseconds: 0)
        for figure in Self.kept { try figure.read(&mode, fields) }
        hasLostRecords = fields.contains(FieldKey("lostRecords"))
        callbacks = try fields.decodeIfPresent(UInt64.self, forKey: FieldKey("callbacks"))
    }

    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: FieldKey.self)
        for figure in Self.kept { try figure.write(mode, &fields) }
        try fields.encodeIfPresent(callbacks, forKey: FieldKey("callbacks"))
    }

    fileprivate func move(to other: inout ModeReport) {
        // Of more callbacks than were measured, it is another run's.
        guard Self.kept.allSatisfy({ $0.isPossible(mode) }), Self.isPossible(callbacks ?? 0),
            callbacks ?? .max >= other.cycles
        else { return }
        let counted = other.lostRecords
        for figure in Self.kept { figure.copy(mode, &other) }
        // A log that does not tell is counted by its reader.
        if !hasLostRecords { other.lostRecords = counted }
        // Lines that somebody has taken out of the log.
        if let callbacks { other.lostRecords += callbacks - other.cycles }
    }
}

extension ModeReport {
    fileprivate var keptLostRecords: UInt64? {
        get { lostRecords }
        set { lostRecords = newValue ?? 0 }
    }

    /// Takes what the summary tells, where a run can have had it.
    public mutating func add(_ summary: ModeSummary) { summary.move(to: &self) }
}
