/// A part of a run in which each callback had as many frames, which lasted as long: where the server's period changes, or its
/// sample rate, another begins.
public struct PeriodPart: Sendable, Equatable, Encodable {
    /// Frames of each callback.
    public var frames: Int
    /// The time that they last.
    public var nominalNanoseconds: Double
    /// When its first callback began, since the beginning of the measurement.
    public var startNanoseconds: Int64
    /// Between starts of one of its callbacks and the next.
    public var interval = Distribution()
    /// How far each interval was from the part's own nominal time, without sign.
    public var deviation = Distribution()

    public init(frames: Int, nominalNanoseconds: Double, startNanoseconds: Int64) {
        self.frames = frames
        self.nominalNanoseconds = nominalNanoseconds
        self.startNanoseconds = startNanoseconds
    }
}

/// Makes a run's parts while its callbacks come: memory stays the same however often the period changes.
struct PeriodParts: Sendable {
    /// How many parts are reported one by one; the rest are counted.
    static let limit = 100

    private var finished: [PeriodPart] = []
    private var present: PeriodPart?
    private var intervals = Histogram()
    private var deviations = Histogram()
    private var omitted = 0

    /// Takes the next interval.
    ///
    /// - Parameters:
    ///   - frames: of the callback that it began with.
    ///   - nominal: how long they last, in nanoseconds.
    ///   - start: when that callback began, since the beginning of the measurement.
    mutating func add(_ interval: Int64, frames: Int, nominal: Double, start: Int64) {
        if present?.frames != frames || present?.nominalNanoseconds != nominal {
            finish()
            present = PeriodPart(frames: frames, nominalNanoseconds: nominal, startNanoseconds: start)
        }
        intervals.record(interval)
        deviations.record(Int64(abs(Double(interval) - nominal).rounded()))
    }

    /// In order, with the one that has not ended yet.
    var all: [PeriodPart] {
        var parts = self
        parts.finish()
        return parts.finished
    }

    /// How many there are beyond those told, with the one that has not ended yet.
    var omittedParts: Int {
        var parts = self
        parts.finish()
        return parts.omitted
    }

    private mutating func finish() {
        guard var part = present else { return }
        present = nil
        if finished.count < Self.limit {
            part.interval = intervals.distribution
            part.deviation = deviations.distribution
            finished.append(part)
        } else {
            omitted += 1
        }
        intervals = Histogram()
        deviations = Histogram()
    }
}
