import AudioFigures
import Foundation
import TestSupport
import Testing

/// What the Python package `hdrhistogram` makes of some sets of values, kept in `Reference/hdrhistogram.json`, and the
/// same values made here.
struct HistogramReference: Decodable, Equatable, CustomTestStringConvertible {
    var name: String
    var seed: UInt64
    var count: Int
    /// Pairs of a percentile and its value.
    var percentiles: [[Double]]
    var mean: Double
    var standardDeviation: Double
    /// The lines of its percentile distribution, in microseconds.
    var distribution: [String]

    var testDescription: String { name }

    static let all = kept()

    /// As the generator beside the kept file makes them.
    var values: [Int64] {
        var random = SeededGenerator(seed: seed)
        func below(_ limit: UInt64) -> Int64 { Int64(random.next() % limit) }
        return (0..<count).map { index in
            switch name {
            case "uniform": return below(2_000_000)
            case "small": return below(2048)
            case "longTailed":
                let octave = (random.next() & 0xFFFF_FFFF).nonzeroBitCount
                return 1 << octave + below(1 << octave)
            case "spiked":
                let value = 1_333_000 + below(667)
                return index % 997 == 0 ? value + 20_000_000 * below(5) : value
            case "constant": return 1_333_333
            case "single": return 123_456_789
            default: return Int64(index) * 99_999_999_999
            }
        }
    }

    var histogram: Histogram {
        var histogram = Histogram()
        for value in values { histogram.record(value) }
        return histogram
    }

    private static var folder: URL { URL(fileURLWithPath: #filePath).deletingLastPathComponent() }

    private static func kept() -> [HistogramReference] {
        guard let data = try? Data(contentsOf: folder.appending(path: "Reference/hdrhistogram.json")) else { return [] }
        return (try? JSONDecoder().decode([HistogramReference].self, from: data)) ?? []
    }

    /// Where `Tools/setup --tests` puts Python with the package, unless PyPI could not be reached.
    private static var python: URL { folder.appending(path: "../../../.build/python/bin/python").standardized }

    static var hasPackage: Bool {
        (try? Program.output(of: python.path, ["-c", "import hdrh.histogram"])) != nil
    }

    /// What the package makes of them now.
    static func generate() throws -> [HistogramReference] {
        let made = try Program.output(of: python.path, [folder.appending(path: "Reference/hdrhistogram.py").path])
        return try JSONDecoder().decode([HistogramReference].self, from: #require(made))
    }
}
