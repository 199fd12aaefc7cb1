// Mathematics, and nothing else of the C library: this module has no clock, file or thread to reach for.
import func Glibc.cos
import func Glibc.sin

/// The greatest magnitude that a signal has between its samples, as meters find it: by interpolation at four times the rate.
///
/// Two interpolators at once: that of ITU-R BS.1770-5, annex 2, and that of libebur128 (a sinc under Hann's window), by
/// which most meters go; what neither finds above a ceiling is below it for both.
@safe struct TruePeakFilters: ~Copyable {
    /// Samples that one value is made of: five before it and six behind.
    static var span: Int { @_noLocks @_noAllocation get { 12 } }
    static var before: Int { @_noLocks @_noAllocation get { 5 } }

    /// One filter behind the other.
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
        let all = Self.standard + Self.standard.map { $0.reversed() } + (1...3).map(Self.sinc)
        filters = all.count
        taps = Row(all.flatMap(\.self))
    }

    /// libebur128's taps so many quarters of a frame behind a sample. Its 49th, at the window's end, is 0.
    private static func sinc(_ quarters: Int) -> [Float] {
        (0..<span).map { index in
            let place = 4 * index + quarters
            let angle = Double(place - 24) * .pi / 4
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
        for filter in 0..<filters {
            var sum = Vector.zero
            for tap in 0..<Self.span {
                // SAFETY: there are so many.
                sum += unsafe taps.base[filter * Self.span + tap] * samples.load(start + tap)
            }
            let magnitudes = sum.magnitudes
            greatest = greatest.replacing(with: magnitudes, where: magnitudes .> greatest)
        }
        return greatest
    }
}
