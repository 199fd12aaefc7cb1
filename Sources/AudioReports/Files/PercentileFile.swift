import AudioFigures

import func Glibc.vsnprintf

/// A histogram as text in HdrHistogram's percentile format (`.hgrm`), which its plotter opens. In microseconds: the
/// three digits after the point are the nanoseconds.
///
/// A value is the greatest of its place, as HdrHistogram prints it, so that the last may exceed the maximum by 0.1 %.
/// Mean and deviation are the exact ones.
public struct PercentileFile: Sendable {
    /// In the format of the HdrHistogram plotter.
    public let text: String

    /// - Parameter histogram: of nanoseconds.
    public init(_ histogram: Histogram) {
        let steps = histogram.steps
        let head = ["       Value     Percentile TotalCount 1/(1-Percentile)", ""]
        let lines = steps.map { step in
            let place = Self.format(
                "%12.3f %2.12f %10llu", Double(step.highest) / 1000, step.percentile / 100, step.count)
            // Beyond the last value lies nothing.
            return step.percentile == 100 ? place : place + Self.format(" %14.2f", 1 / (1 - step.percentile / 100))
        }
        let greatest = Double(steps.last?.highest ?? 0) / 1000
        let foot = [
            Self.format(
                "#[Mean    = %12.3f, StdDeviation   = %12.3f]", histogram.mean / 1000,
                histogram.standardDeviation / 1000),
            Self.format("#[Max     = %12.3f, Total count    = %12llu]", greatest, histogram.count),
            Self.format("#[Buckets = %12d, SubBuckets     = %12d]", Histogram.doublings + 1, Histogram.places * 2),
        ]
        text = (head + lines + foot).joined(separator: "\n") + "\n"
    }

    private static func format(_ format: String, _ values: any CVarArg...) -> String {
        let longest = 200
        return unsafe String(unsafeUninitializedCapacity: longest) { buffer in
            // SAFETY: the buffer has room for `longest` bytes; every format above matches its values.
            let count = unsafe withVaList(values) { values in
                unsafe buffer.withMemoryRebound(to: CChar.self) {
                    unsafe vsnprintf($0.baseAddress, longest, format, values)
                }
            }
            return min(max(0, Int(count)), longest - 1)
        }
    }
}
