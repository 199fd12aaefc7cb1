/// How loud a sound is that is going to be brought to a level.
struct MeasuredLevel {
    /// The largest sample.
    private(set) var peak = 0.0
    var meter: (any LoudnessMeasuring)?
    private var block: [Float] = []

    var integratedLUFS: Double? { meter?.integratedLUFS }
    var truePeakDecibels: Double? { meter?.truePeakDecibels }

    /// Interleaved doubles.
    mutating func add(_ made: PCMBuffer) {
        let count = made.frames * made.format.channels
        if block.count < count { block = [Float](repeating: 0, count: count) }
        made.withSamples(of: Double.self) { samples in
            for index in samples.indices {
                peak = max(peak, abs(samples[index]))
                block[index] = Float(samples[index])
            }
        }
        meter?.add(made.frames, of: block)
    }
}
