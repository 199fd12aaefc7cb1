import AudioIO
import TestSupport

/// An offline engine of one channel that runs, and its ramps' length.
func offlineEngine(
    channels: Int = 1, sampleRate: Int = 48_000, rampFrames: Int = 480
) throws -> Engine {
    let engine = try Engine(
        offline: sampleRate, inputs: channels, outputs: channels,
        rampMilliseconds: Double(rampFrames) / Double(sampleRate) * 1000 + 0.001)
    try engine.start()
    return engine
}

extension Engine {
    /// Renders a signal of one channel.
    func render(_ signal: [Float]) throws -> [Float] { try render(signal.count, input: [signal])[0] }
}

func ones(_ count: Int) -> [Float] { [Float](repeating: 1, count: count) }
