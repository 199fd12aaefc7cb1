import AudioDSP
import Fourier
import Glibc

/// The signal that a latency is measured with: it repeats, and holds every multiple of its own frequency in a wide
/// band, all of them equally strong.
///
/// The phases are Newman's, φₖ = π k² / K, which make it a slow sweep with a crest factor of about 5 dB (Boyd,
/// "Multitone signals with low crest factor", IEEE Trans. Circuits and Systems 33, 1986). What a waveshaper adds to a
/// sweep comes at other times than the sweep itself, and so is spread over all delays.
public struct ProbeSignal: Sendable {
    /// One repetition, to be played by the frame clock: at time t the sample t mod `samples.count`.
    public let samples: [Float]
    /// The lines of its spectrum that it has: from 1/512 of the sample rate to 0.45 of it.
    let band: Range<Int>
    /// How strong each line is.
    let amplitude: Double
    /// What undoes the phase of each line of the band: of magnitude 1.
    let whitening: [SpectrumLine]

    /// A delay of this many frames and one of none sound the same: longer ones are taken for shorter ones.
    public var lengthFrames: Int { samples.count }
    /// Of the signal, in frames.
    public static let lengths = (1 << 10)...(1 << 21)

    /// - Parameters:
    ///   - lengthFrames: what it is to be longer than twice any delay; made the next power of two, 2¹⁰ to 2²¹.
    ///   - peakDecibels: of full scale, −120 to 60; of any other number the nearest.
    public init(lengthFrames: Int = 1 << 15, peakDecibels: Double = -12) {
        let wanted = min(max(lengthFrames, Self.lengths.lowerBound), Self.lengths.upperBound)
        var length = Self.lengths.lowerBound
        while length < wanted { length *= 2 }
        let band = (length / 512)..<(length * 45 / 100)
        var lines = [SpectrumLine](repeating: SpectrumLine(), count: length / 2 + 1)
        for line in band {
            let number = Double(line - band.lowerBound)
            let phase = Double.pi * number * number / Double(band.count)
            lines[line] = SpectrumLine(r: Float(cos(phase)), i: Float(sin(phase)))
        }
        let raw = RealTransform(length: length).block(of: lines)
        let peak = raw.reduce(0) { max($0, abs($1)) }
        // In this order, what is no number becomes the lowest.
        let level = min(max(Decibels.range.lowerBound, peakDecibels), Decibels.range.upperBound)
        let scale = Float(Decibels.linear(level)) / peak
        samples = raw.map { $0 * scale }
        self.band = band
        amplitude = Double(scale) * Double(length)
        whitening = lines[band].map { SpectrumLine(r: $0.r, i: -$0.i) }
    }
}
