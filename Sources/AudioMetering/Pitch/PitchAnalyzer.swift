/// Follows the pitch of a sound that is given to it piece by piece: fifty readings a second, each of 100 ms.
package final class PitchAnalyzer: SoundAnalyzer {
    package let channels: Int
    private var sampleRate: Int
    private var detector: PitchDetector
    private var filter: PitchFilter
    private var block: [Float]
    /// Samples of the block that are there.
    private var filled = 0
    /// The last three, so that a single one that is off counts for nothing.
    private var last: [PitchReading] = []
    /// Those since they were taken.
    private var readings: [PitchReading] = []
    /// How much was heard, in seconds.
    private(set) var elapsedSeconds = 0.0

    /// Beyond it nobody took any: the oldest give way.
    private static let mostReadings = 3000

    /// - Throws: `channels`, `sampleRate`.
    package init(sampleRate: Int, channels: Int) throws(MeterError) {
        try MeterError.check(sampleRate: sampleRate, channels: channels)
        self.channels = channels
        self.sampleRate = sampleRate
        filter = Self.filter(sampleRate: sampleRate)
        detector = PitchDetector(sampleRate: Double(sampleRate) / Double(filter.stride))
        block = Array(repeating: 0, count: detector.frames)
    }

    /// A sample of the block is one of 44.1 kHz or more: higher rates tell nothing more of a pitch, and cost more.
    private static func filter(sampleRate: Int) -> PitchFilter { PitchFilter(stride: max(1, sampleRate / 44100)) }

    package func change(sampleRate: Int) -> Bool {
        guard sampleRate != self.sampleRate else { return true }
        guard MeterError.sampleRates.contains(sampleRate) else { return false }
        self.sampleRate = sampleRate
        filter = Self.filter(sampleRate: sampleRate)
        detector = PitchDetector(sampleRate: Double(sampleRate) / Double(filter.stride))
        block = Array(repeating: 0, count: detector.frames)
        filled = 0
        return true
    }

    package func add(_ frames: Int, of samples: [Float]) {
        for frame in 0..<frames {
            guard let sample = filter.add(samples.mean(ofFrame: frame, channels: channels)) else { continue }
            block[filled] = sample
            filled += 1
            guard filled == block.count else { continue }
            note(
                detector.pitch(of: block),
                atSeconds: elapsedSeconds + Double(frame + 1) / Double(sampleRate))
            let hop = max(1, block.count / 5)
            for index in 0..<block.count - hop { block[index] = block[index + hop] }
            filled -= hop
        }
        elapsedSeconds += Double(frames) / Double(sampleRate)
    }

    /// The readings since the last call, oldest first, at most of the last minute: one each 20 ms.
    package func take() -> [PitchReading] {
        defer { readings = [] }
        return readings
    }

    /// The last reading.
    package private(set) var reading = PitchReading()

    private func note(_ pitch: PitchDetector.Pitch?, atSeconds seconds: Double) {
        var now = PitchReading(seconds: seconds)
        if let pitch {
            now.confidence = pitch.clarity
            if pitch.clarity >= PitchReading.lowestConfidence { now.hertz = pitch.hertz }
        }
        if last.count == 3 { last.removeFirst() }
        last.append(now)
        reading = middle
        if readings.count >= Self.mostReadings { readings.removeFirst() }
        readings.append(reading)
    }

    /// The middle one of the last three pitches, where all three are there.
    private var middle: PitchReading {
        let newest = last[last.count - 1]
        let pitched = last.filter { $0.hertz != nil }.sorted { ($0.hertz ?? 0) < ($1.hertz ?? 0) }
        guard pitched.count == 3 else { return PitchReading(seconds: newest.seconds, confidence: newest.confidence) }
        var reading = pitched[1]
        reading.seconds = newest.seconds
        return reading
    }
}
