/// The loudness of all of a sound, and of what has come since somebody began again, as by a key of a live view.
///
/// The second costs as much as the first, and nothing before `restart`.
package final class LoudnessSpans: SoundAnalyzer {
    private let whole: LoudnessAnalyzer
    private var recent: LoudnessAnalyzer?

    /// - Throws: `channels`, `sampleRate`, `outOfMemory`.
    package init(sampleRate: Int, channels: Int) throws(LoudnessError) {
        whole = try LoudnessAnalyzer(sampleRate: sampleRate, channels: channels)
    }

    package var channels: Int { whole.channels }

    /// Begins again, but for what is of all of the sound.
    ///
    /// - Returns: whether there is memory for it; else all stays as it was.
    package func restart() -> Bool {
        guard let recent = try? LoudnessAnalyzer(sampleRate: whole.sampleRate, channels: whole.channels) else {
            return false
        }
        self.recent = recent
        return true
    }

    package func change(sampleRate: Int) -> Bool {
        guard whole.change(sampleRate: sampleRate) else { return false }
        if recent?.change(sampleRate: sampleRate) == false { recent = nil }
        return true
    }

    package func add(_ frames: Int, of block: [Float]) {
        whole.add(frames, of: block)
        recent?.add(frames, of: block)
    }

    /// Of all of the sound.
    package var reading: LoudnessReading { whole.reading }

    /// Of what came since `restart`, or of all where there was none. The last 0.4 s and 3 s are those of the sound, whenever
    /// that was.
    package var recentReading: LoudnessReading {
        let whole = whole.reading
        guard var reading = recent?.reading else { return whole }
        reading.momentaryLUFS = whole.momentaryLUFS
        reading.shortTermLUFS = whole.shortTermLUFS
        reading.recentTruePeakDecibels = whole.recentTruePeakDecibels
        return reading
    }
}
