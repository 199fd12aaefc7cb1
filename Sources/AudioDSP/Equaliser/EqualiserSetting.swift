import func Glibc.log

/// All bands of an equaliser as filters for one sample rate, in one value that goes to the audio thread as a whole.
package struct EqualiserSetting: BitwiseCopyable, Sendable {
    /// A band that does something.
    package struct Stage: BitwiseCopyable, Sendable {
        package var biquad: Biquad
        /// After so many frames 60 dB of its past are forgotten.
        package var settlingFrames: Int
    }

    /// How many bands an equaliser can have.
    package static var maximumBands: Int { @_noLocks @_noAllocation get { 32 } }

    package private(set) var stages: InlineArray<32, Stage>
    /// How many stages are in use, from the first on: flat bands are left out.
    package private(set) var count = 0
    /// In hertz.
    package let sampleRate: Int

    /// Thread: control.
    ///
    /// - Parameters:
    ///   - bands: those behind the 32nd are left out.
    ///   - sampleRate: in hertz.
    package init(_ bands: [EqualiserBand] = [], sampleRate: Int) {
        stages = InlineArray(repeating: Stage(biquad: .identity, settlingFrames: 0))
        self.sampleRate = sampleRate
        for band in bands.prefix(Self.maximumBands) where !band.isFlat {
            let biquad = BandDesign.biquad(band, sampleRate: sampleRate)
            // A tenth of a second at most: a change is to be heard while one turns the knob.
            let frames = min(log(0.001) / log(min(biquad.radius, 1 - 1e-9)), Double(sampleRate) / 10)
            stages[count] = Stage(biquad: biquad, settlingFrames: Int(frames.rounded(.up)))
            count += 1
        }
    }

    /// After so many frames 60 dB of the past of each band are forgotten; a tenth of a second at most.
    package var settlingFrames: Int { (0..<count).reduce(0) { max($0, stages[$1].settlingFrames) } }

    /// The gain of all bands together in dB. Thread: control.
    ///
    /// - Parameter hertz: 0 to half the sample rate; what lies outside is moved to the nearest end.
    package func decibels(atHertz hertz: Double) -> Double {
        let angle = 2 * Double.pi * min(max(0, hertz / Double(max(1, sampleRate))), 0.5)
        return (0..<count).reduce(0) { $0 + stages[$1].biquad.decibels(at: angle) }
    }
}
