import AudioFigures

extension ModeReport {
    /// `the callback`, `the queue of 3 × 441 frames`.
    var inWords: String {
        guard mode == .queued else { return "the callback" }
        guard let bufferFrames = bufferFrames.value else { return "the queue" }
        guard let bufferCount = bufferCount.value else { return "the queue of \(bufferFrames)-frame buffers" }
        return "the queue of \(bufferCount) × \(frames(Double(bufferFrames)))"
    }

    /// The latency as measured, or none where it cannot be told from none: nothing is heard before it was sent.
    var shownLatencyFrames: Double? {
        latencyFrames.value.map { frames in
            abs(frames) < max(latencyErrorFrames.value ?? 0, 0.0005) ? 0 : frames
        }
    }

    /// The latency as time, at the sample rate that it was measured at.
    var shownLatencyNanoseconds: Double? { shownLatencyFrames.map { $0 * 1e9 / Double(latencyRate) } }

    /// In hertz: the rate that the measured latency's frames had.
    var latencyRate: Int { latencySampleRate.value ?? sampleRate }

    /// What the server changed, and how many times: `the sample rate changed once`; `nil` where it changed nothing.
    var changesInWords: String? {
        guard hasChangedPeriod else { return nil }
        let pairs = zip(parts, parts.dropFirst())
        let kinds = [
            pairs.contains { $0.frames != $1.frames } ? "period" : nil,
            pairs.contains { $0.sampleRate != $1.sampleRate } ? "sample rate" : nil,
        ]
        let count = parts.count + omittedParts - 1
        return "the \(kinds.compactMap(\.self).joined(separator: " or the ")) changed \(timesInWords(count))"
    }

    /// Whether some of the deviation follows from the lengths of buffer and period alone.
    var hasArithmeticDeviation: Bool { (arithmeticDeviation.value?.maximum ?? 0) > 0 }

    /// What is left of the deviation without that.
    var ownDeviation: Distribution { hasArithmeticDeviation ? timingDeviation.value ?? deviation : deviation }

    /// Whether frames that were to be heard were not, or silence was.
    var losesSound: Bool { (droppedFrames ?? 0) > 0 || (insertedFrames ?? 0) > 0 }
}

extension Distribution {
    /// Whether there are enough values for it.
    var hasP99: Bool { count >= Statistic.p99.leastCount }
}

extension LimitResult {
    /// In capitals where it is to be noticed.
    var outcome: String { isMet ? "met" : measured.value == nil ? "NOT MET" : "EXCEEDED" }

    var measuredInWords: String {
        let words = measured.value.map { rounded($0, significantDigits: 4) + unitAfterSpace } ?? "not measured"
        return reservation.isEmpty ? words : "\(words), \(reservation)"
    }

    /// `p99=200us in callback (312 us)`.
    var inWords: String { "\(shown(limit)) in \(shown(mode)) (\(measuredInWords))" }

    /// A count has no unit.
    var unitAfterSpace: String { unit.isEmpty ? "" : " \(shown(unit))" }
}

/// Of a log: `1 record has an impossible time`.
func impossibleTimes(_ count: some BinaryInteger) -> String {
    "\(counted(count, "record has", "records have")) impossible times"
}
