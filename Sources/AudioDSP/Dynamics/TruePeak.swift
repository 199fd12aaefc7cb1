// Mathematics, and nothing else of the C library: this module has no clock, file or thread to reach for.
import func Glibc.cos
import func Glibc.sin

/// The greatest magnitude that a signal has between its samples, as meters find it: by interpolation.
///
/// Three interpolators at once: that of ITU-R BS.1770-5, annex 2, at four times the rate, and the two of libebur128, by which
/// most meters go: 49 taps of a sinc under Hann's window at four times the rate and, for 96 kHz and more, at twice the rate. What
/// none of them finds above a ceiling is below it for all. At a lower rate the last one counts as well: it is the longest,
/// and nearest to an ideal one.
@safe struct TruePeakFilters: ~Copyable {
    /// Samples that one value is made of: eleven before it and twelve behind.
    static var span: Int { @_noLocks @_noAllocation get { 24 } }
    static var before: Int { @_noLocks @_noAllocation get { 11 } }
    /// Of a filter at four times the rate, in the middle of the others.
    private static var shortSpan: Int { @_noLocks @_noAllocation get { 12 } }

    /// One filter behind the other, the long one at the end.
    private let taps: Row<Float>
    private let filters: Int

    /// The first two of BS.1770's phases; the other two are these backwards.
    private static let standard: [[Float]] = [
        [
            0.001_708_984_375, 0.010_986_328_125, -0.019_653_320_312_5, 0.033_203_125, -0.059_448_242_187_5,
            0.137_329_101_562_5, 0.972_167_968_75, -0.102_294_921_875, 0.047_607_421_875, -0.026_611_328_125,
            0.014_892_578_125, -0.008_300_781_25,
        ],
        [
            -0.029_174_804_687_5, 0.029_296_875, -0.051_757_812_5, 0.089_111_328_125, -0.166_503_906_25,
            0.465_087_890_625, 0.779_785_156_25, -0.200_317_382_812_5, 0.101_562_5, -0.058_227_539_062_5,
            0.033_081_054_687_5, -0.018_920_898_437_5,
        ],
    ]

    init() {
        let short =
            Self.standard + Self.standard.map { $0.reversed() } + (1...3).map { Self.sinc(every: 4, from: $0) }
        filters = short.count
        taps = Row(short.flatMap(\.self) + Self.sinc(every: 2, from: 1))
    }

    /// Those of libebur128's 49 taps that one value is made of. The last, at the window's end, is 0.
    ///
    /// - Parameters:
    ///   - step: values for each sample.
    ///   - first: the first of them, 1…step − 1.
    private static func sinc(every step: Int, from first: Int) -> [Float] {
        stride(from: first, to: 48, by: step).map { place in
            let angle = Double(place - 24) * .pi / Double(step)
            let window = 0.5 * (1 - cos(2 * .pi * Double(place) / 48))
            return Float(sin(angle) / angle * window)
        }
    }

    /// The greatest magnitude between each sample and the next, of eight: both of them, and what lies between.
    /// Thread: any. Wait-free.
    ///
    /// - Parameter start: of the first sample's span; `span` and seven more are there.
    @inline(__always) @_noLocks @_noAllocation
    func peaks(_ samples: Samples, from start: Int) -> Vector {
        var greatest = samples.load(start + Self.before).magnitudes
        let next = samples.load(start + Self.before + 1).magnitudes
        greatest = greatest.replacing(with: next, where: next .> greatest)
        let middle = start + (Self.span - Self.shortSpan) / 2
        for filter in 0..<filters {
            let found = magnitudes(samples, from: middle, tap: filter * Self.shortSpan, count: Self.shortSpan)
            greatest = greatest.replacing(with: found, where: found .> greatest)
        }
        let found = magnitudes(samples, from: start, tap: filters * Self.shortSpan, count: Self.span)
        return greatest.replacing(with: found, where: found .> greatest)
    }

    /// What one filter makes of eight spans.
    @inline(__always) @_noLocks @_noAllocation
    private func magnitudes(_ samples: Samples, from start: Int, tap first: Int, count: Int) -> Vector {
        var sum = Vector.zero
        for tap in 0..<count {
            // SAFETY: there are so many.
            sum += unsafe taps.base[first + tap] * samples.load(start + tap)
        }
        return sum.magnitudes
    }
}
