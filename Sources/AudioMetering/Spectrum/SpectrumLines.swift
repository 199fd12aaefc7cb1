import Glibc

/// How loud each frequency of a block of sound was.
public struct SpectrumLines: Sendable, Equatable {
    /// Of each line from 0 hertz to half of the sample rate: 1 for a sine at full scale whose frequency is that of the line.
    public var powers: [Float]
    /// The distance of two lines in hertz.
    public var hertzPerLine: Double

    /// A frequency that is louder than those beside it.
    public struct Peak: Sendable, Equatable {
        /// Between the lines.
        public var hertz: Double
        /// In dB; 0 is a sine at full scale.
        public var decibels: Double
    }

    /// What the level of silence is shown as, in dB.
    public static let floorDecibels = -140.0

    /// The noise bandwidth of the window in lines (F. J. Harris, 1978): a sine is as loud as all of its lines divided by it.
    private static let noiseLines = 2.0044

    /// Where a frequency lies, in lines: at the most behind the last one; at 0 what is no number.
    private func place(_ hertz: Double) -> Double { max(0, min(hertz / hertzPerLine, Double(powers.count))) }

    /// The level of a line in dB, −140 or more; 0 is a sine at full scale.
    public func decibels(ofLine line: Int) -> Double { Self.decibels(Double(powers[line])) }

    static func decibels(_ power: Double) -> Double { power > 1e-14 ? 10 * log10(power) : floorDecibels }

    /// The loudest frequency from a lowest one on: of a tone, its frequency within a tenth of a line and its level within 0.1 dB, where
    /// it lies 5 lines or more from 0, from half of the sample rate and from other tones.
    ///
    /// Between the lines it is the top of the parabola through three of them in dB, after what that is off for this window.
    ///
    /// - Parameters:
    ///   - hertz: where it begins to look.
    ///   - least: the lowest level that counts as a peak, in dB.
    public func highestPeak(from hertz: Double = 10, least: Double = -100) -> Peak? {
        let first = max(1, Int(place(hertz).rounded(.up)))
        guard first < powers.count - 1 else { return nil }
        // Of the peaks alone: what is below the lowest frequency, as DC, may slope down into those that are looked at.
        let inner = first..<powers.count - 1
        let peaks = inner.filter { powers[$0] >= powers[$0 - 1] && powers[$0] >= powers[$0 + 1] }
        guard let line = peaks.max(by: { powers[$0] < powers[$1] }) else { return nil }
        let (left, middle, right) = (decibels(ofLine: line - 1), decibels(ofLine: line), decibels(ofLine: line + 1))
        // Nor is a side lobe of what is there a frequency of its own.
        let hidden = Self.decibels(Double(powers.max() ?? 0)) + SpectrumAnalyzer.sideLobeDecibels + 1
        guard middle >= max(least, hidden) else { return nil }
        let top = parabolaTop(left, middle, right) ?? (0, middle)
        return Peak(hertz: (Double(line) + top.offset) * hertzPerLine, decibels: top.height)
    }

    /// The levels of bands in dB, −140 or more: all that is in a band together, as an octave-band meter shows it (IEC 61260).
    ///
    /// Where a band is narrower than the window's main lobe, it shows less than there is: a block of 8192 frames at 48 kHz is long
    /// enough for thirds of octaves from 50 Hz on.
    public func levels(of bands: OctaveBands) -> [Double] {
        zip(bands.edges, bands.edges.dropFirst()).map { low, high in
            Self.decibels(power(from: low, to: high) / Self.noiseLines)
        }
    }

    /// The highest level between each two edges in dB, −140 or more: of the nearest line where none lies between them.
    ///
    /// - Parameter edges: in hertz, rising.
    public func highest(between edges: [Double]) -> [Double] {
        zip(edges, edges.dropFirst()).map { low, high in
            let first = Int(place(low).rounded())
            let last = max(first, Int(place(high).rounded()) - 1)
            guard first < powers.count else { return Self.floorDecibels }
            return Self.decibels(Double(powers[first...min(last, powers.count - 1)].max() ?? 0))
        }
    }

    /// The sum of the lines between two frequencies. A line reaches half a distance to both sides.
    private func power(from low: Double, to high: Double) -> Double {
        let (start, end) = (place(low) + 0.5, place(high) + 0.5)
        let (first, last) = (Int(start), min(powers.count - 1, Int(end)))
        guard first <= last else { return 0 }
        var sum = 0.0
        for line in first...last {
            let share = min(end, Double(line + 1)) - max(start, Double(line))
            sum += share * Double(powers[line])
        }
        return sum
    }
}

/// The top of the parabola through three points side by side: how far beside the middle one it lies, −1…1, and how high; `nil` where it has
/// none.
func parabolaTop(_ left: Double, _ middle: Double, _ right: Double) -> (offset: Double, height: Double)? {
    let bend = left - 2 * middle + right
    guard bend < 0 else { return nil }
    let offset = max(-1, min(1, 0.5 * (left - right) / bend))
    return (offset, middle - 0.25 * (left - right) * offset)
}
