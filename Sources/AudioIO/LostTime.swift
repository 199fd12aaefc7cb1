import AudioRealtime

/// How much wall time went by for which no frame was rendered.
///
/// The frame clock alone cannot tell: in sync mode a late server sets it back, so that it shows no gap. The wall
/// clock minus the time that the rendered frames last can, but a sound card's crystal drifts against it by more in
/// an hour than an xrun costs. So the two are compared only around each late cycle: the earliest start, measured
/// against the rendered frames, of the sixteen cycles before and of the sixteen after. A stall that the server
/// catches up with leaves no difference; one that it gives up on leaves what was lost. Differences under a quarter
/// of a period are jitter and are not counted. Until the sixteen cycles after are known the figure is provisional, and
/// may fall again; a catch-up that takes longer than they do counts as lost.
struct LostTime: Sendable {
    private static let span = 16

    private var sampleRate: Double
    /// Added to without a check: a log may hold any times, and a hundred years of loss are not to trap.
    private var settled: UInt64 = 0
    /// How late each of the last cycles began, in nanoseconds, against the frames rendered before it.
    private var before: [Double] = []
    private var incident: Incident?
    private var origin: (entry: UInt64, position: UInt64)?

    private struct Incident {
        var baseline: Double
        var after: [Double] = []
        var threshold: Double

        var loss: UInt64 {
            guard let earliest = after.min(), earliest - baseline > threshold else { return 0 }
            return UInt64(earliest - baseline)
        }
    }

    init(sampleRate: Int) { self.sampleRate = Double(sampleRate) }

    /// With what is known of an incident that is not over.
    var nanoseconds: UInt64 { settled &+ (incident?.loss ?? 0) }

    mutating func add(_ record: CycleRecord, isLate: Bool) {
        let origin = origin ?? (record.entryNanoseconds, record.position)
        self.origin = origin
        let wall = Double(record.entryNanoseconds &- origin.entry)
        let rendered = Double(record.position - origin.position) / sampleRate * 1e9
        let lateness = wall - rendered
        if isLate {
            // What comes after a later stall tells of both.
            incident?.after = []
            if incident == nil, let baseline = before.min() {
                incident = Incident(baseline: baseline, threshold: Double(record.frames) / sampleRate * 1e9 / 4)
            }
        }
        if incident != nil {
            incident?.after.append(lateness)
            if let over = incident, over.after.count >= Self.span {
                settled &+= over.loss
                before = over.after
                incident = nil
            }
        } else {
            before.append(lateness)
            if before.count > Self.span { before.removeFirst() }
        }
    }

    mutating func breakContinuity(sampleRate: Int) {
        self.sampleRate = Double(sampleRate)
        settled = nanoseconds
        incident = nil
        before = []
        origin = nil
    }
}
