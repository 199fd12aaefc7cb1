/// A run in a bounded number of steps, and what happened in it.
public struct Series: Sendable, Equatable {
    /// The extremes of what began within one step: how much longer than its own nominal time an interval was, in
    /// nanoseconds. Negative is shorter.
    public struct Step: Sendable, Equatable {
        /// In nanoseconds.
        public var earliest: Int64
        /// In nanoseconds.
        public var latest: Int64
        /// - Parameters: in nanoseconds; `earliest` at most `latest`.
        public init(earliest: Int64, latest: Int64) {
            self.earliest = earliest
            self.latest = latest
        }
    }

    /// A callback that came late.
    public struct Event: Sendable, Equatable {
        /// Since the beginning of the measurement.
        public var nanoseconds: Int64
        /// How much longer than nominal the interval was.
        public var lateNanoseconds: Int64
        /// Who caused it.
        public var blame: Blame
        /// - Parameter nanoseconds: since the beginning of the measurement.
        public init(nanoseconds: Int64, lateNanoseconds: Int64, blame: Blame) {
            self.nanoseconds = nanoseconds
            self.lateNanoseconds = lateNanoseconds
            self.blame = blame
        }
    }

    /// Length of a step; 0 where there is none.
    public var stepNanoseconds: Int64 = 0
    /// `nil` where no callback began within the step.
    public var steps: [Step?] = []
    /// In the order of time. Of more than fit the latest of each stretch of the run; `lost.longIntervals` has their number.
    public var events: [Event] = []
    /// Empty.
    public init() {}
}
