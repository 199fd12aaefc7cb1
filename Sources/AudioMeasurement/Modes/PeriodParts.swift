import AudioFigures

/// Makes a run's parts while its callbacks come: memory stays the same however often the period or the rate changes.
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
    ///   - sampleRate: of that callback, in hertz.
    ///   - deviation: how much longer than nominal it was, in nanoseconds.
    ///   - start: when that callback began, since the beginning of the measurement.
    mutating func add(_ interval: Int64, frames: Int, sampleRate: Int, deviation: Int64, start: Int64) {
        if present?.frames != frames || present?.sampleRate != sampleRate {
            finish()
            present = PeriodPart(frames: frames, sampleRate: sampleRate, startNanoseconds: start)
        }
        intervals.record(interval)
        deviations.record(abs(deviation))
    }

    /// In order, with the one that has not ended yet, and how many there are beyond those told.
    var all: (told: [PeriodPart], omitted: Int) {
        var parts = self
        parts.finish()
        return (parts.finished, parts.omitted)
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
