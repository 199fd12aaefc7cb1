import AudioIO
import Synchronization

/// The peaks of what a tap brings. Thread: a tap's worker adds, another takes.
package final class PeakLevels: Sendable {
    private let peaks: Mutex<[Float]>

    package init(channels: Int) { peaks = Mutex(Array(repeating: 0, count: channels)) }

    package func add(_ buffer: AudioBuffer) {
        peaks.withLock { peaks in
            for channel in 0..<min(buffer.channels, peaks.count) {
                peaks[channel] = max(peaks[channel], buffer.peak(of: channel))
            }
        }
    }

    /// The highest magnitude of each channel since the last call, linear.
    package func take() -> [Float] {
        peaks.withLock { peaks in
            defer { peaks = Array(repeating: 0, count: peaks.count) }
            return peaks
        }
    }
}
