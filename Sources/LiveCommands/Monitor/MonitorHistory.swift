import AudioMetering
import TerminalPages

/// What the live view of `monitor` remembers of the last minutes, second by second.
struct MonitorHistory {
    private var load = Sparkline("load", unit: "%", from: 0, to: 10, digits: 1)
    private var deviation = Sparkline("deviation", unit: "µs", from: 0, to: 100, digits: 0)
    private var loudness = Sparkline("loudness", unit: "LUFS", from: -60, to: -10, digits: 1)
    private var nextSecond = 0.0

    /// Whether a second has passed since the last one that was taken.
    func isDue(_ elapsed: Double) -> Bool { elapsed >= nextSecond }

    /// - Parameters:
    ///   - load: 0…1.
    ///   - interval: between callbacks in the last second, in milliseconds.
    mutating func add(
        load: Double, interval: (shortest: Double, mean: Double, longest: Double), _ loudness: LoudnessReading?,
        at elapsed: Double
    ) {
        nextSecond = elapsed.rounded(.down) + 1
        self.load.add(load * 100)
        deviation.add(
            interval.mean > 0 ? max(interval.longest - interval.mean, interval.mean - interval.shortest) * 1000 : .nan)
        if let loudness { self.loudness.add(loudness.shortTermLUFS > -99.95 ? loudness.shortTermLUFS : .nan) }
    }

    func lines(on page: Page) -> [String] {
        load.line(on: page) + deviation.line(on: page) + loudness.line(on: page)
    }
}
