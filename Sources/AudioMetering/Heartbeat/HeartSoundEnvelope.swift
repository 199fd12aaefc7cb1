import AudioDSP

/// How loud heart sounds are over time, and how loud everything else: the energy of two bands, 200 times a second.
///
/// First and second heart sounds have their energy at 20…120 Hz; above 1 kHz a microphone on a chest hears nothing of a heart,
/// not even of its murmurs.
struct HeartSoundEnvelope {
    /// Values a second.
    static let rate = 200.0

    /// The mean power of 5 ms of each band.
    struct Step: Equatable {
        var heart: Double
        var other: Double
    }

    private let sampleRate: Int
    private var heart: [BiquadMemory]
    private var other: [BiquadMemory]
    private var sums = Step(heart: 0, other: 0)
    private var count = 0
    /// In frames: where the present step ends. A rate that 200 does not divide has steps of two lengths.
    private var position = 0
    private var steps = 0

    /// - Parameter sampleRate: in hertz, 500 or more.
    init(sampleRate: Int) {
        self.sampleRate = sampleRate
        func band(_ kind: EqualiserBand.Kind, _ hertz: Double) -> BiquadMemory {
            BiquadMemory(EqualiserBand(kind, hertz: hertz, q: 0.5.squareRoot()).biquad(sampleRate: sampleRate))
        }
        heart = [band(.highPass, 25), band(.lowPass, 120)]
        // Where there is nothing above murmurs, nothing tells other sounds from them.
        let corner = min(1000, 0.3 * Double(sampleRate))
        other = corner < 600 ? [] : [band(.highPass, corner), band(.highPass, corner)]
    }

    /// Takes a sample, which must be finite. Returns a step where one is complete.
    mutating func add(_ sample: Double) -> Step? {
        var low = sample
        for index in heart.indices { low = heart[index].process(low) }
        var high = other.isEmpty ? 0 : sample
        for index in other.indices { high = other[index].process(high) }
        sums.heart += low * low
        sums.other += high * high
        count += 1
        position += 1
        guard Double(position) * Self.rate >= Double((steps + 1) * sampleRate) else { return nil }
        let step = Step(heart: sums.heart / Double(count), other: sums.other / Double(count))
        sums = Step(heart: 0, other: 0)
        count = 0
        steps += 1
        if position == sampleRate { (position, steps) = (0, 0) }
        return step
    }
}
