import AudioRealtime
import Synchronization
import Threads

/// The worker's part of a meter: from the tap to the figures.
///
/// The ring of the tap is written by the audio thread and read by this one. When it is full, the audio thread drops
/// the block and counts it.
final class MeterSession<Analyzer: SoundAnalyzer>: Sendable {
    private static var wakeNanoseconds: UInt64 { 20_000_000 }

    /// Held for one block at a time, so that who asks for a reading does not wait for all that is left in the tap.
    private struct Ends: ~Copyable {
        var tap: TapReader?
        let analyzer: Analyzer
        var block: [Float] = []
        /// Frames of a run at whose rate nothing is measured.
        var unmeasuredFrames: UInt64 = 0
    }

    private let name: String
    private let ends: Mutex<Ends>
    private let worker = Mutex<TimerWorker?>(nil)

    /// - Parameter name: of the worker.
    init(_ name: String, _ analyzer: sending Analyzer) {
        self.name = name
        ends = Mutex(Ends(tap: nil, analyzer: analyzer))
    }

    func withAnalyzer<Result: Sendable>(_ body: (Analyzer) -> Result) -> Result {
        ends.withLock { body($0.analyzer) }
    }

    var droppedFrames: UInt64 { ends.withLock { ($0.tap?.droppedFrames ?? 0) + $0.unmeasuredFrames } }

    /// Once only. Thread: control.
    func start(_ tap: consuming TapReader) throws(ResourceError) {
        var tap = Optional(tap)
        ends.withLock { ends in
            precondition(tap?.channels == ends.analyzer.channels, "a tap of another number of channels than the meter")
            precondition(ends.tap == nil, "a meter starts once")
            ends.tap = tap.take()
        }
        let worker = try TimerWorker(name, every: Self.wakeNanoseconds) { [self] isStopping in
            while !isStopping() && readBlock() {}
        }
        self.worker.withLock { $0 = worker }
    }

    /// Measures what is left in the tap, and ends. Again it does nothing. Thread: control.
    func finish() {
        worker.withLock { worker in
            worker?.stop()
            // It keeps this session.
            worker = nil
        }
        while readBlock() {}
    }

    /// Returns whether there was anything to read.
    private func readBlock() -> Bool {
        ends.withLock { ends in
            guard let block = ends.tap?.readBlock(interleavedInto: &ends.block) else { return false }
            if ends.analyzer.change(sampleRate: Int(block.run.sampleRate)) {
                ends.analyzer.add(Int(block.frames), of: ends.block)
            } else {
                ends.unmeasuredFrames += UInt64(block.frames)
            }
            return true
        }
    }
}
