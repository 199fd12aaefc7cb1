import AudioRealtime
import Synchronization
import Threads

/// The worker's part of a loudness meter: from the tap to the figures.
///
/// The ring of the tap is written by the audio thread and read by this one. When it is full, the audio thread drops
/// the block and counts it.
final class LoudnessSession: Sendable {
    static let wakeNanoseconds: UInt64 = 20_000_000

    /// Held for one block at a time, so that who asks for a reading does not wait for all that is left in the tap.
    private struct Ends: ~Copyable {
        var tap: TapReader?
        let analyzer: LoudnessAnalyzer
        var block: [Float] = []
        /// Frames of a run whose rate has no loudness.
        var unmeasuredFrames: UInt64 = 0
    }

    private let ends: Mutex<Ends>

    init(_ analyzer: sending LoudnessAnalyzer) {
        ends = Mutex(Ends(tap: nil, analyzer: analyzer))
    }

    var reading: LoudnessReading {
        ends.withLock { ends in
            var reading = ends.analyzer.reading
            reading.droppedFrames = (ends.tap?.droppedFrames ?? 0) + ends.unmeasuredFrames
            return reading
        }
    }

    func begin(_ tap: consuming TapReader) {
        var tap = Optional(tap)
        ends.withLock { ends in
            precondition(tap?.channels == ends.analyzer.channels, "a tap of another number of channels than the meter")
            precondition(ends.tap == nil, "a meter starts once")
            ends.tap = tap.take()
        }
    }

    /// Empties the tap. Thread: worker.
    func run(_ isStopping: () -> Bool) { while !isStopping() && readBlock() {} }

    /// Measures what is left in the tap. Thread: control, when the worker has ended.
    func finish() { while readBlock() {} }

    /// Returns whether there was anything to read.
    private func readBlock() -> Bool {
        ends.withLock { ends in
            guard let block = ends.tap?.readBlock(interleavedInto: &ends.block) else { return false }
            do throws(LoudnessError) {
                try ends.analyzer.change(sampleRate: Int(block.run.sampleRate))
                ends.analyzer.add(Int(block.frames), of: ends.block)
            } catch {
                ends.unmeasuredFrames += UInt64(block.frames)
            }
            return true
        }
    }
}
