/// Finds heartbeats in a sound that is given to it piece by piece.
package final class HeartbeatAnalyzer: SoundAnalyzer {
    package let channels: Int
    private var sampleRate: Int
    private var envelope: HeartSoundEnvelope
    /// The last 10 s.
    private var steps: [HeartSoundEnvelope.Step] = []
    /// All that there were.
    private var count = 0
    package private(set) var reading = HeartbeatReading()

    /// Between two readings, in steps of the envelope: half a second.
    private static let readingSteps = Int(HeartSoundEnvelope.rate / 2)

    /// - Throws: `channels`, `sampleRate`.
    package init(sampleRate: Int, channels: Int) throws(MeterError) {
        try MeterError.check(sampleRate: sampleRate, channels: channels)
        self.channels = channels
        self.sampleRate = sampleRate
        envelope = HeartSoundEnvelope(sampleRate: sampleRate)
    }

    package func change(sampleRate: Int) -> Bool {
        guard sampleRate != self.sampleRate else { return true }
        guard MeterError.sampleRates.contains(sampleRate) else { return false }
        self.sampleRate = sampleRate
        envelope = HeartSoundEnvelope(sampleRate: sampleRate)
        return true
    }

    package func add(_ frames: Int, of block: [Float]) {
        for frame in 0..<frames {
            guard let step = envelope.add(block.mean(ofFrame: frame, channels: channels)) else { continue }
            if steps.count == HeartbeatAnalysis.steps { steps.removeFirst() }
            steps.append(step)
            count += 1
            guard count % Self.readingSteps == 0 else { continue }
            let start = Double(count - steps.count) / HeartSoundEnvelope.rate
            reading = HeartbeatAnalysis.reading(of: steps, startSeconds: start)
        }
    }

    /// How loud the heart sounds were in the last seconds, 10 at the most: linear, 200 values a second, oldest first.
    package func trace(seconds: Double) -> [Float] {
        // In this order, so that NaN becomes 0.
        steps.suffix(Int(max(0, min(seconds, 10)) * HeartSoundEnvelope.rate)).map { Float($0.heart.squareRoot()) }
    }

    /// The end of what was heard, in seconds from the start.
    package var elapsedSeconds: Double { Double(count) / HeartSoundEnvelope.rate }
}
