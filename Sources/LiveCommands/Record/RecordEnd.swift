import AudioRecording

/// Finds out whether a recording is at its end: in every FILE, or in all but those whose pipe nobody reads.
///
/// A reader may stall as long as it likes while others record. Once the others are at their end, the recording waits for it
/// `patienceSeconds`, and no longer.
struct RecordEnd {
    private static let patienceSeconds = 5

    /// What each recorder had written, and the engine's position when that last became more.
    private var progress: [(frames: UInt64, position: UInt64)] = []

    mutating func isReached(_ session: RecordSession) -> Bool {
        let position = session.run.engine.position
        // While the server is away, the position stands still, and nobody is late.
        let patience = UInt64(Self.patienceSeconds * session.run.facts.sampleRate)
        if progress.isEmpty { progress = session.recorders.map { ($0.writtenFrames, position) } }
        var isDue = session.isDue
        var working = 0
        var waited = 0
        for (index, recorder) in session.recorders.enumerated() {
            let state = recorder.state
            isDue = isDue || state == .over
            guard state != .over && recorder.failure?.kind != .io else { continue }
            working += 1
            let frames = recorder.writtenFrames
            if state != .recording || frames != progress[index].frames { progress[index] = (frames, position) }
            if position >= progress[index].position + patience { waited += 1 }
        }
        return working == 0 || (isDue && waited == working)
    }
}
