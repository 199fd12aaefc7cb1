import AudioDSP
import AudioRealtime
import TerminalPages
import Threads

/// The meters of a live view, which look at those of a unit.
package struct LevelMeters {
    package private(set) var all: [LevelMeter]
    private var last = MonotonicClock.nanoseconds()

    package init(channels: Int) { all = Array(repeating: LevelMeter(), count: channels) }

    /// - Parameters:
    ///   - meters: of the unit.
    ///   - time: of the run, in seconds.
    package mutating func update(from meters: Meters, time: Double) {
        update(time: time) { (meters.takePeak($0), meters.totals($0).clipped) }
    }

    /// - Parameter read: what a channel has come to: its peak since the last update, linear, and how often it has clipped so far.
    package mutating func update(time: Double, _ read: (Int) -> (peak: Float, clipped: UInt64)) {
        let now = MonotonicClock.nanoseconds()
        let elapsed = Double(now - last) / 1e9
        last = now
        for channel in all.indices {
            let (peak, clipped) = read(channel)
            all[channel].update(peak: peak, clipped: clipped, time: time, elapsed: elapsed)
        }
    }

    /// Names each by its channel, from 0 on.
    package mutating func label(_ names: (Int) -> (label: String, partner: String?)) {
        for channel in all.indices { (all[channel].label, all[channel].partner) = names(channel) }
    }

    package mutating func reset() { for channel in all.indices { all[channel].reset() } }
}

extension Meters {
    /// The peaks of the first channels since the last look, for a line of a log.
    package var peakWords: String {
        "peak "
            + (0..<min(8, channels)).map { decibels(Decibels.decibels(Double(takePeak($0)))) }.joined(separator: " ")
            + " dB"
    }
}
