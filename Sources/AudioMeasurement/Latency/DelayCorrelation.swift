/// Where in one round of the probe signal it may have come from: the peaks of the cross correlation.
struct DelayCorrelation {
    struct Peak {
        /// A whole frame near its top.
        var frames: Int
        var isInverted: Bool
        /// Times the root mean square of all that is not part of the greatest peak.
        var prominence: Double
    }

    /// The greatest, whatever its sign.
    let greatest: Peak
    /// The greatest of the others.
    let second: Peak

    /// - Parameter correlation: one round of it, for each whole frame of delay.
    init(_ correlation: [Float]) {
        let length = correlation.count
        func top(_ places: some Sequence<Int>) -> Int {
            places.max { abs(correlation[$0 % length]) < abs(correlation[$1 % length]) } ?? 0
        }
        let summit = top(0..<length)
        let isInverted = correlation[summit] < 0
        // The hill around it reaches to where the sign changes, which is less than a wave of the highest frequency.
        func isOnHill(_ place: Int) -> Bool {
            let value = correlation[place % length]
            return isInverted ? value < 0 : value > 0
        }
        var end = summit + 1
        while end < summit + length && isOnHill(end) { end += 1 }
        var start = summit + length
        while start > end && isOnHill(start - 1) { start -= 1 }
        let elsewhere = end..<start
        let power = elsewhere.reduce(0.0) { $0 + Double(correlation[$1 % length]) * Double(correlation[$1 % length]) }
        let rest = max((power / Double(max(elsewhere.count, 1))).squareRoot(), .leastNormalMagnitude)
        func peak(_ place: Int) -> Peak {
            let value = correlation[place % length]
            return Peak(
                frames: place % length, isInverted: value < 0, prominence: abs(Double(value)) / rest)
        }
        greatest = peak(summit)
        second = peak(elsewhere.isEmpty ? summit : top(elsewhere))
    }
}
