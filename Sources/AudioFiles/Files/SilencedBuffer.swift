extension PCMBuffer {
    /// Returns how many samples were not finite and are silent now.
    mutating func silenceNotFinite() -> Int {
        switch format.sampleFormat {
        case .float32: silenceNotFinite(of: Float.self)
        case .float64: silenceNotFinite(of: Double.self)
        default: 0
        }
    }

    private mutating func silenceNotFinite<Sample: BinaryFloatingPoint & BitwiseCopyable>(of type: Sample.Type) -> Int {
        withMutableSamples(of: type) { samples in
            var found = 0
            for index in samples.indices where !samples[index].isFinite {
                samples[index] = 0
                found += 1
            }
            return found
        }
    }
}
