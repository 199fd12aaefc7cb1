import AudioFigures

/// The cases of an article on iOS ("iOS real time recording"), to be measured here again.
///
/// It had two audio queues of 16-bit mono at 44.1 kHz, of 8820 and 4410 bytes, on an I/O unit that had granted 2048 frames
/// for 0.05 s; and the I/O unit's own callback at 32 frames.
public enum SeedPreset {
    /// In hertz.
    public static let sampleRate = 44100
    /// What iOS granted for 0.05 s: the next power of two.
    public static let periodFrames = 2048
    /// Of callback mode.
    public static let callbackFrames = 32
    /// Of each queue's buffers, in 16-bit mono.
    package static let queueBytes = [8820, 4410]

    /// What the article shows, beside what was measured here.
    public static func published(beside report: Report) -> [PublishedFigure] {
        var figures: [PublishedFigure] = []
        for mode in report.modes where mode.interval.count > 0 {
            let times = [mode.interval.minimum, mode.interval.p50, mode.interval.maximum]
            switch (mode.mode, mode.bufferFrames.value) {
            case (.callback, _):
                figures.append(
                    PublishedFigure(
                        name: "interval of the callback at \(mode.periodFrames) frames", unit: "s",
                        published: "0.000725623582766, \"very stable\"",
                        measured: range(times.map { Double($0) / 1e9 }, digits: 9)))
            case (.queued, 4410):
                figures.append(queue(8820, "92.9, one of 105", times))
            case (.queued, 2205):
                figures.append(queue(4410, "varying, one of 7", times))
            default: break
            }
        }
        return figures
    }

    private static func queue(_ bytes: Int, _ published: String, _ times: [Int64]) -> PublishedFigure {
        PublishedFigure(
            name: "interval of the queue of \(bytes) bytes", unit: "ms", published: published,
            measured: range(times.map { Double($0) / 1e6 }, digits: 1))
    }

    /// The median, and the shortest and longest in parentheses.
    private static func range(_ times: [Double], digits: Int) -> String {
        let words = times.map { fixed($0, digits) }
        return "\(words[1]) (\(words[0])…\(words[2]))"
    }
}
