/// Finds out from jittering times when each frame of a clock really was due, and how fast the clock runs: a delay-locked loop
/// of second order (after F. Adriaensen, "Using a DLL to filter time", 2005) whose bandwidth shrinks while it learns.
///
/// The loop is written as a Kalman filter of two states, time and rate. At the start its gains are those of a straight line
/// through all that came, so that it settles as fast as the jitter permits: after a time T the rate is known to about
/// 3.5 σ / (T √n) for n times of jitter σ. Later they are those of a loop with the natural frequency `bandwidth` and a damping of
/// 0.7, which follows a clock that drifts. Times far off are held to four σ; where all stay on one
/// side for `patience`, the loop goes over to the present time at once and keeps the rate. Where they run away (`RateWatch`), the rate
/// itself has changed, and the loop learns it as at the start: so does that of a sender which changes its clock, and that of this machine's
/// time while NTP corrects it, which is by 500 ppm for minutes.
///
/// It knows no clock itself: frames and times come from outside.
struct ClockFilter: Sendable {
    /// What is known before the first time.
    struct Settings: Sendable {
        /// Of the clock as it should be, in hertz.
        var sampleRate: Double
        /// Natural frequency of the settled loop in radians per second, at a jitter of 0.5 ms and times that are 10 ms apart.
        var bandwidth: Double
        /// Of the times at first, in seconds; later it is measured.
        var jitter: Double
        /// How long all times may be on one side before they are believed, in seconds.
        var patience: Double
        /// By how much they must be.
        var tolerance: Double
        /// Whether the first seconds may hold a burst of what had waited: one that took clearly less time than all before starts
        /// the loop again.
        var beginsWithBurst = false
    }

    private let settings: Settings
    /// The last frame that was timed, its filtered time in seconds, and how much slower the clock is than it should be.
    private var frame = 0.0
    private var time = 0.0
    private(set) var rateError = 0.0
    private var covariance = (time: 0.0, both: 0.0, rate: 0.0)
    private var variance: Double
    private var spacing = 0.0
    private var count = 0
    private var firstTime = 0.0
    /// The least time behind a clock that is right.
    private var least = 0.0
    /// Times that are very far off, and those before.
    private var (strange, bias): (Run?, Run?) = (nil, nil)
    private var watch = RateWatch()

    /// Times on one side of what was due, one after the other.
    private struct Run: Sendable {
        var isLate: Bool
        var start: Double
        var count = 0
        /// By how much at least.
        var least: Double
    }

    /// How often it began again, because times stayed far off.
    private(set) var steps = 0

    private static let rateDeviation = 300e-6
    private static let changedRateDeviation = 100e-6
    /// No clock is worse.
    private static let mostRateError = 0.002
    /// Of the natural frequency, where times jitter much.
    private static let leastShare = 0.3
    private static let easyJitter = 0.0005
    private static let easySpacing = 0.01
    /// So long times that are very far off are no times at all.
    private static let strangeSeconds = 2.0
    private static let burstSeconds = 3.0
    private static let burstStep = 0.002
    private static let leastJitter = 20e-6

    init(_ settings: Settings) {
        self.settings = settings
        variance = settings.jitter * settings.jitter
    }

    var hasBegun: Bool { count > 0 }
    /// Since the first time, in seconds.
    var elapsed: Double { max(0, time - firstTime) }
    /// Standard deviation of the times, as measured.
    var jitter: Double { variance.squareRoot() }

    /// Natural frequency of the settled loop in radians per second: the more times jitter, the lower, so that the pitch stays
    /// about as steady.
    var bandwidth: Double {
        let easy = Self.easyJitter * (spacing / Self.easySpacing).squareRoot()
        let share = (easy / max(jitter, Self.leastJitter)).squareRoot()
        return settings.bandwidth * max(Self.leastShare, min(share, 1))
    }

    /// Frames per second of the timing clock.
    var frequency: Double { settings.sampleRate / (1 + rateError) }

    /// When a frame is due, in seconds.
    func time(of frame: Double) -> Double { time + (frame - self.frame) / frequency }

    /// Which frame is due at a time.
    func frame(at time: Double) -> Double { frame + (time - self.time) * frequency }

    /// Takes the time of a frame; returns by how much it was later than it was due, in seconds.
    ///
    /// - Parameters:
    ///   - frame: usually later than the one before.
    ///   - time: in seconds, of a clock that never goes back.
    mutating func add(_ frame: Double, at time: Double) -> Double {
        guard count > 0 else {
            begin(frame, at: time)
            return 0
        }
        let error = time - self.time(of: frame)
        let age = time - frame / settings.sampleRate
        if settings.beginsWithBurst, time - firstTime < Self.burstSeconds, age < least - Self.burstStep {
            let kept = firstTime
            begin(frame, at: time)
            firstTime = kept
            return 0
        }
        least = min(least, age)
        advance(to: frame)
        if let changed = watch.add(error, at: time, jitter: jitter) { learnAgain(changed) }
        if isStrange(error, at: time) { return error }
        let limit = 4 * jitter
        correct(by: max(-limit, min(error, limit)))
        return error
    }

    /// Takes a time that is very far off for none at all, until so many have been that it is a step of the clock. Where times are
    /// on one side of what was due for longer than chance would have it, and farther off than the loop makes good soon, it goes over
    /// to them as well.
    ///
    /// - Returns: whether that is all that is made of the error.
    private mutating func isStrange(_ error: Double, at time: Double) -> Bool {
        let isFar = abs(error) > 8 * jitter
        if !isFar { strange = nil }
        var run = (isFar ? strange : bias) ?? Run(isLate: error > 0, start: time, least: abs(error))
        if run.isLate != (error > 0) { run = Run(isLate: error > 0, start: time, least: abs(error)) }
        run.count += 1
        run.least = min(run.least, abs(error))
        if isFar { strange = run } else { bias = run }
        guard run.least > settings.tolerance, time - run.start > settings.patience,
            run.count > (isFar ? 6 : 40)
        else { return isFar && time - run.start < max(Self.strangeSeconds, settings.patience) }
        steps += 1
        self.time += run.isLate ? run.least : -run.least
        variance = settings.jitter * settings.jitter
        (covariance.time, covariance.both) = (variance, 0)
        (strange, bias) = (nil, nil)
        watch.reset()
        return true
    }

    /// The rate has changed: it is open again, as far as the error in a second says, and so is the time.
    private mutating func learnAgain(_ error: Double) {
        let deviation = min(0.5 * abs(error) / RateWatch.seconds, Self.changedRateDeviation)
        covariance.rate = max(covariance.rate, deviation * deviation)
        covariance.time = max(covariance.time, error * error)
        strange = nil
    }

    private mutating func begin(_ frame: Double, at time: Double) {
        (self.frame, self.time, firstTime) = (frame, time, time)
        least = time - frame / settings.sampleRate
        variance = settings.jitter * settings.jitter
        covariance = (variance, 0, Self.rateDeviation * Self.rateDeviation)
        rateError = 0
        count = 1
        (strange, bias) = (nil, nil)
        watch.reset()
    }

    private mutating func advance(to frame: Double) {
        let passed = (frame - self.frame) / settings.sampleRate
        // One that was overtaken on its way counts as if it had come in order.
        guard passed > 0 else { return }
        time = time(of: frame)
        self.frame = frame
        count += 1
        spacing += (passed - spacing) * max(1 / Double(count), 0.01)
        // A rate that wanders so fast makes the settled loop one of the natural frequency that is wanted.
        let square = bandwidth * bandwidth
        let wander = square * square * variance * spacing
        covariance.time +=
            2 * passed * covariance.both + passed * passed * covariance.rate + wander * passed * passed * passed / 3
        covariance.both += passed * covariance.rate + wander * passed * passed / 2
        covariance.rate += wander * passed
    }

    private mutating func correct(by error: Double) {
        let share = max(1 / Double(count), min(0.1, spacing / 10))
        // An offset that lasts for seconds is the loop's own error, and no jitter.
        let deviation = error - watch.median
        variance = max(Self.leastJitter * Self.leastJitter, variance + share * (deviation * deviation - variance))
        let total = covariance.time + variance
        let gains = (time: covariance.time / total, rate: covariance.both / total)
        time += gains.time * error
        rateError = max(-Self.mostRateError, min(rateError + gains.rate * error, Self.mostRateError))
        covariance.rate -= gains.rate * covariance.both
        covariance.both -= gains.time * covariance.both
        covariance.time -= gains.time * covariance.time
    }
}
