/// The loudness of all of a sound, and of what has come since somebody began again, as by a key of a live view.
///
/// The second costs as much as the first, and nothing before `restart`.
package final class LoudnessSpans: SoundAnalyzer {
    /// Made for the first block, on the thread that measures: to clear its 3 MB takes longer than the rest of a run's start.
    private var whole: LoudnessAnalyzer?
    private var recent: LoudnessAnalyzer?
    private var sampleRate: Int
    package let channels: Int

    /// - Throws: `channels`, `sampleRate`.
    package init(sampleRate: Int, channels: Int) throws(LoudnessError) {
        try LoudnessAnalyzer.check(sampleRate: sampleRate, channels: channels)
        (self.sampleRate, self.channels) = (sampleRate, channels)
    }

    /// Begins again, but for what is of all of the sound.
    ///
    /// - Returns: whether there is memory for it; else all stays as it was.
    package func restart() -> Bool {
        // Nothing has come that could be left out.
        guard let whole else { return true }
        guard let recent = try? LoudnessAnalyzer(sampleRate: whole.sampleRate, channels: channels) else { return false }
        self.recent = recent
        return true
    }

    package func change(sampleRate: Int) -> Bool {
        guard whole != nil else {
            self.sampleRate = sampleRate
            return begin()
        }
        guard whole?.change(sampleRate: sampleRate) == true else { return false }
        if recent?.change(sampleRate: sampleRate) == false { recent = nil }
        return true
    }

    /// Returns whether the sample rate is one that is measured, and there is memory to do it.
    private func begin() -> Bool {
        whole = try? LoudnessAnalyzer(sampleRate: sampleRate, channels: channels)
        return whole != nil
    }

    package func add(_ frames: Int, of block: [Float]) {
        guard whole != nil || begin() else { return }
        whole?.add(frames, of: block)
        recent?.add(frames, of: block)
    }

    /// Of all of the sound.
    package var reading: LoudnessReading {
        if let whole { return whole.reading }
        var reading = LoudnessReading()
        reading.truePeakDecibels = [Double](repeating: -.infinity, count: channels)
        return reading
    }

    /// Of what came since `restart`, or of all where there was none. The last 0.4 s and 3 s are those of the sound, whenever
    /// that was.
    package var recentReading: LoudnessReading {
        let whole = reading
        guard var reading = recent?.reading else { return whole }
        reading.momentaryLUFS = whole.momentaryLUFS
        reading.shortTermLUFS = whole.shortTermLUFS
        reading.recentTruePeakDecibels = whole.recentTruePeakDecibels
        return reading
    }
}
