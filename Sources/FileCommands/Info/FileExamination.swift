import AudioFiles
import AudioMetering

/// What the samples of a file are like: found in one pass, in blocks of one size.
struct FileExamination {
    /// The samples of one channel. Full scale is 1.
    struct Channel {
        /// So many samples in a row at full scale, of one sign, count as clipped: a sound that just reaches it rarely
        /// stays there.
        static let shortestRun = 3

        private(set) var peak: Float = 0
        private(set) var clippedSamples = 0
        private(set) var clippedRuns = 0
        private var sum = 0.0
        /// Samples at full scale that came last, and their sign.
        private var run = 0
        private var isRunNegative = false

        func mean(of frames: Int) -> Double { frames > 0 ? sum / Double(frames) : 0 }

        mutating func add(_ sample: Float, fullScale: Float) {
            let magnitude = abs(sample)
            peak = max(peak, magnitude)
            sum += Double(sample)
            guard magnitude >= fullScale else { return run = 0 }
            run = run > 0 && isRunNegative == (sample < 0) ? run + 1 : 1
            isRunNegative = sample < 0
            guard run >= Self.shortestRun else { return }
            clippedRuns += run == Self.shortestRun ? 1 : 0
            clippedSamples += run == Self.shortestRun ? run : 1
        }
    }

    /// The meter keeps the last 3 s in memory: 150 MB of so many samples a second, whatever a header claims.
    private static let mostSamplesPerSecond = 32 * 192_000
    /// Up to a day the loudness is exact, in 25 MB. Of what lasts longer, or nobody knows how long, it comes from histograms.
    private static let longestExactSeconds = 24 * 3600
    /// Of a block, in samples.
    private static let blockSamples = 1 << 14

    private(set) var frames = 0
    private(set) var channels: [Channel]
    /// Not of any channel's figures: silence is in their place.
    private(set) var nonFiniteSamples = 0
    /// `nil` where it cannot be measured.
    private(set) var loudness: LoudnessReading?
    /// Why the loudness cannot be measured.
    private(set) var problem: String?

    /// Reads a file to its end.
    ///
    /// - Parameter progress: called after each block with the frames so far.
    init(_ reader: SoundFileReader, progress: (Int) -> Void) throws(SoundFileError) {
        channels = Array(repeating: Channel(), count: reader.channels)
        let analyzer = analyzer(for: reader)
        let fullScale = reader.fullScale
        let blockFrames = Self.blockSamples / reader.channels
        var block = [Float](repeating: 0, count: blockFrames * reader.channels)
        while case let count = try reader.read(blockFrames, into: &block), count > 0 {
            for channel in channels.indices {
                for frame in 0..<count {
                    channels[channel].add(block[frame * reader.channels + channel], fullScale: fullScale)
                }
            }
            analyzer?.add(count, of: block)
            frames += count
            progress(frames)
        }
        nonFiniteSamples = reader.nonFiniteSamples
        loudness = analyzer?.reading
    }

    private mutating func analyzer(for reader: SoundFileReader) -> LoudnessAnalyzer? {
        let rate = reader.sampleRate
        let isExact = reader.frames.map { $0 / rate <= Self.longestExactSeconds } ?? false
        do {
            return try Self.analyzer(sampleRate: rate, channels: reader.channels, isExact: isExact)
        } catch {
            problem = "\(error)"
            return nil
        }
    }

    private struct TooManySamples: Error, CustomStringConvertible {
        let description: String
    }

    /// - Throws: a sentence.
    static func analyzer(sampleRate: Int, channels: Int, isExact: Bool) throws -> LoudnessAnalyzer {
        guard sampleRate <= mostSamplesPerSecond / channels else {
            throw TooManySamples(
                description: "loudness is measured of up to \(mostSamplesPerSecond) samples a second, and these are "
                    + "\(channels) channels at \(sampleRate) hertz")
        }
        return try LoudnessAnalyzer(sampleRate: sampleRate, channels: channels, isExact: isExact, isFile: true)
    }
}
