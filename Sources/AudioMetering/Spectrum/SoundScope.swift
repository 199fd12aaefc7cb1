import Glibc

/// How the page looks at what a node renders: a waveform, the wave of this moment, and a spectrum.
package enum SoundScope {
    /// Columns of the waveform a second.
    package static let columnsPerSecond = 128.0
    /// Frames whose spectrum is looked at.
    package static let spectrumFrames = 4096
    package static let bands = 96
    /// Of the bands, in hertz, of equal width in octaves.
    package static let edges = (0...bands).map { hertz.low * pow(hertz.high / hertz.low, Double($0) / Double(bands)) }
    package static let centres = zip(edges, edges.dropFirst()).map { sqrt($0 * $1) }
    package static let hertz = (low: 20.0, high: 20000.0)

    /// How long a tap's buffers are, at a rate: about a column.
    package static func columnFrames(_ sampleRate: Int) -> Int { max(16, sampleRate / 128) }

    /// The lowest and the highest sample of a column, in steps of 1/127.
    package typealias Column = [Int]

    package static func column(_ column: SoundTrail.Column) -> Column { [step(column.lowest), step(column.highest)] }

    private static func step(_ sample: Float) -> Int { Int((max(-1, min(1, sample)) * 127).rounded()) }

    /// A picture of the wave that stands still: it begins where the sound rises through 0.
    package struct Trace: Encodable {
        /// In milliseconds.
        package var span: Double
        /// In steps of 1/127.
        package var samples: [Int]

        /// Frames in the picture.
        package static let frames = 1024
        /// One in so many frames is enough for the page.
        private static let step = 4

        /// - Parameter sound: the last samples, longer than the picture.
        package init(_ sound: [Float], sampleRate: Int) {
            span = Double(Self.frames) / Double(sampleRate) * 1000
            let last = max(0, sound.count - Self.frames)
            let start = RisingEdge.last(in: sound, before: last).map { Int($0) } ?? last
            samples = stride(from: start, to: min(start + Self.frames, sound.count), by: Self.step).map {
                SoundScope.step(sound[$0])
            }
        }
    }
}
