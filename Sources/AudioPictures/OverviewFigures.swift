/// What is drawn of a sound as a whole.
package struct OverviewFigures: Sendable {
    /// The lowest and the highest samples of a column.
    package typealias Column = (lowest: Float, highest: Float, isClipped: Bool)

    package var title: String
    /// Facts behind the title.
    package var facts: String
    package var seconds: Double
    /// From the beginning to the end; empty where no waveform is wanted.
    package var columns: [Column]
    /// For each column the levels in dB, the lowest frequency first; empty where no spectrogram is wanted.
    package var levels: [[Float]]
    /// Of the rows of the spectrogram, in hertz.
    package var hertz: ClosedRange<Double>
    /// Where sound is missing, in seconds.
    package var gaps: [ClosedRange<Double>]

    package init(
        title: String, facts: String, seconds: Double, columns: [Column], levels: [[Float]], hertz: ClosedRange<Double>,
        gaps: [ClosedRange<Double>]
    ) {
        self.title = title
        self.facts = facts
        self.seconds = seconds
        self.columns = columns
        self.levels = levels
        self.hertz = hertz
        self.gaps = gaps
    }
}
