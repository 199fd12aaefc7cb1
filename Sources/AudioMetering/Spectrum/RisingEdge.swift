/// Where an oscilloscope begins to draw, so that a sound that repeats stands still.
public enum RisingEdge {
    /// The last place at which a signal crosses 0 upwards, after it was below by a tenth of its highest magnitude, so that noise
    /// about 0 is no crossing.
    ///
    /// - Parameters:
    ///   - samples: finite.
    ///   - end: how many samples from the start are looked at: the crossing lies before it.
    /// - Returns: between two samples, by a straight line; `nil` where nothing crosses.
    public static func last(in samples: [Float], before end: Int) -> Double? {
        let end = min(end, samples.count)
        guard end >= 2 else { return nil }
        let highest = samples[..<end].reduce(0) { max($0, abs($1)) }
        guard highest > 0 else { return nil }
        var place: Double?
        var isArmed = false
        for index in 1..<end {
            if samples[index - 1] <= -0.1 * highest { isArmed = true }
            guard isArmed, samples[index - 1] < 0, samples[index] >= 0 else { continue }
            let (below, above) = (samples[index - 1], samples[index])
            place = Double(index - 1) + Double(below / (below - above))
            isArmed = false
        }
        return place
    }
}
