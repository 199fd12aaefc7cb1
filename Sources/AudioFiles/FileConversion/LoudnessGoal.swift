/// Measures the loudness of a sound, as by EBU R 128. This module has no meter of its own.
public protocol LoudnessMeasuring {
    /// - Parameter block: `frames` frames, interleaved, all of them finite.
    mutating func add(_ frames: Int, of block: [Float])

    /// The integrated loudness in LUFS; `nil` where there is none, as of silence.
    var integratedLUFS: Double? { get }

    /// The highest true peak of all channels, in decibels of full scale.
    var truePeakDecibels: Double { get }
}

/// The loudness that a conversion brings a sound to.
public struct LoudnessGoal: Sendable {
    /// In LUFS.
    public var integratedLUFS: Double
    /// Makes a meter for a rate in hertz and a number of channels; throws a sentence where that cannot be metered.
    public var makeMeter: @Sendable (_ sampleRate: Int, _ channels: Int) throws -> any LoudnessMeasuring

    /// The largest true peak that EBU R 128 permits, in decibels of full scale.
    static let largestTruePeakDecibels = -1.0

    /// - Parameters:
    ///   - integratedLUFS: what the whole file is brought to, by EBU R 128.
    ///   - makeMeter: makes the meter of one file.
    public init(
        integratedLUFS: Double,
        makeMeter: @escaping @Sendable (_ sampleRate: Int, _ channels: Int) throws -> any LoudnessMeasuring
    ) {
        self.integratedLUFS = integratedLUFS
        self.makeMeter = makeMeter
    }
}

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
