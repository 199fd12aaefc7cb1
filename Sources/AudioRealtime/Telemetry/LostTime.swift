/// How much wall time went by for which no frame was rendered.
///
/// The frame clock alone cannot tell: in sync mode a late server sets it back, so that it shows no gap. The wall
/// clock minus the time that the rendered frames last can, but a sound card's crystal drifts against it by more in
/// an hour than an xrun costs. So the two are compared only around each late cycle: the earliest start, measured
/// against the rendered frames, of the sixteen cycles before and of the sixteen after. A stall that the server
/// catches up with leaves no difference; one that it gives up on leaves what was lost. Differences under a quarter
/// of a period are jitter and are not counted. While the server catches up (PipeWire makes up for a stall of
/// any length), counting the sixteen cycles begins again with each. Until they are known the figure is provisional, and may
/// fall again. What is settled never falls.
struct LostTime: Sendable {
    private static let span = 16

    private var sampleRate: Double
    /// What is known for good. Added to without a check: a log may hold any times, and a hundred years of loss are not to trap.
    private(set) var settled: UInt64 = 0
    /// How late each of the last cycles began, in nanoseconds, against the frames rendered before it.
    private var before: [Double] = []
    private var incident: Incident?
    private var origin: (entry: UInt64, position: UInt64)?

    private struct Incident {
        var baseline: Double
        var threshold: Double
        /// The earliest start that followed each late cycle but the last, up to the next one.
        var stages: [Double] = []
        static let stageLimit = 64
        /// What followed the last late cycle, with itself; or what followed the last that caught up, with that.
        var after: [Double] = []

        mutating func follow(_ lateness: Double) {
            if let first = after.first, lateness < first - threshold { after = [] }
            after.append(lateness)
        }

        mutating func beginStage() {
            if let earliest = after.min() { stages.append(earliest) }
            after = []
        }

        /// Where every other cycle is late an incident never ends. After so many late cycles the earliest start of the last
        /// sixteen stages tells what was lost up to there, and the incident goes on from that.
        mutating func takeLoss() -> UInt64 {
            guard stages.count >= Self.stageLimit, let earliest = stages.suffix(LostTime.span).min() else { return 0 }
            stages = []
            guard earliest - baseline > threshold else { return 0 }
            defer { baseline = earliest }
            return UInt64(nanoseconds: earliest - baseline)
        }

        var loss: UInt64 {
            guard let earliest = after.min(), earliest - baseline > threshold else { return 0 }
            return UInt64(nanoseconds: earliest - baseline)
        }

        /// What of the loss each late cycle brought; the sum is `loss`. What was caught up with later was not lost; what
        /// is too little to be told from jitter goes to the next, and of the last to the one before it.
        var losses: [UInt64] {
            var known = stages + [after.min() ?? baseline]
            for stage in known.indices.dropLast().reversed() { known[stage] = min(known[stage], known[stage + 1]) }
            var losses = [UInt64](repeating: 0, count: known.count)
            var counted: UInt64 = 0
            for (stage, earliest) in known.enumerated() {
                let isLast = stage == known.count - 1
                let total = isLast ? loss : UInt64(nanoseconds: earliest - baseline)
                guard total > counted else { continue }
                let isTold = Double(total - counted) > threshold
                guard isTold || isLast else { continue }
                losses[isTold ? stage : losses.lastIndex { $0 > 0 } ?? stage] += total - counted
                counted = total
            }
            return losses
        }
    }

    init(sampleRate: Int) { self.sampleRate = Double(sampleRate) }

    /// With what is known of an incident that is not over.
    var nanoseconds: UInt64 { settled &+ (incident?.loss ?? 0) }

    /// Whether it is not known yet what a late cycle has cost.
    var isUnsettled: Bool { incident != nil }

    /// Takes the next cycle.
    ///
    /// - Returns: where it settles an incident, what each late cycle of it has cost, in order, in nanoseconds.
    @discardableResult
    mutating func add(_ record: CycleRecord, isLate: Bool) -> [UInt64]? {
        let origin = origin ?? (record.entryNanoseconds, record.position)
        self.origin = origin
        let wall = Double(record.entryNanoseconds &- origin.entry)
        let rendered = Double(record.position &- origin.position) / sampleRate * 1e9
        let lateness = wall - rendered
        if isLate {
            // What comes after a later stall tells of both.
            incident?.beginStage()
            settled &+= incident?.takeLoss() ?? 0
            if incident == nil, let baseline = before.min() {
                incident = Incident(baseline: baseline, threshold: Double(record.frames) / sampleRate * 1e9 / 4)
            }
        }
        if incident != nil {
            incident?.follow(lateness)
            if let incident, incident.after.count >= Self.span { return settle() }
        } else {
            before.append(lateness)
            if before.count > Self.span { before.removeFirst() }
        }
        return nil
    }

    /// Takes what is known of an incident for the whole truth.
    ///
    /// - Returns: as `add`; `nil` where there is none.
    @discardableResult
    mutating func settle() -> [UInt64]? {
        guard let over = incident else { return nil }
        settled &+= over.loss
        before = over.after
        incident = nil
        return over.losses
    }

    /// The next cycle is not to be compared with the last.
    ///
    /// - Parameters:
    ///   - sampleRate: from then on, in hertz.
    ///   - lostNanoseconds: what was lost between the two.
    mutating func breakContinuity(sampleRate: Int, lostNanoseconds: UInt64 = 0) {
        self.sampleRate = Double(sampleRate)
        settle()
        settled &+= lostNanoseconds
        before = []
        origin = nil
    }
}

extension UInt64 {
    /// Whole nanoseconds. Records may hold any times: less than none is none, and more than there can be is the most.
    init(nanoseconds: Double) { self = nanoseconds >= 0x1p64 ? .max : UInt64(nanoseconds > 0 ? nanoseconds : 0) }
}
