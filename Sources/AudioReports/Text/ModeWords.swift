import AudioMeasurement

/// How reports speak of a mode and of a limit.
extension ModeReport {
    /// `the callback`, `the queue of 3 × 441 frames`.
    var inWords: String {
        guard mode == .queued else { return "the callback" }
        guard let bufferFrames = bufferFrames.value else { return "the queue" }
        guard let bufferCount = bufferCount.value else { return "the queue of \(bufferFrames)-frame buffers" }
        return "the queue of \(bufferCount) × \(bufferFrames) frames"
    }

    /// The latency as measured, or none where it cannot be told from none: nothing is heard before it was sent.
    var shownLatencyFrames: Double? {
        latencyFrames.value.map { frames in
            abs(frames) < max(latencyErrorFrames.value ?? 0, 0.0005) ? 0 : frames
        }
    }

    /// Whether frames that were to be heard were not, or silence was.
    var losesSound: Bool { droppedFrames > 0 || insertedFrames > 0 }
}

extension LimitResult {
    /// In capitals where it is to be noticed.
    var outcome: String { isMet ? "met" : measured.value == nil ? "NOT MET" : "EXCEEDED" }

    /// A count has no unit.
    var unitAfterSpace: String { unit.isEmpty ? "" : " \(shown(unit))" }
}
