import AudioRealtime
import Jack
import Synchronization

/// The worker's part of a recorder: from the tap to the file.
///
/// The ring of the tap is written by the audio thread and read by this one. When it is full, the audio thread drops
/// the block and counts it.
final class RecordingSession: Sendable {
    let written = Atomic<UInt64>(0)
    let dropped = Atomic<UInt64>(0)
    let lost = Atomic<UInt64>(0)

    private static let wakeNanoseconds: UInt64 = 10_000_000
    private static let blockFrames = 4096

    /// Held by one thread at a time, the worker's or, when that has ended, the control thread's.
    private struct Ends: ~Copyable {
        var tap: TapReader?
        var writer: SoundFileWriter?
        var block: [Float]
        var isClosed = false
    }

    private let channels: Int
    private let ends: Mutex<Ends>
    private let isStopping = Atomic<Bool>(false)
    private let failed = Mutex<RecordingError?>(nil)

    init(_ writer: sending SoundFileWriter, channels: Int) {
        self.channels = channels
        let block = [Float](repeating: 0, count: Self.blockFrames * channels)
        ends = Mutex(Ends(tap: nil, writer: writer, block: block))
    }

    var failure: RecordingError? { failed.withLock { $0 } }

    func begin(_ tap: consuming TapReader) {
        precondition(tap.channels == channels, "a tap of \(tap.channels) channels for a file of \(channels)")
        var tap = Optional(tap)
        ends.withLock { ends in
            precondition(ends.tap == nil && !ends.isClosed, "a recorder starts once")
            ends.tap = tap.take()
        }
    }

    /// Empties the tap on an absolute timer until `stop` is called. Thread: worker.
    func run() {
        var wake = MonotonicClock.nanoseconds()
        while !isStopping.load(ordering: .relaxed) {
            drain(untilStopped: true)
            // After a late wake-up the timer starts anew: one drain has caught up with everything.
            wake = max(wake + Self.wakeNanoseconds, MonotonicClock.nanoseconds())
            MonotonicClock.sleep(until: wake)
        }
    }

    func stop() { isStopping.store(true, ordering: .relaxed) }

    /// Writes the rest and closes the file. Thread: control, when the worker has ended.
    func finish() {
        drain(untilStopped: false)
        ends.withLock { ends in
            guard !ends.isClosed else { return }
            ends.isClosed = true
            let hasStarted = ends.tap != nil
            guard let writer = ends.writer.take() else { return }
            guard hasStarted else {
                writer.discard()
                return
            }
            do throws(RecordingError) {
                try writer.close()
            } catch {
                fail(error)
            }
        }
    }

    private func drain(untilStopped: Bool) {
        ends.withLock { ends in
            guard !ends.isClosed else { return }
            while !(untilStopped && isStopping.load(ordering: .relaxed)) {
                let frames = ends.tap?.read(interleavedInto: &ends.block, capacity: Self.blockFrames) ?? 0
                dropped.store(ends.tap?.droppedFrames ?? 0, ordering: .relaxed)
                guard frames > 0 else { break }
                store(frames, of: ends.block, to: ends.writer)
            }
        }
    }

    /// After a failure nothing more is written, so that the file ends where the gap begins.
    private func store(_ frames: Int, of block: [Float], to writer: SoundFileWriter?) {
        var stored = 0
        if let writer, failure == nil {
            let (count, failure) = writer.write(frames, of: block)
            if let failure { fail(failure) }
            stored = count
        }
        written.add(UInt64(stored), ordering: .relaxed)
        lost.add(UInt64(frames - stored), ordering: .relaxed)
    }

    /// Keeps the first failure: what comes later comes of it.
    private func fail(_ error: RecordingError) {
        failed.withLock { $0 = $0 ?? error }
    }
}
